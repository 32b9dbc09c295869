#include "hardware/catalog.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>

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

/// Lower case; '-', space and commas become '_'; no doubled or outer '_'.
std::string fold(std::string_view name) {
  std::string folded;
  for (const char c : to_lower(name)) {
    const bool gap = c == '-' || c == ' ' || c == '_' || c == ',';
    if (gap && (folded.empty() || folded.back() == '_')) continue;
    folded += gap ? '_' : c;
  }
  if (!folded.empty() && folded.back() == '_') folded.pop_back();
  return folded;
}

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= 100 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
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

/// "sxm" stands for "sxm5": the word, and behind it only digits.
bool word_fits(const std::string& word, const std::string& of_id) {
  return of_id.starts_with(word) && of_id.find_first_not_of("0123456789", word.size()) == std::string::npos &&
         (of_id.size() == word.size() || word.find_first_of("0123456789") == std::string::npos);
}

/// Whether the words of a name pick these words: each is one of them, or without gaps they are the first few.
bool fits(const std::vector<std::string>& wanted, const std::vector<std::string>& of_entry) {
  const bool all_words = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& w) {
    return std::any_of(of_entry.begin(), of_entry.end(),
                       [&](const std::string& e) { return word_fits(w, e); });
  });
  if (wanted.empty() || all_words) return all_words && !wanted.empty();
  std::string begun;
  for (const std::string& word : of_entry) {
    begun += word;
    if (begun == join(wanted, "")) return true;
  }
  return false;
}

bool is_path(std::string_view name) {
  return name.starts_with("/") || name.starts_with("./") || name.starts_with("../") ||
         name.ends_with(".yaml") || name.ends_with(".yml");
}

/// A path in a file is relative to that file.
std::string beside(const Where& where, const std::string& path) {
  const fs::path p(path);
  if (p.is_absolute() || where.line == 0) return path;
  return (fs::path(where.file).parent_path() / p).string();
}

/// The file begins as a file of its kind does, with the id that is its name.
bool check_id(const YamlNode& tree, const Entry& entry, Diagnostics& problems) {
  const Reader file(tree, {}, problems);
  if (!file.is_map()) return true;  // the loader reports it
  const std::string kind(row_of(entry.kind).name);
  const YamlEntry* id = tree.find(kind);
  if (id == nullptr) {
    for (const KindRow& row : kKinds) {
      if (tree.find(row.name) == nullptr || tree.entries.front().key.scalar != row.name) continue;
      file.error(fmt::format("this is a {}, not a {}", row.name, kind),
                 fmt::format("`stepcast show {}` reads it", row.name));
      return false;
    }
    file.error(fmt::format("missing key '{}'", kind), fmt::format("begin with `{}: {}`", kind, entry.id));
    return true;
  }
  const Reader at(id->value, kind, problems);
  if (!is_id(entry.id)) {
    at.error(fmt::format("'{}' cannot be an id", entry.id),
             "name the file with lower-case letters, digits and '_'");
  } else if (id->value.scalar != entry.id) {
    at.error(fmt::format("the id '{}' is not the file's name", id->value.scalar),
             fmt::format("write {}, or rename the file", entry.id));
  }
  return true;
}

void mark_modified(YamlNode& tree, const YamlNode& patch) {
  if (patch.find("name") != nullptr) return;
  for (YamlEntry& entry : tree.entries) {
    const bool marked = entry.key.scalar != "name" || entry.value.scalar.ends_with(" (modified)");
    if (!marked) entry.value.scalar += " (modified)";
  }
}

std::string unknown_hint(const Catalog& catalog, Kind kind, const std::string& folded,
                         const std::vector<std::string>& ids) {
  std::string near = nearest(folded, ids);
  if (near.empty()) near = nearest(join(words_of(folded), ""), ids);
  for (const KindRow& row : kKinds) {
    if (row.kind == kind || row.kind == Kind::price) continue;
    for (const Entry& entry : catalog.entries(row.kind)) {
      if (fits(words_of(folded), words_of(entry.id))) return fmt::format("{} is a {}", entry.id, row.name);
    }
  }
  return near.empty() ? fmt::format("`stepcast list {}` shows them all", row_of(kind).name)
                      : fmt::format("did you mean {}?", near);
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
    std::error_code ignored;
    const Where where{root.empty() ? "(an empty path)" : root, 0, 0};
    if (!fs::is_directory(root, ignored)) {
      problems.add({Severity::error,
                    where,
                    {},
                    "this catalogue is not a directory",
                    "give a directory that holds gpus/, systems/, ..."});
      continue;
    }
    const bool holds_kind = std::any_of(kKinds.begin(), kKinds.end(), [&](const KindRow& row) {
      return fs::is_directory(fs::path(root) / row.folder, ignored);
    });
    if (!holds_kind && !fs::exists(fs::path(root) / "aliases.yaml", ignored)) {
      problems.add({Severity::error,
                    where,
                    {},
                    "this directory is no catalogue",
                    "it should hold gpus/, systems/, or another of: " + [] {
                      std::vector<std::string> folders;
                      for (const KindRow& row : kKinds) folders.emplace_back(row.folder);
                      return join(folders);
                    }()});
    }
  }
  problems.throw_if_errors();
}

