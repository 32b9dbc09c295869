#include "hardware/cluster.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "hardware/catalog.hpp"
#include "hardware/fabric_plan.hpp"
#include "hardware/node_template.hpp"
#include "hardware/overrides.hpp"

namespace stepcast::hardware {
namespace {

constexpr int kMaxNodes = 1 << 20;
constexpr int kMaxGpus = 1 << 26;

constexpr std::array kLabels = {
    EnumName<Label>{"nvlink", Label::nvlink}, EnumName<Label>{"xgmi", Label::xgmi},
    EnumName<Label>{"c2c", Label::c2c},       EnumName<Label>{"pcie", Label::pcie},
    EnumName<Label>{"upi", Label::upi},       EnumName<Label>{"ethernet", Label::ethernet},
    EnumName<Label>{"ici", Label::ici},       EnumName<Label>{"ipu", Label::ipu},
    EnumName<Label>{"memory", Label::memory}, EnumName<Label>{"nic", Label::nic},
    EnumName<Label>{"fabric", Label::fabric}};

void add_group(const Reader& r, MapReader& m, const Catalog& catalog, ClusterSpec& cluster) {
  const auto system = m.find("system");
  const auto node = m.find("node");
  int nodes = 1;
  m.optional("nodes", nodes, Bounds{1, kMaxNodes});
  if (system.has_value() == node.has_value()) {
    r.error("one of `system` and `node` says which machine",
            "write system: dgx_h100, or node: {gpu: ..., ...}");
    return;
  }
  SystemSpec spec;
  read_reference(system ? *system : *node, Kind::system, catalog, spec, catalog);
  cluster.runs.push_back({cluster.variants.size(), nodes});
  cluster.variants.emplace_back(std::move(spec));
}

/// The plain tree of the NICs' own kind and rate; the first in the catalogue.
std::optional<std::string> usual_fabric(const Catalog& catalog, const NicSpec& nics) {
  for (const Entry& entry : catalog.entries(Kind::fabric)) {
    Diagnostics ignored;
    FabricSpec fabric;
    if (const auto tree = catalog.load(entry, ignored)) read(Reader(*tree, {}, ignored), fabric);
    if (!ignored.has_errors() && fabric.network == nics.kind && fabric.port.rate == nics.rate &&
        fabric.topology == FabricTopology::fat_tree) {
      return entry.id;
    }
  }
  return std::nullopt;
}

/// A fabric other than the machines' own brings NICs of its rate, as many as there were.
void take_fabric(const Reader& r, ClusterSpec& cluster) {
  for (NodeVariant& variant : cluster.variants) {
    SystemSpec& system = variant.system;
    if (!system.nics) {
      r.error(fmt::format("{} has no NICs to join a fabric with",
                          system.name.empty() ? "this node" : system.name),
              "add `nics:` to the node");
      continue;
    }
    if (system.nics->rate == cluster.fabric->port.rate && system.nics->kind == cluster.fabric->network)
      continue;
    r.problems().add(
        {Severity::note,
         r.node().where(),
         r.path(),
         fmt::format("the {} NICs of a node are taken as {:g} Gb/s {}", system.nics->count,
                     cluster.fabric->port.rate.base() * 8e-9, enum_name(cluster.fabric->network)),
         {}});
    system.nics->rate = cluster.fabric->port.rate;
    system.nics->kind = cluster.fabric->network;
  }
}

void read_named_fabric(const Reader& r, const std::string& name, const Catalog& catalog,
                       ClusterSpec& cluster) {
  YamlNode node = r.node();
  node.kind = YamlNode::Kind::scalar;
  node.scalar = name;
  read_reference(Reader(node, r.path(), r.problems()), Kind::fabric, catalog, cluster.fabric.emplace());
}

void read_fabric(MapReader& m, const Catalog& catalog, ClusterSpec& cluster) {
  const Reader& r = m.self();
  if (const auto given = m.find("fabric")) {
    read_reference(*given, Kind::fabric, catalog, cluster.fabric.emplace());
    if (!r.problems().has_errors()) take_fabric(*given, cluster);
    return;
  }
  if (cluster.nodes() < 2 || r.problems().has_errors()) return;
  const SystemSpec& first = cluster.variants.front().system;
  for (const NodeVariant& variant : cluster.variants) {
    if (variant.system.nics && first.nics && variant.system.nics->kind == first.nics->kind) continue;
    return r.error("these nodes share no network", "add `nics:` to the node, or `fabric: ib_ndr` or another");
  }
  std::string name = first.fabric;
  if (name.empty()) {
    const auto usual = usual_fabric(catalog, *first.nics);
    if (!usual) {
      return r.error(fmt::format("no fabric of {:g} Gb/s {} in the catalogue", first.nics->rate.base() * 8e-9,
                                 enum_name(first.nics->kind)),
                     "add `fabric:`; `stepcast list fabric` shows what there is");
    }
    name = *usual;
  }
  read_named_fabric(r, name, catalog, cluster);
}

/// Nodes and GPUs are counted in ints from here on.
bool fits_a_cluster(const Reader& r, const ClusterSpec& cluster) {
  std::int64_t nodes = 0;
  std::int64_t gpus = 0;
  for (const NodeRun& run : cluster.runs) {
    nodes += run.count;
    gpus += static_cast<std::int64_t>(run.count) * cluster.variants[run.variant].system.gpus;
  }
  if (nodes <= kMaxNodes && gpus <= kMaxGpus) return true;
  r.error(fmt::format("{} nodes with {} GPUs", nodes, gpus),
          fmt::format("at most {} and {}", kMaxNodes, kMaxGpus));
  return false;
}

/// Every GPU reaches every other one, and the fabric has room for the NICs.
void check_whole(const Reader& r, const ClusterSpec& cluster) {
  const bool several = cluster.nodes() > 1;
  for (const NodeVariant& variant : cluster.variants) {
    const std::string apart = cut_off(variant, several);
    if (!apart.empty()) r.error(fmt::format("nothing joins {}", apart), "add links to the node's graph");
    const bool memory = variant.system.graph.vertices.contains(VertexKind::socket);
    if (!variant.system.p2p && !memory)
      r.error("without peer access copies go through a host that is not there", "add a socket to the graph");
  }
  if (!several || !cluster.fabric) return;
  std::string problem;
  plan_fabric(cluster, problem);
  if (problem.empty()) return;
  const YamlEntry* given = r.node().find("fabric");
  const Reader at = given == nullptr ? r : Reader(given->value, r.path() + ".fabric", r.problems());
  at.error(problem, "name another fabric, or change its topology");
}

}  // namespace

std::span<const EnumName<Label>> enum_names(Label) { return kLabels; }

Label label_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink: return Label::nvlink;
    case LinkKind::xgmi: return Label::xgmi;
    case LinkKind::c2c: return Label::c2c;
    case LinkKind::pcie: return Label::pcie;
    case LinkKind::socket: return Label::upi;
    case LinkKind::ethernet: return Label::ethernet;
    case LinkKind::ici: return Label::ici;
    case LinkKind::ipu: return Label::ipu;
  }
  return Label::pcie;
}

