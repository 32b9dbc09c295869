#include "hardware/bisection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace stepcast::hardware {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
/// Capacities in whole shares of the sum of all finite ones: the algorithm is exact on integers.
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, std::int64_t,
                    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

constexpr double kWhole = 1125899906842624.0;  // 2^50: the sum of all finite capacities

class MaxFlow {
 public:
  explicit MaxFlow(std::size_t vertices) : vertices_(vertices) {}

  /// One direction.
  void add(std::size_t from, std::size_t to, Bandwidth capacity) {
    edges_.push_back({from, to, capacity.base()});
    if (std::isfinite(capacity.base())) sum_ += capacity.base();
  }
  void add_source(std::size_t vertex) { edges_.push_back({vertices_, vertex, kInfinite}); }
  void add_sink(std::size_t vertex) { edges_.push_back({vertex, vertices_ + 1, kInfinite}); }

  [[nodiscard]] Bandwidth solve() const {
    if (sum_ == 0.0) return {};
    FlowGraph graph(vertices_ + 2);
    for (const Edge& e : edges_) {
      const auto forth = boost::add_edge(e.from, e.to, graph).first;
      const auto back = boost::add_edge(e.to, e.from, graph).first;
      const double share = std::isinf(e.capacity) ? kWhole : e.capacity / sum_ * kWhole;
      boost::put(boost::edge_capacity, graph, forth, static_cast<std::int64_t>(std::round(share)));
      boost::put(boost::edge_capacity, graph, back, std::int64_t{0});
      boost::put(boost::edge_reverse, graph, forth, back);
      boost::put(boost::edge_reverse, graph, back, forth);
    }
    const std::int64_t flow = boost::push_relabel_max_flow(graph, vertices_, vertices_ + 1);
    return Bandwidth(static_cast<double>(flow) / kWhole * sum_);
  }

 private:
  struct Edge {
    std::size_t from;
    std::size_t to;
    double capacity;
  };
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  std::size_t vertices_;
  std::vector<Edge> edges_;
  double sum_ = 0.0;
};

Bandwidth crossing(const NodeTemplate& node, bool only_gpu_links,
                   const std::function<bool(std::uint32_t)>& first) {
  MaxFlow flow(node.vertices.size());
  for (const TemplateEdge& e : node.edges) {
    if (only_gpu_links && !is_gpu_link(e.label)) continue;
    flow.add(e.a, e.b, e.capacity);
    flow.add(e.b, e.a, e.capacity);
  }
  for (std::uint32_t gpu = 0; gpu < node.gpus; ++gpu) first(gpu) ? flow.add_source(gpu) : flow.add_sink(gpu);
  return flow.solve();
}

/// From the GPUs for which `first` holds to the others: over links between GPUs if any cross, else over
/// everything.
Bandwidth cut(const NodeTemplate& node, const std::function<bool(std::uint32_t)>& first) {
  const Bandwidth over_gpu_links = crossing(node, true, first);
  return over_gpu_links > Bandwidth() ? over_gpu_links : crossing(node, false, first);
}

}  // namespace

NodeBisection bisect_node(const NodeVariant& variant) {
  const NodeTemplate node = make_template(variant);
  NodeBisection result;
  if (node.gpus < 2) return result;
  result.halves = cut(node, [&](std::uint32_t gpu) { return gpu < node.gpus / 2; });
  if (node.gpus > 8 || node.gpus % 2 != 0) return result;
  for (std::uint32_t set = 1; set < (1U << node.gpus); set += 2) {  // gpu0 is always in the first half
    if (std::popcount(set) != static_cast<int>(node.gpus / 2)) continue;
    const Bandwidth of_split = cut(node, [&](std::uint32_t gpu) { return ((set >> gpu) & 1U) != 0; });
    result.worst = std::min(of_split, result.worst.value_or(of_split));
  }
  return result;
}

Bandwidth bisect_fabric(const Topology& topology) {
  const auto vertices = topology.vertices();
  std::int32_t nodes = 0;
  for (const TopologyVertex& v : vertices) nodes = std::max(nodes, v.node + 1);
  MaxFlow flow(vertices.size());
  for (const TopologyEdge& e : topology.edges()) {
    if (e.label == Label::nic || e.label == Label::fabric) flow.add(e.from.index(), e.to.index(), e.capacity);
  }
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (vertices[v].kind != VertexKind::nic) continue;
    vertices[v].node < nodes / 2 ? flow.add_source(v) : flow.add_sink(v);
  }
  return flow.solve();
}

}  // namespace stepcast::hardware