std::vector<Entry> Catalog::entries(Kind kind) const {
  std::vector<Entry> all;
  std::set<std::string> seen;
  for (const std::string& root : roots_) {
    std::error_code failed;
    std::vector<Entry> here;
    for (fs::directory_iterator file(fs::path(root) / row_of(kind).folder, failed), end;
         !failed && file != end; file.increment(failed)) {
      const fs::path& path = file->path();
      const bool hidden = path.filename().string().starts_with(".");
      const bool yaml = path.extension() == ".yaml" || path.extension() == ".yml";
      if (yaml && !hidden) here.push_back({kind, path.stem().string(), path.string()});
    }
    std::sort(here.begin(), here.end(), [](const Entry& a, const Entry& b) { return a.file < b.file; });
    for (Entry& entry : here) {
      if (seen.insert(fold(entry.id)).second) all.push_back(std::move(entry));
    }
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  return all;
}

std::optional<Entry> Catalog::find_id(Kind kind, const std::string& folded) const {
  if (!is_id(folded)) return std::nullopt;
  for (const std::string& root : roots_) {
    std::error_code ignored;
    const fs::path file = fs::path(root) / row_of(kind).folder / (folded + ".yaml");
    if (fs::is_regular_file(file, ignored)) return Entry{kind, folded, file.string()};
  }
  return std::nullopt;
}

std::optional<Entry> Catalog::find_alias(Kind kind, const std::string& folded) const {
  std::optional<Entry> found;
  Diagnostics problems;
  for (const std::string& root : roots_) {
    std::error_code ignored;
    const fs::path file = fs::path(root) / "aliases.yaml";
    if (!fs::exists(file, ignored)) continue;
    const auto tree = load_yaml(file.string(), problems);
    if (!tree) continue;
    Reader(*tree, {}, problems).map([&](MapReader& m) {
      for (const KindRow& row : kKinds) {
        const bool wanted = row.kind == kind || (kind == Kind::price && row.kind != Kind::price);
        const auto table = m.find(row.folder);
        if (!table || !wanted || found) continue;
        table->map([&](MapReader& aliases) {
          for (const YamlEntry& alias : table->node().entries) {
            const auto target = aliases.find(alias.key.scalar);
            if (fold(alias.key.scalar) != folded || found) continue;
            found = find_id(kind, target->text().value_or(""));
            if (!found && kind == row.kind) {
              target->error(fmt::format("there is no {} '{}'", row.name, alias.value.scalar),
                            "name an id of the catalogue");
            }
          }
        });
      }
    });
  }
  problems.throw_if_errors();
  return found;
}

Match Catalog::find(Kind kind, std::string_view name) const {
  const std::string exact = fold(name);
  const auto taken = [&](Entry entry) {
    std::string note = fmt::format("'{}' means {}", name, entry.id);
    return Match{std::move(entry), std::move(note), {}, {}};
  };
  if (auto entry = find_id(kind, exact)) {
    const auto holders = std::count_if(roots_.begin(), roots_.end(), [&](const std::string& root) {
      std::error_code ignored;
      return fs::exists(fs::path(root) / row_of(kind).folder / (exact + ".yaml"), ignored);
    });
    std::string note = holders > 1 ? fmt::format("{} is taken from {}", exact, entry->file) : std::string();
    return {std::move(entry), std::move(note), {}, {}};
  }
  const std::string plain = without_vendor(exact);
  for (const std::string& folded : {exact, plain}) {
    if (auto entry = find_id(kind, folded)) return taken(*std::move(entry));
    if (auto entry = find_alias(kind, folded)) return taken(*std::move(entry));
  }
  std::vector<std::string> ids;
  std::vector<Entry> fitting;
  std::vector<Entry> all = entries(kind);
  for (Entry& entry : all) {
    ids.push_back(entry.id);
    if (fits(words_of(plain), words_of(fold(entry.id)))) fitting.push_back(entry);
  }
  if (fitting.empty()) fitting = named(all, plain);
  if (fitting.size() == 1) return taken(std::move(fitting[0]));
  const std::string_view kind_name = row_of(kind).name;
  if (fitting.size() > 1) {
    std::vector<std::string> candidates;
    for (const Entry& entry : fitting) candidates.push_back(entry.id);
    return {std::nullopt,
            {},
            fmt::format("'{}' fits several {} entries", name, kind_name),
            "write one of: " + join(candidates)};
  }
  return {std::nullopt,
          {},
          fmt::format("unknown {} '{}'", kind_name, name),
          unknown_hint(*this, kind, plain, ids)};
}

std::vector<Entry> Catalog::named(const std::vector<Entry>& all, const std::string& folded) const {
  std::vector<Entry> fitting;
  for (const Entry& entry : all) {
    Diagnostics ignored;
    const auto tree = load_yaml(entry.file, ignored);
    const YamlEntry* name = tree ? tree->find("name") : nullptr;
    if (name == nullptr) continue;
    const std::string full = without_vendor(fold(name->value.scalar));
    if (full == folded) return {entry};
    if (full.ends_with("_" + folded)) fitting.push_back(entry);  // "p4d.24xlarge" of "AWS p4d.24xlarge"
  }
  return fitting;
}

std::optional<YamlNode> Catalog::load(const Entry& entry, Diagnostics& problems) const {
  auto tree = load_yaml(entry.file, problems);
  if (!tree || !check_id(*tree, entry, problems)) return std::nullopt;
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
  const std::optional<std::string> name = r.text();
  if (!name) return std::nullopt;
  if (is_path(*name)) {
    const std::string file = beside(r.node().where(), *name);
    return load({kind, fs::path(file).stem().string(), file}, r.problems());
  }
  const Match match = find(kind, *name);
  if (!match.entry) {
    r.error(match.problem, match.hint);
    return std::nullopt;
  }
  if (!match.note.empty()) r.problems().add({Severity::note, r.node().where(), r.path(), match.note, {}});
  return load(*match.entry, r.problems());
}

}  // namespace stepcast::hardware
