#include "hardware/source.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>
#include <variant>

#include <fmt/core.h>

#include "base/units.hpp"

namespace stepcast::hardware {
namespace {

constexpr std::array kKinds = {EnumName<SourceKind>{"read", SourceKind::read},
                               EnumName<SourceKind>{"derived", SourceKind::derived},
                               EnumName<SourceKind>{"memory", SourceKind::memory}};

bool is_quantity(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && !node.quoted &&
         std::holds_alternative<AnyQuantity>(parse_any_quantity(node.scalar));
}

/// Keys that tell about a mapping, not numbers of it.
bool is_about(const std::string& key) { return key == "source" || key == "date" || key == "notes"; }

template <class Predicate>
bool any_scalar(const YamlNode& node, const Predicate& predicate) {
  return predicate(node) ||
         std::any_of(node.items.begin(), node.items.end(),
                     [&](const YamlNode& item) { return any_scalar(item, predicate); }) ||
         std::any_of(node.entries.begin(), node.entries.end(), [&](const YamlEntry& entry) {
           return !is_about(entry.key.scalar) && any_scalar(entry.value, predicate);
         });
}

bool has_source(const YamlNode& node) { return node.find("source") != nullptr; }

/// The keys of `group` with a number anywhere below, but for mappings that have a source of their own.
std::vector<std::string> keys_with_numbers(const YamlNode& group) {
  std::vector<std::string> keys;
  for (const YamlEntry& entry : group.entries) {
    const bool answers_itself = is_about(entry.key.scalar) || has_source(entry.value);
    if (!answers_itself && any_scalar(entry.value, is_number)) keys.push_back(entry.key.scalar);
  }
  return keys;
}

void check_covered(const Reader& group, const std::vector<std::string>& keys) {
  if (keys.empty()) return;
  const YamlEntry* entry = group.node().find("source");
  if (entry == nullptr) {
    group.error(fmt::format("no source for '{}'", keys.front()),
                "add `source: {document: ..., date: YYYY-MM}` to this mapping");
    return;
  }
  Diagnostics elsewhere;  // the loader reports what is wrong inside `source`
  Sources sources;
  read(Reader(entry->value, "source", elsewhere), sources);
  if (elsewhere.has_errors()) return;
  const Reader at(entry->value, group.path() + (group.path().empty() ? "source" : ".source"),
                  group.problems());
  std::unordered_set<std::string_view> named;
  bool all = false;
  for (const Source& source : sources) {
    named.insert(source.of.begin(), source.of.end());
    all |= source.of.empty();
  }
  for (const std::string& key : keys) {
    if (!all && !named.contains(key)) {
      at.error(fmt::format("covers no '{}'", key), "name it in `of`, or give an entry without `of`");
    }
  }
  std::unordered_set<std::string_view> here;
  for (const YamlEntry& other : group.node().entries) here.insert(other.key.scalar);
  for (const Source& source : sources) {
    for (const std::string& key : source.of) {
      if (!here.contains(key)) {
        at.error(fmt::format("`of` names '{}', which is not here", key), "name keys of the same mapping");
      }
    }
  }
}

/// `group` covers its numbers, and so does each mapping in it that has a source of its own.
void require_sources_in(const Reader& group) {
  if (!group.is_map()) return;
  for (const YamlEntry& entry : group.node().entries) {
    if (is_about(entry.key.scalar) || !has_source(entry.value)) continue;
    require_sources_in(Reader(entry.value, group.path() + "." + entry.key.scalar, group.problems()));
  }
  check_covered(group, keys_with_numbers(group.node()));
}

}  // namespace

std::span<const EnumName<SourceKind>> enum_names(SourceKind) { return kKinds; }

void read(const Reader& r, Source& source) {
  r.map([&](MapReader& m) {
    m.required("document", source.document);
    m.required("date", source.date);
    m.optional("kind", source.kind);
    m.optional("of", source.of);
  });
}

void read(const Reader& r, Sources& sources) {
  if (!r.is_list()) return read(r, sources.emplace_back());
  for (const Reader& item : r.list()) read(item, sources.emplace_back());
}

bool is_number(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && !node.quoted &&
         (is_quantity(node) || std::holds_alternative<double>(parse_number(node.scalar)));
}

Sources sources_of(const Sources& sources, const std::string& key) {
  Sources found;
  const auto pick = [&](const auto& wanted) {
    std::copy_if(sources.begin(), sources.end(), std::back_inserter(found), wanted);
  };
  pick([&](const Source& s) { return std::find(s.of.begin(), s.of.end(), key) != s.of.end(); });
  if (found.empty()) pick([](const Source& s) { return s.of.empty(); });
  return found;
}

void require_sources(const Reader& file) {
  std::vector<std::string> quantities;  // at the top level
  for (const YamlEntry& entry : file.node().entries) {
    if (is_about(entry.key.scalar)) continue;
    const Reader child(entry.value, entry.key.scalar, file.problems());
    if (child.is_map()) {
      require_sources_in(child);
    } else if (child.is_list()) {
      for (const Reader& row : child.list()) require_sources_in(row);
    } else if (is_quantity(entry.value)) {
      quantities.push_back(entry.key.scalar);
    }
  }
  check_covered(file, quantities);
}

}  // namespace stepcast::hardware
