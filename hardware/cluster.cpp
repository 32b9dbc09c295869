#include "hardware/cluster.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "hardware/catalog.hpp"
#include "hardware/fabric_plan.hpp"
#include "hardware/node_template.hpp"

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

/// One entry of `overrides`, as written.
struct Override {
  std::optional<Label> link;
  std::optional<int> node;
  std::vector<std::string> between;
  double scale = 1.0;
  std::optional<int> gpu;
  double compute_scale = 1.0;
};

/// The run that holds node `node`, split so that the node stands alone in it with a variant of its own.
NodeVariant& own_variant(ClusterSpec& cluster, int node) {
  int first = 0;
  for (std::size_t i = 0; i < cluster.runs.size(); first += cluster.runs[i].count, ++i) {
    const NodeRun run = cluster.runs[i];
    if (node >= first + run.count) continue;
    if (run.count == 1) {  // alone, but perhaps sharing its variant with others
      const auto users = std::count_if(cluster.runs.begin(), cluster.runs.end(),
                                       [&](const NodeRun& r) { return r.variant == run.variant; });
      if (users == 1) return cluster.variants[run.variant];
    }
    const std::size_t fresh = cluster.variants.size();
    cluster.variants.push_back(NodeVariant(cluster.variants[run.variant]));
    std::vector<NodeRun> parts = {
        {run.variant, node - first}, {fresh, 1}, {run.variant, first + run.count - node - 1}};
    std::erase_if(parts, [](const NodeRun& r) { return r.count == 0; });
    const auto at = cluster.runs.erase(cluster.runs.begin() + static_cast<std::ptrdiff_t>(i));
    cluster.runs.insert(at, parts.begin(), parts.end());
    return cluster.variants[fresh];
  }
  STEPCAST_CHECK(false, "the node is one of the cluster's");
}

/// The first of the names in `between` that is no vertex of the node; empty where all are.
std::string unknown_end(const Override& o, const NodeVariant& variant) {
  for (const std::string& name : o.between) {
    bool there = false;
    for (const auto& [kind, count] : variant.system.graph.vertices) {
      for (int i = 0; i < count && !there; ++i) there = to_text(Vertex{kind, i}) == name;
    }
    if (!there) return name;
  }
  return {};
}

/// Scales the edges of a variant that the override names; how many it found.
int apply_link(const Override& o, NodeVariant& variant) {
  int found = 0;
  const NodeGraph& graph = variant.system.graph;
  const auto named = [&](Vertex v) {
    const std::string text = to_text(v);
    return std::any_of(o.between.begin(), o.between.end(), [&](const std::string& b) { return b == text; });
  };
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const NodeEdge& edge = graph.edges[i];
    if (label_of(graph.links.at(edge.link).kind) != *o.link) continue;
    if (!o.between.empty() && !(named(edge.a) && named(edge.b))) continue;
    variant.edge_scale[i] *= o.scale;
    ++found;
  }
  if (*o.link == Label::nic) {
    for (std::size_t i = 0; i < variant.cable_scale.size(); ++i) {
      if (!o.between.empty() && !named({VertexKind::nic, static_cast<int>(i)})) continue;
      variant.cable_scale[i] *= o.scale;
      ++found;
    }
  }
  return found;
}

