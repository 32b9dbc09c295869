#include "hardware/expand.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace stepcast::hardware {
namespace {

/// Puts nodes and switches together; edges come out sorted by their source.
class Expander {
 public:
  explicit Expander(const ClusterSpec& cluster) : cluster_(cluster) {
    for (const NodeVariant& variant : cluster.variants) templates_.push_back(make_template(variant));
    if (cluster.fabric && cluster.nodes() > 1) {
      std::string problem;
      graph_.plan = plan_fabric(cluster, problem);
      STEPCAST_CHECK(problem.empty(), problem);
    }
    reserve();
    add_nodes();
    if (graph_.plan) add_fabric();
    sort_edges();
  }

  ExpandedGraph take() { return std::move(graph_); }

 private:
  struct PlacedNode {
    std::size_t variant;
    std::uint32_t first_vertex;
  };

  void reserve() {
    std::size_t vertex_count = 0;
    std::size_t edge_count = 0;
    for (const NodeRun& run : cluster_.runs) {
      const auto n = static_cast<std::size_t>(run.count);
      vertex_count += n * templates_[run.variant].vertices.size();
      edge_count += n * 2 * (templates_[run.variant].edges.size() + templates_[run.variant].nics.size());
    }
    if (graph_.plan) {
      const auto leaves = static_cast<std::size_t>(graph_.plan->leaves);
      vertex_count += 2 * leaves + 1;
      edge_count +=
          4 * leaves *
          static_cast<std::size_t>(std::max(graph_.plan->spines_per_pod, graph_.plan->leaves_per_pod));
    }
    graph_.vertices.reserve(vertex_count);
    unsorted_.reserve(edge_count);
  }

  void add_nodes() {
    int number = 0;
    for (const NodeRun& run : cluster_.runs) {
      const NodeTemplate& node = templates_[run.variant];
      for (int i = 0; i < run.count; ++i, ++number) {
        const auto first = static_cast<std::uint32_t>(graph_.vertices.size());
        nodes_.push_back({run.variant, first});
        for (const Vertex& v : node.vertices) graph_.vertices.push_back({v.kind, number, v.index});
        for (std::uint32_t gpu = 0; gpu < node.gpus; ++gpu) graph_.gpus.emplace_back(first + gpu);
        for (const TemplateEdge& e : node.edges) {
          add_link(first + e.a, first + e.b,
                   {e.capacity, e.label, e.links, e.duplex, e.latency_ab, e.latency_ba});
        }
      }
    }
  }

  struct Link {
    Bandwidth capacity;
    Label label = Label::pcie;
    int links = 1;
    Duplex duplex = Duplex::full;
    Picoseconds forth = 0;
    Picoseconds back = 0;
  };

  /// Both directions. `shared` holds the pair's number until the edges are sorted.
  void add_link(std::uint32_t a, std::uint32_t b, const Link& link) {
    if (!(link.capacity > Bandwidth())) return;
    const std::size_t pair = pairs_++;
    const std::size_t back_pair = link.duplex == Duplex::half ? pair : pairs_++;
    const auto latency = [](Picoseconds time) { return std::max<Picoseconds>(1, time); };
    unsorted_.push_back(
        {VertexId(a), VertexId(b), link.capacity, latency(link.forth), link.label, link.links, EdgeId(pair)});
    unsorted_.push_back({VertexId(b), VertexId(a), link.capacity, latency(link.back), link.label, link.links,
                         EdgeId(back_pair)});
  }

  std::uint32_t add_switches(VertexKind kind, int count) {
    const auto first = static_cast<std::uint32_t>(graph_.vertices.size());
    for (int i = 0; i < count; ++i) graph_.vertices.push_back({kind, -1, i});
    return first;
  }

  void add_cables(std::uint32_t first_leaf) {
    std::vector<std::vector<Picoseconds>> latencies;
    for (const NodeTemplate& node : templates_) latencies.push_back(cable_latencies(node, *graph_.plan));
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const NodeTemplate& node = templates_[nodes_[n].variant];
      for (std::size_t nic = 0; nic < node.nics.size(); ++nic) {
        const auto leaf =
            static_cast<std::uint32_t>(graph_.plan->leaf_of(static_cast<int>(n), static_cast<int>(nic)));
        const Picoseconds latency = latencies[nodes_[n].variant][nic];
        add_link(nodes_[n].first_vertex + node.nics[nic], first_leaf + leaf,
                 {cable_rate(node, nic, *cluster_.fabric), Label::nic, 1, Duplex::full, latency, latency});
      }
    }
  }

