#pragma once

// Small text helpers: suggestions for misspelt names, and case folding.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {
inline namespace base {

/// Control characters as \xNN, so that a text from a file cannot break a line or drive a terminal.
std::string printable(std::string_view text);

/// ASCII lower case.
std::string to_lower(std::string_view text);

/// The candidate that `word` begins, else the nearest to it by edit distance (case ignored, a swap of
/// neighbours counts once), or empty if none is near enough to be a slip of the pen. Ties go to the first in
/// the list.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// The `name` of each row of a table.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

/// "a, b, c"
std::string join(std::span<const std::string> items, std::string_view separator = ", ");

}  // namespace base
}  // namespace stepcast
