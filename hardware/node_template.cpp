#include "hardware/node_template.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include <fmt/core.h>

namespace stepcast::hardware {
namespace {

/// Collects vertices and edges of one node.
class TemplateBuilder {
 public:
  explicit TemplateBuilder(const NodeVariant& variant) : variant_(variant) {
    const NodeGraph& graph = variant.system.graph;
    for (const VertexKind kind : {VertexKind::gpu, VertexKind::nvswitch, VertexKind::pcie_switch,
                                  VertexKind::socket, VertexKind::nic}) {
      const auto count = graph.vertices.find(kind);
      for (int i = 0; count != graph.vertices.end() && i < count->second; ++i) add_vertex({kind, i});
    }
  }

  NodeTemplate build() {
    const NodeGraph& graph = variant_.system.graph;
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      if (variant_.edge_scale[i] > 0.0) add_link(graph.edges[i], variant_.edge_scale[i]);
    }
    add_memory();
    result_.gpus = static_cast<std::uint32_t>(variant_.system.gpus);
    result_.gpu_scale = variant_.gpu_scale;
    for (std::size_t i = 0; i < variant_.cable_scale.size(); ++i) {
      result_.nics.push_back(index_.at({VertexKind::nic, static_cast<int>(i)}));
      result_.cables.push_back(variant_.system.nics->rate * variant_.cable_scale[i]);
    }
    return std::move(result_);
  }

 private:
  std::uint32_t add_vertex(Vertex vertex) {
    const auto index = static_cast<std::uint32_t>(result_.vertices.size());
    result_.vertices.push_back(vertex);
    index_.emplace(vertex, index);
    return index;
  }

  /// What passing into `vertex` adds to a link's own latency.
  static Seconds entry_latency(const LinkSpec& link, VertexKind vertex) {
    const bool is_switch = vertex == VertexKind::nvswitch || vertex == VertexKind::pcie_switch;
    if (is_switch) return link.switch_latency.value_or(Seconds());
    return vertex == VertexKind::host_bridge ? link.host_bridge_latency.value_or(Seconds()) : Seconds();
  }

  void add_edge(std::uint32_t a, std::uint32_t b, const LinkSpec& link, int count, double scale) {
    const auto latency_into = [&](std::uint32_t v) {
      return to_picoseconds(link.latency + entry_latency(link, result_.vertices[v].kind));
    };
    result_.edges.push_back({a, b, link.per_direction * (count * scale), link.duplex, label_of(link.kind),
                             count, latency_into(b), latency_into(a)});
  }

  void add_link(const NodeEdge& edge, double scale) {
    const LinkSpec& link = variant_.system.graph.links.at(edge.link);
    std::uint32_t a = index_.at(edge.a);
    std::uint32_t b = index_.at(edge.b);
    if (link.kind == LinkKind::pcie &&
        (edge.a.kind == VertexKind::socket) != (edge.b.kind == VertexKind::socket)) {
      if (edge.a.kind == VertexKind::socket) std::swap(a, b);
      const std::uint32_t bridge = add_vertex({VertexKind::host_bridge, bridges_++});
      add_edge(a, bridge, link, edge.count, scale);
      result_.edges.push_back(
          {bridge, b, link.per_direction * (edge.count * scale), link.duplex, Label::pcie, edge.count, 0, 0});
      return;
    }
    add_edge(a, b, link, edge.count, scale);
  }

  void add_memory() {
    const Bandwidth unlimited(
        std::numeric_limits<double>::infinity());  // no source gives it; PCIe is the narrower part
    const auto sockets = variant_.system.graph.vertices.find(VertexKind::socket);
    for (int i = 0; sockets != variant_.system.graph.vertices.end() && i < sockets->second; ++i) {
      const std::uint32_t memory = add_vertex({VertexKind::memory, i});
      result_.edges.push_back(
          {index_.at({VertexKind::socket, i}), memory, unlimited, Duplex::full, Label::memory, 1, 0, 0});
    }
  }

  const NodeVariant& variant_;
  NodeTemplate result_;
  std::map<Vertex, std::uint32_t> index_;
  int bridges_ = 0;
};

/// What `gpu` reaches inside the node. A GPU on the way passes traffic on between forwarding links, and
/// between them and its NIC, as in Topology.
std::vector<bool> reached_from(const NodeTemplate& node, std::uint32_t gpu) {
  std::vector<std::vector<std::pair<std::uint32_t, Label>>> next(node.vertices.size());
  for (const TemplateEdge& e : node.edges) {
    next[e.a].emplace_back(e.b, e.label);
    next[e.b].emplace_back(e.a, e.label);
  }
  const auto is_nic = [&](std::uint32_t v) { return node.vertices[v].kind == VertexKind::nic; };
  std::vector<bool> seen(node.vertices.size(), false);
  std::vector<bool> open(node.vertices.size(), false);  // may be passed through
  std::queue<std::uint32_t> queue({gpu});
  seen[gpu] = open[gpu] = true;
  while (!queue.empty()) {
    const std::uint32_t v = queue.front();
    queue.pop();
    for (const auto& [to, label] : next[v]) {
      const bool through_gpu = v < node.gpus && v != gpu;
      if (through_gpu && !forwards_through_gpus(label) && !is_nic(to)) continue;
      seen[to] = true;
      if (open[to] || (to < node.gpus && !forwards_through_gpus(label))) continue;
      open[to] = true;
      queue.push(to);
    }
  }
  return seen;
}

}  // namespace

Picoseconds to_picoseconds(Seconds time) { return std::llround(time.base() * 1e12); }

NodeTemplate make_template(const NodeVariant& variant) { return TemplateBuilder(variant).build(); }

bool forwards_through_gpus(Label label) {
  return label == Label::xgmi || label == Label::ici || label == Label::ipu;
}

bool is_gpu_link(Label label) {
  return label == Label::nvlink || label == Label::ethernet || forwards_through_gpus(label);
}

std::string cut_off(const NodeVariant& variant, bool needs_network) {
  const NodeTemplate node = make_template(variant);
  for (std::uint32_t gpu = 0; gpu < node.gpus; ++gpu) {
    const std::vector<bool> seen = reached_from(node, gpu);
    for (std::uint32_t other = 0; other < node.gpus; ++other) {
      if (!seen[other]) return fmt::format("gpu{} and gpu{}", gpu, other);
    }
    bool network = !needs_network;
    for (std::size_t i = 0; i < node.nics.size(); ++i)
      network |= seen[node.nics[i]] && node.cables[i] > Bandwidth();
    if (!network) return fmt::format("gpu{} and the network", gpu);
  }
  return {};
}

}  // namespace stepcast::hardware
