// `show`: every number of one catalogue file with its unit, source and date. The file is read by its loader
// first, so that what is shown is what the simulator takes.

#include <algorithm>
#include <variant>

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

/// One value of the file. `unit` is empty for texts and bare numbers.
struct Row {
  std::string key;
  std::string value;
  std::string unit;
  Sources sources;
};

struct ValueAndUnit {
  std::string value;
  std::string unit;
};

/// "2039 GB/s" as 2039 and GB/s.
ValueAndUnit split_unit(const YamlNode& node) {
  const std::size_t space = node.scalar.find(' ');
  if (node.quoted || space == std::string::npos || !hardware::is_number(node)) return {node.scalar, ""};
  return {node.scalar.substr(0, space), node.scalar.substr(node.scalar.find_first_not_of(' ', space))};
}

bool is_range(const YamlNode& node) {
  return node.kind == YamlNode::Kind::map && node.find("low") != nullptr && node.find("high") != nullptr;
}

std::string range_text(const YamlNode& range) {
  std::string text =
      fmt::format("{} to {}", range.find("low")->value.scalar, range.find("high")->value.scalar);
  if (const YamlEntry* typical = range.find("typical"))
    text += fmt::format(", typically {}", typical->value.scalar);
  return text;
}

/// A value on one line: lists in brackets, maps as "key value, key value".
std::string flow_text(const YamlNode& node) {
  if (is_range(node)) return range_text(node);
  std::vector<std::string> parts;
  for (const YamlNode& item : node.items) parts.push_back(flow_text(item));
  for (const YamlEntry& entry : node.entries) {
    if (entry.key.scalar != "source")
      parts.push_back(fmt::format("{} {}", entry.key.scalar, flow_text(entry.value)));
  }
  if (node.kind == YamlNode::Kind::scalar) return node.scalar;
  return node.kind == YamlNode::Kind::sequence ? fmt::format("[{}]", join(parts)) : join(parts);
}

Sources sources_in(const YamlNode& map) {
  Sources sources;
  Diagnostics reported_by_loader;
  if (const YamlEntry* entry = map.find("source")) {
    read(Reader(entry->value, {}, reported_by_loader), sources);
  }
  return sources;
}

bool holds_number(const YamlNode& node) {
  return hardware::is_number(node) || std::any_of(node.items.begin(), node.items.end(), holds_number) ||
         std::any_of(node.entries.begin(), node.entries.end(),
                     [](const YamlEntry& entry) { return holds_number(entry.value); });
}

bool is_list_of_maps(const YamlNode& node) {
  return !node.items.empty() && std::all_of(node.items.begin(), node.items.end(),
                                            [](const YamlNode& item) { return !item.entries.empty(); });
}

/// Adds the rows of `map`. `inherited` are the sources of the mapping around it, for what it leaves
/// unsourced.
void add_rows(const YamlNode& map, const std::string& path, const Sources& inherited,
              std::vector<Row>& rows) {
  Sources own = sources_in(map);
  for (const YamlEntry& entry : map.entries) {
    const std::string& key = entry.key.scalar;
    if (key == "source") continue;
    const std::string full = path.empty() ? key : path + "." + key;
    const YamlNode& value = entry.value;
    Sources here = own.empty() ? inherited : hardware::sources_of(own, key);
    if (value.kind == YamlNode::Kind::map && !is_range(value)) {
      add_rows(value, full, here, rows);
    } else if (is_list_of_maps(value)) {
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        Sources of_item = sources_in(value.items[i]);
        rows.push_back({fmt::format("{}[{}]", full, i), flow_text(value.items[i]), "",
                        of_item.empty() ? here : of_item});
      }
    } else {
      const auto [text, unit] =
          value.kind == YamlNode::Kind::scalar ? split_unit(value) : ValueAndUnit{flow_text(value), ""};
      rows.push_back({full, text, unit, holds_number(value) ? here : Sources{}});
    }
  }
}

std::string status(const Source& source) {
  return source.unverified() ? "unverified" : std::string(enum_name(source.kind));
}

