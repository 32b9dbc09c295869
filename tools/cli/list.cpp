// `list`: the kinds of the catalogue, or all entries of one kind with their main figures.

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "hardware/fabric.hpp"
#include "hardware/load.hpp"
#include "hardware/node.hpp"
#include "hardware/price.hpp"
#include "hardware/storage.hpp"
#include "tools/cli/commands.hpp"
#include "tools/report/table.hpp"

namespace stepcast::tools {
namespace {

using namespace hardware;  // NOLINT: every name here is a spec of that floor

using Cells = std::vector<std::string>;

std::string gpu_peak(const GpuSpec& gpu) {
  for (const RateKind kind : {RateKind::bf16_tensor_acc32, RateKind::fp16_tensor_acc32, RateKind::fp16_vector,
                              RateKind::fp32_vector}) {
    const auto rate = gpu.dense.find(kind);
    if (rate != gpu.dense.end()) return fmt::format("{} {}", to_short_text(rate->second), enum_name(kind));
  }
  return "";
}

Cells cells(const GpuSpec& gpu) {
  return {gpu.id,
          gpu.name,
          to_short_text(gpu.memory.capacity()),
          to_short_text(gpu.memory.bandwidth),
          gpu_peak(gpu),
          gpu.gpu_link ? fmt::format("{} x {}", gpu.gpu_link->count, gpu.gpu_link->link) : "",
          gpu.power ? to_short_text(gpu.power->limit) : ""};
}

Cells cells(const LinkSpec& link) {
  return {link.id,
          link.name,
          std::string(enum_name(link.kind)),
          to_short_text(link.per_direction),
          std::string(enum_name(link.duplex)),
          to_short_text(link.latency)};
}

Cells cells(const SystemSpec& system) {
  std::string nics;
  if (system.nics) {
    nics = fmt::format("{} x {:g} Gb/s {}", system.nics->count, system.nics->rate.base() * 8e-9,
                       enum_name(system.nics->kind));
  }
  return {system.id, system.name, std::to_string(system.gpus), system.gpu.id, nics, system.fabric};
}

Cells cells(const FabricSpec& fabric) {
  return {fabric.id,
          fabric.name,
          std::string(enum_name(fabric.network)),
          fmt::format("{:g} Gb/s", fabric.port.rate.base() * 8e-9),
          std::string(enum_name(fabric.topology)),
          to_short_text(fabric.port.latency)};
}

Cells cells(const StorageSpec& storage) {
  const auto rates = storage.client ? storage.client : storage.server ? storage.server : storage.aggregate;
  const auto typical = [](const std::optional<Range<Bandwidth>>& rate) {
    return rate ? to_short_text(rate->typical) : std::string();
  };
  const std::string_view scope = storage.client ? "client" : storage.server ? "server" : "aggregate";
  return {storage.id,         storage.name,         std::string(enum_name(storage.kind)),
          std::string(scope), typical(rates->read), typical(rates->write)};
}

Cells cells(const PriceSpec& price) {
  const auto quote = [&](Terms terms) -> std::string {
    const auto found = std::find_if(price.quotes.begin(), price.quotes.end(),
                                    [&](const Quote& q) { return q.terms == terms; });
    return found == price.quotes.end() ? ""
                                       : to_short_text(AnyQuantity{found->price.typical, price_dim(terms)});
  };
  return {price.id,
          std::string(enum_name(price.of)),
          std::to_string(price.quotes.size()),
          quote(Terms::purchase),
          quote(Terms::on_demand),
          quote(Terms::spot)};
}

Cells headings(Kind kind) {
  switch (kind) {
    case Kind::gpu: return {"id", "name", "memory", "bandwidth", "dense peak", "links", "power"};
    case Kind::link: return {"id", "name", "kind", "per direction", "duplex", "latency"};
    case Kind::system: return {"id", "name", "gpus", "gpu", "network", "fabric"};
    case Kind::fabric: return {"id", "name", "network", "port", "topology", "latency"};
    case Kind::storage: return {"id", "name", "kind", "of one", "read", "write"};
    case Kind::price: return {"id", "of", "quotes", "purchase", "first on demand", "first spot"};
  }
  return {};
}

template <class Spec, class... Extra>
Cells read_cells(const YamlNode& tree, Diagnostics& problems, const Extra&... extra) {
  Spec spec;
  read(Reader(tree, {}, problems), spec, extra...);
  return problems.has_errors() ? Cells{} : cells(spec);
}

Cells row_cells(Kind kind, const YamlNode& tree, const Catalog& catalog, Diagnostics& problems) {
  switch (kind) {
    case Kind::gpu: return read_cells<GpuSpec>(tree, problems);
    case Kind::link: return read_cells<LinkSpec>(tree, problems);
    case Kind::system: return read_cells<SystemSpec>(tree, problems, catalog);
    case Kind::fabric: return read_cells<FabricSpec>(tree, problems);
    case Kind::storage: return read_cells<StorageSpec>(tree, problems);
    case Kind::price: return read_cells<PriceSpec>(tree, problems);
  }
  return {};
}

Table table_of(Kind kind, const Catalog& catalog) {
  Table table{headings(kind), {}, {}};
  Diagnostics problems;
  for (const Entry& entry : catalog.entries(kind)) {
    if (const auto tree = catalog.load(entry, problems))
      table.rows.push_back(row_cells(kind, *tree, catalog, problems));
  }
  problems.throw_if_errors();
  return table;
}

Table table_of_kinds(const Catalog& catalog) {
  Table table{{"kind", "entries", "what"}, {}, {false, true}};
  for (const KindRow& row : kinds()) {
    table.rows.push_back(
        {std::string(row.name), std::to_string(catalog.entries(row.kind).size()), std::string(row.help)});
  }
  return table;
}

std::string as_json(const Table& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Cells& row : table.rows) {
    nlohmann::json object;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string key = table.columns[i];
      std::replace(key.begin(), key.end(), ' ', '_');
      object[key] = row[i];
    }
    rows.push_back(std::move(object));
  }
  const nlohmann::json all = {{"schema_version", 1}, {"rows", rows}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

hardware::Kind kind_named(const std::string& word) {
  Cells names;
  for (const KindRow& row : kinds()) {
    if (word == row.name || word == row.folder) return row.kind;
    names.emplace_back(row.name);
  }
  const std::string near = nearest(word, names);
  throw UsageError(
      fmt::format("unknown kind '{}'; {}", word,
                  near.empty() ? "write one of: " + join(names) : fmt::format("did you mean {}?", near)));
}

int run_list(const Invocation& call) {
  const bool one_kind = !call.positionals.empty();
  const std::optional<Kind> kind = one_kind ? std::optional(kind_named(call.positionals[0])) : std::nullopt;
  const Catalog catalog = open_catalog(call);
  const Table table = kind ? table_of(*kind, catalog) : table_of_kinds(catalog);
  const std::string format = call.get("format", "text");
  write_result(call, format == "json" ? as_json(table) : format == "csv" ? to_csv(table) : to_plain(table));
  return kDone;
}

}  // namespace stepcast::tools
