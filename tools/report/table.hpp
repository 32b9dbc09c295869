#pragma once

// A table of text cells, and the forms it is written in.

#include <string>
#include <vector>

namespace stepcast::tools {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> right;  ///< right-aligned columns in text; shorter or empty: left
};

/// Columns padded with spaces, two between them.
std::string to_plain(const Table& table);
/// RFC 4180, with a header line and LF line ends.
std::string to_csv(const Table& table);
std::string to_markdown(const Table& table);

}  // namespace stepcast::tools
