#pragma once

// The catalogue: one YAML file for each GPU, link, system, fabric, storage or price, in a folder for each
// kind under one or more roots. The file's stem is the id. Nothing is loaded but what is named, and no build
// is needed to add a file: to a root of one's own (--catalog DIR, STEPCAST_CATALOG) or here.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/reader.hpp"

namespace stepcast::hardware {

enum class Kind { gpu, link, system, fabric, storage, price };

struct KindRow {
  Kind kind;
  std::string_view name;    ///< "gpu": the first key of its files, and the word on the command line
  std::string_view folder;  ///< "gpus"
  std::string_view help;
};
std::span<const KindRow> kinds();
const KindRow& row_of(Kind kind);

struct Entry {
  Kind kind = Kind::gpu;
  std::string id;
  std::string file;
};

/// What a name refers to.
struct Match {
  std::optional<Entry> entry;
  std::string note;     ///< where the name is not the id: what it was taken for
  std::string problem;  ///< where there is no entry
  std::string hint;
};

class Catalog {
 public:
  /// Roots in order of precedence: the first one that holds an id wins. Throws InputError for a root that is
  /// no directory.
  explicit Catalog(std::vector<std::string> roots);

  /// All entries of a kind by id, each id once.
  [[nodiscard]] std::vector<Entry> entries(Kind kind) const;

  /// An id, an alias, or words that fit only one id or one `name:`. Case is folded; '-', '_', ',' and space
  /// are alike; vendors' names may stand before ("NVIDIA A100-SXM4-80GB").
  [[nodiscard]] Match find(Kind kind, std::string_view name) const;

  /// The file of an entry, checked for its id and its sources.
  [[nodiscard]] std::optional<YamlNode> load(const Entry& entry, Diagnostics& problems) const;

  /// What stands at `r`: a name of the catalogue, a path to a file, or a map written inline, in which `base:
  /// NAME` lays it over an entry. Notes what an inexact name was taken for.
  [[nodiscard]] std::optional<YamlNode> resolve(Kind kind, const Reader& r) const;

 private:
  [[nodiscard]] std::optional<Entry> find_id(Kind kind, const std::string& folded) const;
  /// Throws InputError for a broken table, or an alias that leads nowhere.
  [[nodiscard]] std::optional<Entry> find_alias(Kind kind, const std::string& folded) const;
  /// The entry whose `name:` it is, or those whose names it ends.
  [[nodiscard]] std::vector<Entry> named(const std::vector<Entry>& all, const std::string& folded) const;

  std::vector<std::string> roots_;
};

/// Reads `out` from what stands at `r`, see Catalog::resolve. `extra` goes to read().
template <class Spec, class... Extra>
void read_reference(const Reader& r, Kind kind, const Catalog& catalog, Spec& out, const Extra&... extra) {
  const auto tree = catalog.resolve(kind, r);
  if (!tree) return;
  const bool inline_map = r.is_map();
  read(Reader(*tree, inline_map ? r.path() : std::string(row_of(kind).name), r.problems()), out, extra...);
}

}  // namespace stepcast::hardware
