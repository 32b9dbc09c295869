// `show`: every number of one catalogue file with its unit, source and date. The file is read by its loader
// first, so that what is shown is what the simulator takes.

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "hardware/load.hpp"
#include "hardware/source.hpp"
#include "tools/cli/commands.hpp"
#include "tools/report/table.hpp"

namespace stepcast::tools {
namespace {

using hardware::Source;
using hardware::Sources;
using Kind = YamlNode::Kind;

/// One value of the file.
struct Row {
  std::string key;
  const YamlNode* value = nullptr;  ///< a scalar, or for people also a range or a list of scalars
  Sources sources;
};

/// A list of maps, for people: one table.
struct Block {
  std::string key;
  const YamlNode* list = nullptr;
  Sources sources;  ///< of rows that have none
};

struct Rows {
  std::vector<Row> rows;
  std::vector<Block> blocks;
};

bool is_range(const YamlNode& node) {
  return node.kind == Kind::map && node.find("low") != nullptr && node.find("high") != nullptr;
}

bool is_list_of_maps(const YamlNode& node) {
  return !node.items.empty() && std::all_of(node.items.begin(), node.items.end(),
                                            [](const YamlNode& item) { return item.kind == Kind::map; });
}

bool holds_number(const YamlNode& node) {
  return hardware::is_number(node) || std::any_of(node.items.begin(), node.items.end(), holds_number) ||
         std::any_of(node.entries.begin(), node.entries.end(),
                     [](const YamlEntry& entry) { return holds_number(entry.value); });
}

std::string flow_text(const YamlNode& node) {
  if (node.kind == Kind::scalar) return node.scalar;
  if (is_range(node)) {
    const YamlEntry* typical = node.find("typical");
    return fmt::format("{} to {}{}", node.find("low")->value.scalar, node.find("high")->value.scalar,
                       typical == nullptr ? "" : ", typically " + typical->value.scalar);
  }
  std::vector<std::string> parts;
  for (const YamlNode& item : node.items) parts.push_back(flow_text(item));
  return node.items.empty() ? "" : fmt::format("[{}]", join(parts, ", "));
}

Sources sources_in(const YamlNode& map, const Sources& otherwise) {
  const YamlEntry* entry = map.find("source");
  if (entry == nullptr) return otherwise;
  Sources sources;
  Diagnostics reported_by_loader;
  read(Reader(entry->value, {}, reported_by_loader), sources);
  return sources;
}

/// Adds what `node` holds, where `sources` stand behind it. For people, ranges and lists of scalars are one
/// value and lists of maps a block; for scripts (`flat`) every scalar is a row of its own.
void add_rows(const YamlNode& node, const std::string& path, const Sources& sources, bool flat, Rows& out) {
  if (node.kind == Kind::map && (flat || !is_range(node))) {
    const bool has_own = node.find("source") != nullptr;
    const Sources own = sources_in(node, sources);
    for (const YamlEntry& entry : node.entries) {
      const std::string& key = entry.key.scalar;
      if (key == "source") continue;
      const std::string full = path.empty() ? key : path + "." + key;
      add_rows(entry.value, full, has_own ? hardware::sources_of(own, key) : own, flat, out);
    }
  } else if (!flat && is_list_of_maps(node)) {
    out.blocks.push_back({path, &node, sources});
  } else if (flat && node.kind == Kind::sequence) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      add_rows(node.items[i], fmt::format("{}[{}]", path, i), sources, flat, out);
    }
  } else {
    out.rows.push_back({path, &node, holds_number(node) ? sources : Sources{}});
  }
}

/// A value is worth what its weakest source is.
const Source* weakest(const Sources& sources) {
  const auto found = std::max_element(sources.begin(), sources.end(),
                                      [](const Source& a, const Source& b) { return a.kind < b.kind; });
  return found == sources.end() ? nullptr : &*found;
}

std::string status(const Source& source) {
  return source.unverified() ? "unverified" : std::string(enum_name(source.kind));
}

/// Numbers the sources in the order in which they are met.
class Notes {
 public:
  std::string refs(const Sources& sources) {
    std::string text;
    for (Source source : sources) {
      source.of.clear();
      auto found = std::find(notes_.begin(), notes_.end(), source);
      if (found == notes_.end()) found = notes_.insert(notes_.end(), source);
      text += fmt::format("[{}]", found - notes_.begin() + 1);
    }
    return text;
  }

  [[nodiscard]] std::string list() const {
    std::string text = notes_.empty() ? "" : "\nSources\n";
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      const std::string worth = notes_[i].unverified() ? "unverified: quoted from memory" : status(notes_[i]);
      text += fmt::format("[{}] {}, {}, {}\n", i + 1, printable(notes_[i].document), to_text(notes_[i].date),
                          worth);
    }
    return text;
  }

 private:
  std::vector<Source> notes_;
};

std::string worth(const Sources& sources) {
  const Source* source = weakest(sources);
  return source == nullptr ? "" : fmt::format("{} {}", to_text(source->date), status(*source));
}

