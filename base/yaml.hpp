#pragma once

// A YAML document as a plain tree in which every node knows its place. Built from the parser's events, so
// that nothing is lost or guessed: duplicate keys, second documents, tags, merge keys, trees that are too
// deep and aliases that explode are errors. yaml-cpp itself stays inside yaml.cpp.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace stepcast {
inline namespace base {

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  bool quoted = false;  ///< a scalar in quotes or a block scalar: text even where it looks like a number
  int line = 0;
  int column = 0;
  std::shared_ptr<const std::string> file;
  std::string scalar;
  std::vector<YamlNode> items;     ///< of a sequence
  std::vector<YamlEntry> entries;  ///< of a map, in file order

  [[nodiscard]] Where where() const { return {file ? *file : std::string(), line, column}; }

  /// The entry of a map, or nullptr.
  [[nodiscard]] const YamlEntry* find(std::string_view key) const;
};

struct YamlEntry {
  YamlNode key;  ///< always a scalar
  YamlNode value;
};

/// Limits on hostile or broken files.
inline constexpr std::size_t kMaxYamlBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxYamlDepth = 64;
inline constexpr std::size_t kMaxAliasedNodes = 100'000;
inline constexpr std::size_t kMaxAliasedBytes = std::size_t{8} << 20;

/// The one document of `text`; nothing where it cannot be read at all. What is wrong with it goes to
/// `problems` (a tree with a duplicate key is returned too, so that the rest gets checked). `file` is the
/// name in messages.
std::optional<YamlNode> parse_yaml(std::string_view text, std::string_view file, Diagnostics& problems);

/// As parse_yaml, from a file.
std::optional<YamlNode> load_yaml(const std::string& path, Diagnostics& problems);

/// `patch` laid over `base`: maps are merged key by key, everything else is replaced. A map that the patch
/// changes loses the `source` of the base: it speaks of the old numbers.
YamlNode overlay(YamlNode base, const YamlNode& patch);

/// Sets one value of a tree as the command line gives it: "cluster.nodes=4", "cluster.overrides=[{...}]".
/// What stands behind
/// '=' is YAML; maps on the way are made where they are missing.
void set_value(YamlNode& tree, std::string_view assignment, Diagnostics& problems);

}  // namespace base
}  // namespace stepcast