void read_override(const Reader& r, Override& o) {
  r.map([&](MapReader& m) {
    m.optional("link", o.link);
    m.optional("node", o.node);
    if (const auto between = m.find("between")) {
      for (const Reader& end : between->list()) {
        const std::string text = end.text().value_or("");
        const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        o.between.push_back(number ? "gpu" + text : text);
      }
    }
    m.optional("scale", o.scale, Bounds{0.0, 1e6});
    m.optional("gpu", o.gpu);
    m.optional("compute_scale", o.compute_scale, kPositive);
    for (const char* key : {"node", "between", "scale"}) {
      if (o.gpu && m.has(key)) m.error_at(key, "a slow GPU has no such key", "keep gpu and compute_scale");
    }
    if (o.link && m.has("compute_scale"))
      m.error_at("compute_scale", "a link does not compute", "write scale");
    const std::size_t ends = o.link == Label::nic ? 1 : 2;
    if (m.has("between") && o.between.size() != ends) {
      m.error_at("between", fmt::format("{} ends", o.between.size()),
                 ends == 1 ? "write [nic0]" : "write [0, 3], or two vertices");
    }
    if (o.link.has_value() == o.gpu.has_value()) {
      r.error("an override names either a link or a gpu",
              "write {link: nvlink, node: 3, scale: 0.3} or {gpu: 17, compute_scale: 0.9}");
    }
    if (o.link && !m.has("scale"))
      m.self().error("missing key 'scale'", "add `scale: 0.3`, or 0 for a cut link");
    if (o.gpu && !m.has("compute_scale"))
      m.self().error("missing key 'compute_scale'", "add `compute_scale: 0.9`");
  });
}

void apply_gpu(const Reader& r, const Override& o, ClusterSpec& cluster) {
  int rank = *o.gpu;
  int node = 0;
  for (const NodeRun& run : cluster.runs) {
    const int each = cluster.variants[run.variant].system.gpus;
    if (rank < run.count * each) {
      own_variant(cluster, node + rank / each).gpu_scale[static_cast<std::size_t>(rank % each)] *=
          o.compute_scale;
      return;
    }
    rank -= run.count * each;
    node += run.count;
  }
  r.error(fmt::format("there is no gpu {}", *o.gpu), fmt::format("write 0 to {}", cluster.total_gpus() - 1));
}

/// The override's problem, if what it names is not there or it cuts a node apart.
void apply_link(const Reader& r, const Override& o, ClusterSpec& cluster) {
  if (*o.link == Label::fabric) {
    if (o.node || !o.between.empty()) {
      r.error("links between switches belong to no node",
              "leave out `node` and `between`, or write link: nic");
    }
    if (o.scale == 0.0) return r.error("with this, nothing joins the nodes", "write a scale above 0");
    cluster.fabric_scale *= o.scale;
    return;
  }
  const int nodes = cluster.nodes();
  if (o.node && *o.node >= nodes) {
    return r.error(fmt::format("there is no node {}", *o.node), fmt::format("write 0 to {}", nodes - 1));
  }
  std::vector<NodeVariant*> touched;
  if (o.node) {
    touched.push_back(&own_variant(cluster, *o.node));
  } else {
    for (NodeVariant& variant : cluster.variants) touched.push_back(&variant);
  }
  int found = 0;
  for (NodeVariant* variant : touched) {
    const std::string unknown = unknown_end(o, *variant);
    if (!unknown.empty())
      return r.error(fmt::format("there is no {} in the node", unknown),
                     "name vertices such as gpu0, nvswitch1, nic0");
    found += apply_link(o, *variant);
  }
  if (found == 0) {
    return r.error(fmt::format("no {} link {}here", enum_name(*o.link),
                               o.between.empty() ? "" : fmt::format("between {} ", join(o.between, " and "))),
                   "`stepcast topology SYSTEM` shows what is joined by what");
  }
  for (const NodeVariant* variant : touched) {
    const std::string apart = cut_off(*variant, nodes > 1);
    if (!apart.empty()) {
      return r.error(fmt::format("with this, nothing joins {}", apart),
                     "leave another path, or a scale above 0");
    }
  }
}

void read_overrides(const Reader& r, ClusterSpec& cluster) {
  for (const Reader& entry : r.list()) {
    const std::size_t errors = r.problems().error_count();
    Override o;
    read_override(entry, o);
    if (r.problems().error_count() > errors) continue;
    if (o.gpu) {
      apply_gpu(entry, o, cluster);
    } else {
      apply_link(entry, o, cluster);
    }
  }
}

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