/// The keys of all rows as columns, then what the rows are worth.
std::string block_text(const Block& block, Notes& notes) {
  Table table;
  for (const YamlNode& item : block.list->items) {
    for (const YamlEntry& entry : item.entries) {
      const bool known = std::any_of(table.columns.begin(), table.columns.end(),
                                     [&](const Column& c) { return c.key == entry.key.scalar; });
      if (!known && entry.key.scalar != "source")
        table.columns.push_back({entry.key.scalar, entry.key.scalar});
    }
  }
  for (const YamlNode& item : block.list->items) {
    std::vector<Cell>& row = table.rows.emplace_back();
    for (const Column& column : table.columns) {
      const YamlEntry* entry = item.find(column.key);
      row.emplace_back(entry == nullptr ? "" : flow_text(entry->value));
    }
    const Sources sources = sources_in(item, block.sources);
    row.emplace_back(worth(sources));
    row.emplace_back(notes.refs(sources));
  }
  table.columns.insert(table.columns.end(), {{"source", ""}, {"", ""}});
  return fmt::format("\n{}\n{}", block.key, to_plain(table));
}

std::string as_text(const Rows& all, const hardware::Entry& entry) {
  constexpr std::size_t kWide = 40;  // longer texts would push the columns apart: they stand below
  Notes notes;
  Table table{{{"", ""}, {"", ""}, {"", ""}, {"", ""}}, {}};
  std::string below;
  for (const Row& row : all.rows) {
    const std::string text = flow_text(*row.value);
    const bool first = table.rows.size() < 2;  // id and name
    if (!first && text.size() > kWide) {
      const std::string refs = notes.refs(row.sources);
      below += fmt::format("\n{}: {}{}\n", row.key, printable(text),
                           refs.empty() ? "" : fmt::format("  ({} {})", worth(row.sources), refs));
    } else {
      table.rows.push_back({row.key, text, worth(row.sources), notes.refs(row.sources)});
    }
  }
  std::string text = to_plain(table);
  for (const Block& block : all.blocks) text += block_text(block, notes);
  if (entry.kind == hardware::Kind::system) below += fmt::format("\nLinks: stepcast topology {}\n", entry.id);
  return text + below + notes.list() + fmt::format("\nFile: {}\n", entry.file);
}

/// A number or a truth value as such, everything else as text.
nlohmann::json json_value(const YamlNode& node) {
  const auto [number, unit] = split_quantity(node.scalar);
  const auto parsed = parse_number(number);
  if (!node.quoted && std::holds_alternative<double>(parsed)) return std::get<double>(parsed);
  if (!node.quoted && (node.scalar == "true" || node.scalar == "false")) return node.scalar == "true";
  return node.scalar;
}

std::string as_json(const Rows& all, const hardware::Entry& entry) {
  nlohmann::json values = nlohmann::json::array();
  for (const Row& row : all.rows) {
    nlohmann::json value = {{"key", row.key}, {"value", json_value(*row.value)}};
    const auto unit = split_quantity(row.value->scalar).unit;
    if (!unit.empty()) value["unit"] = std::string(unit);
    if (const Source* source = weakest(row.sources)) value["status"] = status(*source);
    value["sources"] = nlohmann::json::array();
    for (const Source& s : row.sources) {
      value["sources"].push_back(
          {{"document", s.document}, {"date", to_text(s.date)}, {"status", status(s)}});
    }
    values.push_back(std::move(value));
  }
  const nlohmann::json result = {{"schema_version", 1},
                                 {"kind", hardware::row_of(entry.kind).name},
                                 {"id", entry.id},
                                 {"file", entry.file},
                                 {"values", values}};
  return result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string as_csv(const Rows& all) {
  Table table{{{"", "key"}, {"", "value"}, {"", "unit"}, {"", "status"}, {"", "date"}, {"", "source"}}, {}};
  for (const Row& row : all.rows) {
    const auto [number, unit] = split_quantity(row.value->scalar);
    std::vector<std::string> documents;
    for (const Source& s : row.sources) documents.push_back(s.document);
    const Source* source = weakest(row.sources);
    table.rows.push_back({row.key, std::string(number), std::string(unit),
                          source != nullptr ? status(*source) : "",
                          source != nullptr ? to_text(source->date) : "", join(documents, "; ")});
  }
  return to_csv(table);
}

/// A file given by its path may lean on the catalogue that it lies in.
Invocation with_catalog_of_file(Invocation call, hardware::Kind kind) {
  const std::string& name = call.positionals[1];
  const std::size_t file = name.rfind('/');
  const std::string folder = "/" + std::string(hardware::row_of(kind).folder);
  if (file == std::string::npos || !("/" + name.substr(0, file)).ends_with(folder)) return call;
  const std::string root = file > folder.size() ? name.substr(0, file - folder.size()) : ".";
  call.options["catalog"].push_back(root.empty() ? "/" : root);
  return call;
}

}  // namespace

int run_show(const Invocation& call) {
  const hardware::Kind kind = kind_named(call.positionals[0]);
  const hardware::Catalog catalog = open_catalog(with_catalog_of_file(call, kind));
  Diagnostics problems;
  YamlNode name;
  name.kind = Kind::scalar;
  name.scalar = call.positionals[1];
  if (name.scalar.empty()) throw UsageError("show: the name is empty");
  const auto tree = catalog.resolve(kind, Reader(name, {}, problems));
  if (tree) hardware::check(kind, *tree, catalog, problems);
  problems.throw_if_errors();
  print_diagnostics(problems);
  Rows rows;
  add_rows(*tree, {}, {}, call.format != "text", rows);
  const YamlEntry* id = tree->find(hardware::row_of(kind).name);
  const hardware::Entry entry{kind, id->value.scalar, tree->where().file};
  write_result(call, call.format == "json"  ? as_json(rows, entry)
                     : call.format == "csv" ? as_csv(rows)
                                            : as_text(rows, entry));
  return kDone;
}

}  // namespace stepcast::tools
