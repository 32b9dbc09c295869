#pragma once

// Where a number comes from. Every mapping of a catalogue file that holds numbers carries `source:`, one
// entry or a list; an entry with `of:` covers those keys of its mapping, one without covers the rest.

#include <span>
#include <string>
#include <vector>

#include "base/reader.hpp"

namespace stepcast::hardware {

enum class SourceKind {
  read,     ///< the document was read
  derived,  ///< computed; the document says from what
  memory,   ///< quoted from memory: unverified until somebody reads the document
};
std::span<const EnumName<SourceKind>> enum_names(SourceKind);

struct Source {
  std::string document;
  Date date;
  SourceKind kind = SourceKind::read;
  std::vector<std::string> of;  ///< keys that it covers; empty: all that no other entry names

  /// Weakest last: read, derived, memory.
  [[nodiscard]] bool unverified() const { return kind == SourceKind::memory; }
  bool operator==(const Source&) const = default;
};

using Sources = std::vector<Source>;
void read(const Reader& r, Source& source);
void read(const Reader& r, Sources& sources);

/// Whether a scalar is a number, with or without a unit.
bool is_number(const YamlNode& node);

/// The entries of `sources` that stand behind `key`.
Sources sources_of(const Sources& sources, const std::string& key);

/// The rule for catalogue files: each mapping below the top level that holds numbers, and each row of a list
/// at the top level, names a source for every one of them (a mapping inside it may name its own); so do
/// quantities at the top level itself. Counts and years there need none: they are what the thing is.
void require_sources(const Reader& file);

}  // namespace stepcast::hardware