std::string as_text(const std::vector<Row>& rows, const std::string& file) {
  std::vector<Source> notes;
  const auto number_of = [&](Source source) {
    source.of.clear();
    const auto found = std::find(notes.begin(), notes.end(), source);
    if (found != notes.end()) return found - notes.begin() + 1;
    notes.push_back(source);
    return static_cast<std::ptrdiff_t>(notes.size());
  };
  Table table{{"", "", "", ""}, {}, {}};
  for (const Row& row : rows) {
    std::string refs;
    std::string dates;
    for (const Source& source : row.sources) {
      refs += fmt::format("[{}]", number_of(source));
      if (dates.empty()) dates = fmt::format("{} {}", to_text(source.date), status(source));
    }
    table.rows.push_back({row.key, row.unit.empty() ? row.value : row.value + " " + row.unit, dates, refs});
  }
  // Long texts would push the columns apart: they go below the numbers.
  std::string long_texts;
  std::erase_if(table.rows, [&](const std::vector<std::string>& cells) {
    if (cells[1].size() <= 24) return false;
    long_texts += fmt::format("{}: {}{}\n", cells[0], cells[1],
                              cells[3].empty() ? "" : fmt::format("  ({} {})", cells[2], cells[3]));
    return true;
  });
  std::string text = to_plain(table);
  if (!long_texts.empty()) text += "\n" + long_texts;
  if (!notes.empty()) text += "\nSources\n";
  for (std::size_t i = 0; i < notes.size(); ++i) {
    text += fmt::format(
        "[{}] {}, {}, {}\n", i + 1, notes[i].document, to_text(notes[i].date),
        notes[i].unverified() ? "unverified: quoted from memory" : std::string(enum_name(notes[i].kind)));
  }
  return text + fmt::format("\nFile: {}\n", file);
}

std::string as_json(const std::vector<Row>& rows, const hardware::Entry& entry) {
  nlohmann::json values = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json sources = nlohmann::json::array();
    for (const Source& s : row.sources) {
      sources.push_back({{"document", s.document}, {"date", to_text(s.date)}, {"status", status(s)}});
    }
    nlohmann::json value = {{"key", row.key}, {"value", row.value}, {"sources", sources}};
    if (!row.unit.empty()) value["unit"] = row.unit;
    values.push_back(std::move(value));
  }
  const nlohmann::json all = {{"schema_version", 1},
                              {"kind", hardware::row_of(entry.kind).name},
                              {"id", entry.id},
                              {"file", entry.file},
                              {"values", values}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string as_csv(const std::vector<Row>& rows) {
  Table table{{"key", "value", "unit", "status", "date", "source"}, {}, {}};
  for (const Row& row : rows) {
    std::vector<std::string> documents;
    for (const Source& s : row.sources) documents.push_back(s.document);
    const bool sourced = !row.sources.empty();
    table.rows.push_back({row.key, row.value, row.unit, sourced ? status(row.sources[0]) : "",
                          sourced ? to_text(row.sources[0].date) : "", join(documents, "; ")});
  }
  return to_csv(table);
}

}  // namespace

int run_show(const Invocation& call) {
  const hardware::Kind kind = kind_named(call.positionals[0]);
  const hardware::Catalog catalog = open_catalog(call);
  Diagnostics problems;
  YamlNode name;
  name.kind = YamlNode::Kind::scalar;
  name.scalar = call.positionals[1];
  const auto tree = catalog.resolve(kind, Reader(name, {}, problems));
  if (tree) hardware::check(kind, *tree, catalog, problems);
  problems.throw_if_errors();
  print_diagnostics(problems);
  std::vector<Row> rows;
  add_rows(*tree, {}, {}, rows);
  const YamlEntry* id = tree->find(hardware::row_of(kind).name);
  const hardware::Entry entry{kind, id->value.scalar, tree->where().file};
  const std::string format = call.get("format", "text");
  write_result(call, format == "json"  ? as_json(rows, entry)
                     : format == "csv" ? as_csv(rows)
                                       : as_text(rows, entry.file));
  return kDone;
}

}  // namespace stepcast::tools
