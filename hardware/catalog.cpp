#include "hardware/catalog.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/core.h>

#include "base/text.hpp"
#include "hardware/source.hpp"

namespace stepcast::hardware {
namespace {

namespace fs = std::filesystem;

constexpr std::array kKinds = {
    KindRow{Kind::gpu, "gpu", "gpus", "accelerators: peaks, memory, links, power"},
    KindRow{Kind::link, "link", "links", "link types: rate per direction, latency"},
    KindRow{Kind::system, "system", "systems", "machines: GPUs, host, NICs and the graph of links"},
    KindRow{Kind::fabric, "fabric", "fabrics", "networks between machines"},
    KindRow{Kind::storage, "storage", "storage", "storage: bandwidth, operations, latency"},
    KindRow{Kind::price, "price", "prices", "prices to buy and to rent, electricity, egress"}};

constexpr std::array<std::string_view, 9> kVendorWords = {"nvidia", "geforce",  "tesla",  "quadro",   "amd",
                                                          "intel",  "instinct", "google", "graphcore"};

/// Lower case; '-' and space become '_'; no doubled or outer '_'.
std::string fold(std::string_view name) {
  std::string folded;
  for (const char c : to_lower(name)) {
    const char mapped = c == '-' || c == ' ' || c == '_' ? '_' : c;
    if (mapped == '_' && (folded.empty() || folded.back() == '_')) continue;
    folded += mapped;
  }
  if (!folded.empty() && folded.back() == '_') folded.pop_back();
  return folded;
}

std::vector<std::string> words_of(std::string_view folded) {
  std::vector<std::string> words;
  while (!folded.empty()) {
    const std::size_t end = std::min(folded.find('_'), folded.size());
    if (end > 0) words.emplace_back(folded.substr(0, end));
    folded.remove_prefix(std::min(folded.size(), end + 1));
  }
  return words;
}

std::string without_vendor(const std::string& folded) {
  std::vector<std::string> words = words_of(folded);
  std::erase_if(words, [](const std::string& w) {
    return std::find(kVendorWords.begin(), kVendorWords.end(), w) != kVendorWords.end();
  });
  return join(words, "_");
}

/// Whether the words of a name pick this id: each is one of the id's words, or the name without gaps begins
/// it.
bool fits(const std::string& folded, const std::string& id) {
  const std::vector<std::string> of_id = words_of(fold(id));
  const std::vector<std::string> wanted = words_of(folded);
  const bool all_words = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& w) {
    return std::find(of_id.begin(), of_id.end(), w) != of_id.end();
  });
  return !wanted.empty() && (all_words || join(of_id, "").starts_with(join(wanted, "")));
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".yaml") || name.ends_with(".yml");
}

/// A path in a file is relative to that file.
std::string beside(const Where& where, const std::string& path) {
  const fs::path p(path);
  if (p.is_absolute() || where.line == 0) return path;
  return (fs::path(where.file).parent_path() / p).string();
}

/// The id stands under the kind's name and equals the stem of the file.
void check_id(const YamlNode& tree, const Entry& entry, Diagnostics& problems) {
  const YamlEntry* id = tree.find(row_of(entry.kind).name);
  if (id == nullptr) return;  // the loader reports it, and a file that is no map
  if (id->value.scalar != entry.id) {
    Reader(id->value, id->key.scalar, problems)
        .error(fmt::format("the id '{}' is not the file's name", id->value.scalar),
               fmt::format("write {}, or rename the file", entry.id));
  }
}

void mark_modified(YamlNode& tree, const YamlNode& patch) {
  if (patch.find("name") != nullptr) return;
  for (YamlEntry& entry : tree.entries) {
    if (entry.key.scalar == "name") entry.value.scalar += " (modified)";
  }
}

}  // namespace

std::span<const KindRow> kinds() { return kKinds; }

const KindRow& row_of(Kind kind) {
  const auto* row =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const KindRow& r) { return r.kind == kind; });
  STEPCAST_CHECK(row != kKinds.end(), "every kind has a row");
  return *row;
}

Catalog::Catalog(std::vector<std::string> roots) : roots_(std::move(roots)) {
  Diagnostics problems;
  for (const std::string& root : roots_) {
    if (!fs::is_directory(root)) {
      problems.add({Severity::error,
                    {root, 0, 0},
                    {},
                    "this catalogue is not a directory",
                    "give a directory that holds gpus/, systems/, ..."});
    }
  }
  problems.throw_if_errors();
}

