#pragma once

// Small text helpers: suggestions for misspelt names, and case folding.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {
inline namespace base {

/// ASCII lower case.
std::string to_lower(std::string_view text);

/// The candidate that `word` begins, else the nearest to it by edit distance (case ignored, a swap of
/// neighbours counts once), or empty if none is near enough to be a slip of the pen. Ties go to the first in
/// the list.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "a, b, c"
std::string join(std::span<const std::string> items, std::string_view separator = ", ");

}  // namespace base
}  // namespace stepcast
