#include "hardware/overrides.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "hardware/node_template.hpp"

namespace stepcast::hardware {
namespace {

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
    if (!unknown.empty()) {
      return r.error(fmt::format("there is no {} in the node", unknown),
                     "name vertices such as gpu0, nvswitch1, nic0");
    }
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

}  // namespace

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

}  // namespace stepcast::hardware
