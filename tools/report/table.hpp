#pragma once

// A table, and the forms it is written in: text for people, CSV and JSON for scripts. A column has a heading
// and a key with its unit in the name; a cell has a text and, where it is a number, the number in that unit.

#include <optional>
#include <string>
#include <vector>

namespace stepcast::tools {

struct Column {
  std::string heading;  ///< for people; empty: only for scripts
  std::string key;      ///< for scripts
};

struct Cell {
  std::string text;
  std::optional<double> number;

  Cell(std::string t) : text(std::move(t)) {}  // NOLINT: a text is a cell
  Cell(const char* t) : text(t) {}             // NOLINT
  Cell(std::string t, double value) : text(std::move(t)), number(value) {}
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

/// Columns padded with spaces, two between them; no heading line where no column has one. Numbers stand to
/// the right.
std::string to_plain(const Table& table);
/// RFC 4180, with a header line and LF line ends.
std::string to_csv(const Table& table);
/// {"schema_version": 1, "rows": [{key: value}]}; a cell without text and number is null.
std::string to_json(const Table& table);

/// A number as a script reads it: the shortest text that gives the same bits.
std::string number_text(double value);

}  // namespace stepcast::tools