  void add_switch_link(std::uint32_t a, std::uint32_t b, Bandwidth capacity) {
    add_link(a, b, {capacity, Label::fabric, 1, Duplex::full, graph_.plan->hop, graph_.plan->hop});
  }

  void add_fabric() {
    const std::uint32_t leaf = add_switches(VertexKind::leaf, graph_.plan->leaves);
    add_cables(leaf);
    if (graph_.plan->topology == FabricTopology::dragonfly) return add_dragonfly(leaf);
    const std::uint32_t spine =
        add_switches(VertexKind::spine, graph_.plan->pods * graph_.plan->spines_per_pod);
    const std::uint32_t core =
        add_switches(VertexKind::core, graph_.plan->cores_per_spine * graph_.plan->spines_per_pod);
    const auto spines = static_cast<std::uint32_t>(graph_.plan->spines_per_pod);
    for (std::uint32_t l = 0; l < static_cast<std::uint32_t>(graph_.plan->leaves); ++l) {
      const auto pod = static_cast<std::uint32_t>(graph_.plan->pod_of(static_cast<int>(l)));
      for (std::uint32_t s = 0; s < spines; ++s)
        add_switch_link(leaf + l, spine + pod * spines + s, graph_.plan->leaf_spine);
    }
    const auto cores = static_cast<std::uint32_t>(graph_.plan->cores_per_spine);
    for (std::uint32_t pod = 0; cores > 0 && pod < static_cast<std::uint32_t>(graph_.plan->pods); ++pod) {
      for (std::uint32_t s = 0; s < spines; ++s) {
        for (std::uint32_t c = 0; c < cores; ++c) {
          add_switch_link(spine + pod * spines + s, core + s * cores + c, graph_.plan->spine_core);
        }
      }
    }
  }

  void add_dragonfly(std::uint32_t leaf) {
    for (int a = 0; a < graph_.plan->leaves; ++a) {
      for (int b = a + 1; b < graph_.plan->leaves; ++b) {
        const bool group = graph_.plan->pod_of(a) == graph_.plan->pod_of(b);
        const bool column = a % graph_.plan->leaves_per_pod == b % graph_.plan->leaves_per_pod;
        if (!group && !column) continue;
        add_switch_link(leaf + static_cast<std::uint32_t>(a), leaf + static_cast<std::uint32_t>(b),
                        group ? graph_.plan->leaf_leaf : graph_.plan->leaf_column);
      }
    }
  }

  /// Counting sort by source; then `shared` becomes an edge.
  void sort_edges() {
    graph_.first_edge.assign(graph_.vertices.size() + 1, 0);
    for (const TopologyEdge& e : unsorted_) ++graph_.first_edge[e.from.index() + 1];
    std::partial_sum(graph_.first_edge.begin(), graph_.first_edge.end(), graph_.first_edge.begin());
    graph_.edges.resize(unsorted_.size());
    std::vector<std::uint32_t> next(graph_.first_edge.begin(), graph_.first_edge.end() - 1);
    std::vector<std::uint32_t> first_of_pair(pairs_, std::numeric_limits<std::uint32_t>::max());
    for (TopologyEdge& e : unsorted_) graph_.edges[next[e.from.index()]++] = e;
    for (std::uint32_t i = 0; i < graph_.edges.size(); ++i) {
      std::uint32_t& first = first_of_pair[graph_.edges[i].shared.index()];
      if (first == std::numeric_limits<std::uint32_t>::max()) first = i;
      graph_.edges[i].shared = EdgeId(first);
    }
  }

  const ClusterSpec& cluster_;
  ExpandedGraph graph_;
  std::vector<NodeTemplate> templates_;
  std::vector<PlacedNode> nodes_;
  std::vector<TopologyEdge> unsorted_;
  std::size_t pairs_ = 0;
};

}  // namespace

std::string to_text(const TopologyVertex& v) {
  const std::string name = fmt::format("{}{}", enum_name(v.kind), v.index);
  return v.node < 0 ? name : fmt::format("node{}.{}", v.node, name);
}

ExpandedGraph expand(const ClusterSpec& cluster) { return Expander(cluster).take(); }

}  // namespace stepcast::hardware