std::vector<Entry> Catalog::entries(Kind kind) const {
  std::vector<Entry> all;
  std::set<std::string> seen;
  for (const std::string& root : roots_) {
    const fs::path folder = fs::path(root) / row_of(kind).folder;
    if (!fs::is_directory(folder)) continue;
    for (const auto& file : fs::directory_iterator(folder)) {
      const std::string id = file.path().stem().string();
      if (file.path().extension() == ".yaml" && seen.insert(fold(id)).second) {
        all.push_back({kind, id, file.path().string()});
      }
    }
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  return all;
}

std::optional<Entry> Catalog::find_id(Kind kind, std::string_view folded) const {
  for (const std::string& root : roots_) {
    const fs::path file = fs::path(root) / row_of(kind).folder / (std::string(folded) + ".yaml");
    if (fs::is_regular_file(file)) return Entry{kind, std::string(folded), file.string()};
  }
  for (const Entry& entry : entries(kind)) {
    if (fold(entry.id) == folded) return entry;
  }
  return std::nullopt;
}

std::optional<std::string> Catalog::find_alias(Kind kind, std::string_view folded) const {
  for (const std::string& root : roots_) {
    const fs::path file = fs::path(root) / "aliases.yaml";
    if (!fs::is_regular_file(file)) continue;
    Diagnostics problems;
    const auto tree = load_yaml(file.string(), problems);
    problems.throw_if_errors();
    for (const Kind named :
         {kind == Kind::price ? Kind::gpu : kind, kind == Kind::price ? Kind::system : kind}) {
      const YamlEntry* table = tree->find(row_of(named).folder);  // a price has the id of what it prices
      if (table == nullptr) continue;
      for (const YamlEntry& alias : table->value.entries) {
        if (fold(alias.key.scalar) == folded) return alias.value.scalar;
      }
    }
  }
  return std::nullopt;
}

Match Catalog::find(Kind kind, std::string_view name) const {
  const std::string exact = fold(name);
  for (const std::string& folded : {exact, without_vendor(exact)}) {
    if (folded.empty() || folded.find('/') != std::string::npos) continue;
    if (auto entry = find_id(kind, folded)) return {entry, {}, {}, {}};
    if (const auto alias = find_alias(kind, folded)) {
      if (auto entry = find_id(kind, *alias))
        return {entry, fmt::format("'{}' means {}", name, *alias), {}, {}};
    }
  }
  std::vector<std::string> ids;
  std::vector<Entry> fitting;
  for (Entry& entry : entries(kind)) {
    ids.push_back(entry.id);
    if (fits(without_vendor(exact), entry.id)) fitting.push_back(std::move(entry));
  }
  if (fitting.size() == 1) return {fitting[0], fmt::format("'{}' means {}", name, fitting[0].id), {}, {}};
  const std::string_view kind_name = row_of(kind).name;
  if (fitting.size() > 1) {
    std::vector<std::string> candidates;
    for (const Entry& entry : fitting) candidates.push_back(entry.id);
    return {std::nullopt,
            {},
            fmt::format("'{}' fits several {} entries", name, kind_name),
            "write one of: " + join(candidates)};
  }
  const std::string near = nearest(exact, ids);
  return {std::nullopt,
          {},
          fmt::format("unknown {} '{}'", kind_name, name),
          near.empty() ? fmt::format("`stepcast list {}` shows them all", kind_name)
                       : fmt::format("did you mean {}?", near)};
}

std::optional<YamlNode> Catalog::load(const Entry& entry, Diagnostics& problems) const {
  auto tree = load_yaml(entry.file, problems);
  if (!tree) return std::nullopt;
  check_id(*tree, entry, problems);
  require_sources(Reader(*tree, {}, problems));
  return tree;
}

std::optional<YamlNode> Catalog::resolve(Kind kind, const Reader& r) const {
  if (r.is_map()) {
    const YamlEntry* base = r.node().find("base");
    if (base == nullptr) return r.node();
    auto under = resolve(kind, Reader(base->value, r.path() + ".base", r.problems()));
    if (!under) return std::nullopt;
    YamlNode patch = r.node();
    std::erase_if(patch.entries, [](const YamlEntry& e) { return e.key.scalar == "base"; });
    YamlNode tree = overlay(*std::move(under), patch);
    mark_modified(tree, patch);
    return tree;
  }
  const std::string name = r.text();
  if (name.empty()) return std::nullopt;
  if (is_path(name)) {
    const std::string file = beside(r.node().where(), name);
    return load({kind, fs::path(file).stem().string(), file}, r.problems());
  }
  const Match match = find(kind, name);
  if (!match.entry) {
    r.error(match.problem, match.hint);
    return std::nullopt;
  }
  if (!match.note.empty()) r.problems().add({Severity::note, r.node().where(), r.path(), match.note, {}});
  return load(*match.entry, r.problems());
}

}  // namespace stepcast::hardware
