#include "hardware/bisection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace stepcast::hardware {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
/// Capacities in whole bytes per second: the algorithm is exact on integers.
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, std::int64_t,
                    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

constexpr std::int64_t kUnlimited = std::int64_t{1} << 55;

class MaxFlow {
 public:
  explicit MaxFlow(std::size_t vertices) : graph_(vertices + 2), source_(vertices), sink_(vertices + 1) {}

  /// One direction.
  void add(std::size_t from, std::size_t to, Bandwidth capacity) {
    const double bytes = capacity.base();
    add(from, to, std::isinf(bytes) ? kUnlimited : std::llround(bytes));
  }
  void add_source(std::size_t vertex) { add(source_, vertex, kUnlimited); }
  void add_sink(std::size_t vertex) { add(vertex, sink_, kUnlimited); }

  Bandwidth solve() {
    return Bandwidth(static_cast<double>(boost::push_relabel_max_flow(graph_, source_, sink_)));
  }

 private:
  void add(std::size_t from, std::size_t to, std::int64_t capacity) {
    const auto forth = boost::add_edge(from, to, graph_).first;
    const auto back = boost::add_edge(to, from, graph_).first;
    boost::put(boost::edge_capacity, graph_, forth, capacity);
    boost::put(boost::edge_capacity, graph_, back, std::int64_t{0});
    boost::put(boost::edge_reverse, graph_, forth, back);
    boost::put(boost::edge_reverse, graph_, back, forth);
  }

  FlowGraph graph_;
  std::size_t source_;
  std::size_t sink_;
};

/// From the GPUs for which `first` holds to the others.
Bandwidth cross_node(const NodeTemplate& node, bool only_gpu_links,
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

}  // namespace

NodeBisection bisect_node(const NodeVariant& variant) {
  const NodeTemplate node = make_template(variant);
  NodeBisection result;
  if (node.gpus < 2) return result;
  const auto first_half = [&](std::uint32_t gpu) { return gpu < node.gpus / 2; };
  result.halves = cross_node(node, true, first_half);
  const bool gpu_links = result.halves > Bandwidth();
  if (!gpu_links) result.halves = cross_node(node, false, first_half);
  if (node.gpus > 8 || node.gpus % 2 != 0) return result;
  for (std::uint32_t set = 1; set < (1U << node.gpus); set += 2) {  // gpu0 is always in the first half
    if (std::popcount(set) != static_cast<int>(node.gpus / 2)) continue;
    const Bandwidth crossing =
        cross_node(node, gpu_links, [&](std::uint32_t gpu) { return ((set >> gpu) & 1U) != 0; });
    result.worst = std::min(crossing, result.worst.value_or(crossing));
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
