// `list`: the kinds of the catalogue, or all entries of one kind with their main figures.

#include <algorithm>
#include <optional>

#include <fmt/core.h>

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

using Cells = std::vector<Cell>;

template <Dim D>
Cell cell(Quantity<D> quantity) {
  return {to_short_text(quantity), quantity.base()};
}
Cell cell(int count) { return {std::to_string(count), static_cast<double>(count)}; }
template <class E>
Cell name_cell(E value) {
  return std::string(enum_name(value));
}
/// Networks are sold by the bit.
std::string bits_text(Bandwidth rate) { return fmt::format("{:g} Gb/s", rate / 1_Gbps); }

const std::vector<Column> kGpuColumns = {{"id", "id"},
                                         {"name", "name"},
                                         {"memory", "memory_bytes"},
                                         {"", "memory_usable_known"},
                                         {"bandwidth", "bandwidth_bytes_per_s"},
                                         {"dense peak", "dense_peak_flop_per_s"},
                                         {"of", "dense_peak_kind"},
                                         {"links", "gpu_links"},
                                         {"", "gpu_link"},
                                         {"power", "power_limit_w"}};

Cells cells(const GpuSpec& gpu) {
  Cells row = {gpu.id, gpu.name};
  const bool known = gpu.memory.usable.has_value();
  row.push_back(
      {to_short_text(gpu.memory.capacity()) + (known ? "" : " (label)"), gpu.memory.capacity().base()});
  row.emplace_back(known ? "true" : "false");
  row.push_back(cell(gpu.memory.bandwidth));
  // the rate that mixed-precision training uses, or the fastest vector rate where there are no tensor cores
  auto peak = gpu.dense.find(RateKind::bf16_tensor_acc32);
  if (peak == gpu.dense.end()) peak = gpu.dense.find(RateKind::fp16_tensor_acc32);
  if (peak == gpu.dense.end()) {
    peak = std::max_element(gpu.dense.begin(), gpu.dense.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
  }
  row.push_back(cell(peak->second));
  row.push_back(name_cell(peak->first));
  row.push_back(gpu.gpu_link ? Cell(fmt::format("{} x {}", gpu.gpu_link->count, gpu.gpu_link->link),
                                    gpu.gpu_link->count)
                             : Cell(""));
  row.emplace_back(gpu.gpu_link ? gpu.gpu_link->link : "");
  row.push_back(gpu.power ? cell(gpu.power->limit) : Cell(""));
  return row;
}

const std::vector<Column> kLinkColumns = {
    {"id", "id"},         {"name", "name"},
    {"kind", "kind"},     {"per direction", "bytes_per_s_per_direction"},
    {"duplex", "duplex"}, {"latency", "latency_s"}};

Cells cells(const LinkSpec& link) {
  return {
      link.id,           link.name, name_cell(link.kind), cell(link.per_direction), name_cell(link.duplex),
      cell(link.latency)};
}

const std::vector<Column> kSystemColumns = {{"id", "id"},           {"name", "name"},
                                            {"gpus", "gpus"},       {"gpu", "gpu"},
                                            {"nics", "nics"},       {"each", "nic_bytes_per_s"},
                                            {"network", "network"}, {"fabric", "fabric"}};

Cells cells(const SystemSpec& system) {
  Cells row = {system.id, system.name, cell(system.gpus), system.gpu.id};
  if (system.nics) {
    row.insert(row.end(),
               {cell(system.nics->count), Cell(bits_text(system.nics->rate), system.nics->rate.base()),
                name_cell(system.nics->kind)});
  } else {
    row.insert(row.end(), 3, Cell(""));
  }
  row.emplace_back(system.fabric);
  return row;
}

const std::vector<Column> kFabricColumns = {{"id", "id"},
                                            {"name", "name"},
                                            {"network", "network"},
                                            {"port", "port_bytes_per_s"},
                                            {"topology", "topology"},
                                            {"latency", "latency_s"}};

Cells cells(const FabricSpec& fabric) {
  return {fabric.id,
          fabric.name,
          name_cell(fabric.network),
          {bits_text(fabric.port.rate), fabric.port.rate.base()},
          name_cell(fabric.topology),
          cell(fabric.port.latency)};
}

/// "3 GB/s" or "3 to 20 GB/s", then its ends as numbers.
template <class T>
Cells range_cells(const std::optional<Range<T>>& range) {
  if (!range) return {"", "", ""};
  const bool one = range->low == range->high;
  const std::string text = to_short_text(range->low) + (one ? "" : " to " + to_short_text(range->high));
  return {text, {"", range->low.base()}, {"", range->high.base()}};
}

const std::vector<Column> kStorageColumns = {{"id", "id"},
                                             {"name", "name"},
                                             {"kind", "kind"},
                                             {"of one", "scope"},
                                             {"read", "read"},
                                             {"", "read_low_bytes_per_s"},
                                             {"", "read_high_bytes_per_s"},
                                             {"write", "write"},
                                             {"", "write_low_bytes_per_s"},
                                             {"", "write_high_bytes_per_s"}};

Cells cells(const StorageSpec& storage) {
  const auto rates = storage.client ? storage.client : storage.server ? storage.server : storage.aggregate;
  const std::string_view scope = storage.client ? "client" : storage.server ? "server" : "aggregate";
  Cells row = {storage.id, storage.name, name_cell(storage.kind), std::string(scope)};
  for (const auto& range : {range_cells(rates->read), range_cells(rates->write)})
    row.insert(row.end(), range.begin(), range.end());
  return row;
}

const std::vector<Column> kPriceColumns = {{"id", "id"},
                                           {"of", "of"},
                                           {"quotes", "quotes"},
                                           {"purchase", "purchase"},
                                           {"", "purchase_low_usd"},
                                           {"", "purchase_high_usd"},
                                           {"on demand", "on_demand"},
                                           {"", "on_demand_low_usd_per_h"},
                                           {"", "on_demand_high_usd_per_h"},
                                           {"spot", "spot"},
                                           {"", "spot_low_usd_per_h"},
                                           {"", "spot_high_usd_per_h"}};

/// From the lowest to the highest quote under these terms.
Cells price_cells(const PriceSpec& price, Terms terms) {
  std::optional<Range<double>> all;
  for (const Quote& quote : price.quotes) {
    if (quote.terms != terms) continue;
    if (!all) all = quote.price;
    all->low = std::min(all->low, quote.price.low);
    all->high = std::max(all->high, quote.price.high);
  }
  if (!all) return {"", "", ""};
  const double hour = terms == Terms::purchase ? 1.0 : 3600.0;
  const std::string low = to_short_text(AnyQuantity{all->low, price_dim(terms)});
  const std::string high = to_short_text(AnyQuantity{all->high, price_dim(terms)});
  return {low == high ? low : low.substr(0, low.find(' ')) + " to " + high,
          {"", all->low * hour},
          {"", all->high * hour}};
}

Cells cells(const PriceSpec& price) {
  Cells row = {price.id, name_cell(price.of), cell(static_cast<int>(price.quotes.size()))};
  for (const Terms terms : {Terms::purchase, Terms::on_demand, Terms::spot}) {
    const Cells of_terms = price_cells(price, terms);
    row.insert(row.end(), of_terms.begin(), of_terms.end());
  }
  return row;
}

template <class Spec, class... Extra>
std::optional<Cells> read_cells(const Reader& r, const Extra&... extra) {
  Spec spec;
  read(r, spec, extra...);
  return r.problems().has_errors() ? std::nullopt : std::optional(cells(spec));
}

std::optional<Cells> row_cells(Kind kind, const Reader& r, const Catalog& catalog) {
  switch (kind) {
    case Kind::gpu: return read_cells<GpuSpec>(r);
    case Kind::link: return read_cells<LinkSpec>(r);
    case Kind::system: return read_cells<SystemSpec>(r, catalog);
    case Kind::fabric: return read_cells<FabricSpec>(r);
    case Kind::storage: return read_cells<StorageSpec>(r);
    case Kind::price: return read_cells<PriceSpec>(r);
  }
  return std::nullopt;
}

const std::vector<Column>& columns_of(Kind kind) {
  switch (kind) {
    case Kind::gpu: return kGpuColumns;
    case Kind::link: return kLinkColumns;
    case Kind::system: return kSystemColumns;
    case Kind::fabric: return kFabricColumns;
    case Kind::storage: return kStorageColumns;
    case Kind::price: break;
  }
  return kPriceColumns;
}

/// All entries that can be read; what is wrong with the others goes to `problems`.
Table table_of(Kind kind, const Catalog& catalog, Diagnostics& problems) {
  Table table{columns_of(kind), {}};
  for (const Entry& entry : catalog.entries(kind)) {
    Diagnostics own;
    if (const auto tree = catalog.load(entry, own)) {
      if (auto row = row_cells(kind, Reader(*tree, {}, own), catalog)) table.rows.push_back(*std::move(row));
    }
    for (const Diagnostic& d : own.sorted()) {
      if (d.severity == Severity::error)
        problems.add(d);  // warnings are for `show`; the table marks what it can
    }
  }
  return table;
}

Table table_of_kinds(const Catalog& catalog) {
  Table table{{{"kind", "kind"}, {"entries", "entries"}, {"what", "what"}}, {}};
  for (const KindRow& row : kinds()) {
    table.rows.push_back({std::string(row.name), cell(static_cast<int>(catalog.entries(row.kind).size())),
                          std::string(row.help)});
  }
  return table;
}

/// Without the columns that are only for scripts.
Table for_people(const Table& table) {
  Table narrow;
  narrow.rows.resize(table.rows.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].heading.empty()) continue;
    narrow.columns.push_back(table.columns[i]);
    for (std::size_t n = 0; n < table.rows.size(); ++n) narrow.rows[n].push_back(table.rows[n][i]);
  }
  return narrow;
}

}  // namespace

hardware::Kind kind_named(const std::string& word) {
  for (const KindRow& row : kinds()) {
    if (to_lower(word) == row.name || to_lower(word) == row.folder) return row.kind;
  }
  const std::vector<std::string> names = names_of(kinds());
  const std::string near = nearest(word, names);
  throw UsageError(
      fmt::format("unknown kind '{}'; {}", word,
                  near.empty() ? "write one of: " + join(names) : fmt::format("did you mean {}?", near)));
}

int run_list(const Invocation& call) {
  const std::optional<Kind> kind =
      call.positionals.empty() ? std::nullopt : std::optional(kind_named(call.positionals[0]));
  const Catalog catalog = open_catalog(call);
  Diagnostics problems;
  const Table table = kind ? table_of(*kind, catalog, problems) : table_of_kinds(catalog);
  write_result(call, call.format == "json"  ? to_json(table)
                     : call.format == "csv" ? to_csv(table)
                                            : to_plain(for_people(table)));
  print_diagnostics(problems);
  return problems.has_errors() ? kInvalidInput : kDone;
}

}  // namespace stepcast::tools