NodeVariant::NodeVariant(SystemSpec spec)
    : system(std::move(spec)),
      edge_scale(system.graph.edges.size(), 1.0),
      cable_scale(system.nics ? static_cast<std::size_t>(system.nics->count) : 0, 1.0),
      gpu_scale(static_cast<std::size_t>(std::max(system.gpus, 0)), 1.0) {}

int ClusterSpec::nodes() const {
  int total = 0;
  for (const NodeRun& run : runs) total += run.count;
  return total;
}

int ClusterSpec::total_gpus() const {
  int total = 0;
  for (const NodeRun& run : runs) total += run.count * variants[run.variant].system.gpus;
  return total;
}

void read(const Reader& r, ClusterSpec& cluster, const Catalog& catalog) {
  r.map([&](MapReader& m) {
    if (const auto groups = m.find("groups")) {
      for (const char* key : {"system", "node", "nodes"}) {
        if (m.has(key)) m.error_at(key, "`groups` says which machines there are", "remove this key");
        m.allow(key);
      }
      if (groups->is_list() && groups->node().items.empty())
        groups->error("no groups", "write [{system: ..., nodes: 2}, ...]");
      for (const Reader& group : groups->list()) {
        group.map([&](MapReader& g) { add_group(group, g, catalog, cluster); });
      }
    } else {
      add_group(r, m, catalog, cluster);
    }
    if (cluster.variants.empty()) {
      for (const char* key : {"fabric", "overrides", "gpus"}) m.allow(key);
      return;
    }
    if (!fits_a_cluster(r, cluster)) {
      for (const char* key : {"fabric", "overrides", "gpus"}) m.allow(key);
      return;
    }
    read_fabric(m, catalog, cluster);
    if (!r.problems().has_errors()) check_whole(r, cluster);
    cluster.gpus = cluster.total_gpus();
    if (const auto gpus = m.find("gpus")) {
      read(*gpus, cluster.gpus, Bounds{1, 1e9});
      if (cluster.gpus > cluster.total_gpus() && !r.problems().has_errors()) {
        gpus->error(fmt::format("{} GPUs, but the cluster has {}", cluster.gpus, cluster.total_gpus()),
                    "write fewer, or more nodes");
      }
    }
    const auto overrides = m.find("overrides");
    if (overrides && !r.problems().has_errors()) read_overrides(*overrides, cluster);
  });
}

}  // namespace stepcast::hardware
