#include "hardware/topology.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <fmt/core.h>

#include "hardware/expand.hpp"

namespace stepcast::hardware {
namespace {

constexpr double kEverything = 1e30;  // bytes per second: wider than any sum of links
constexpr Picoseconds kUnreached = std::numeric_limits<Picoseconds>::max();

using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                               boost::no_property, std::uint32_t, std::uint32_t>;
using CsrEdge = boost::graph_traits<Csr>::edge_descriptor;

/// For boost: keeps the edges that `keep` allows. (Its iterators want filters that can be made empty and
/// copied.)
struct EdgeFilter {
  std::function<bool(std::uint32_t)> keep;
  const Csr* graph = nullptr;
  bool operator()(const CsrEdge& e) const { return keep(boost::get(boost::edge_index, *graph, e)); }
};

}  // namespace

/// What a search may use.
struct SearchRules {
  VertexId from;
  VertexId to;
  std::int32_t node_a = -1;  ///< nodes whose inside it may enter
  std::int32_t node_b = -1;
  bool only_gpu_links = false;
};

struct Topology::Impl {
  explicit Impl(ExpandedGraph graph)
      : vertices(std::move(graph.vertices)),
        edges(std::move(graph.edges)),
        first_edge(std::move(graph.first_edge)),
        gpus(std::move(graph.gpus)),
        plan(graph.plan) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    pairs.reserve(edges.size());
    for (const TopologyEdge& e : edges) pairs.emplace_back(e.from.index(), e.to.index());
    csr =
        Csr(boost::edges_are_sorted, pairs.begin(), pairs.end(), static_cast<std::uint32_t>(vertices.size()));
  }

  std::vector<TopologyVertex> vertices;
  std::vector<TopologyEdge> edges;
  std::vector<std::uint32_t> first_edge;
  std::vector<VertexId> gpus;
  std::optional<FabricPlan> plan;
  std::vector<const SystemSpec*> system_of;  ///< of each node
  std::vector<SystemSpec> systems;           ///< of each variant, for what routes ask of them
  Csr csr;

  [[nodiscard]] bool allowed(const TopologyEdge& e, const SearchRules& rules) const;
  [[nodiscard]] std::vector<Picoseconds> distances(const SearchRules& rules) const;
  [[nodiscard]] std::optional<Route> search(const SearchRules& rules) const;
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> least_ways(
      const SearchRules& rules, const std::vector<Picoseconds>& distance,
      const std::vector<std::uint32_t>& order) const;
  [[nodiscard]] VertexId memory_near(VertexId gpu) const;
  [[nodiscard]] Route through_host(VertexId from, VertexId to) const;
  [[nodiscard]] Route need(const SearchRules& rules) const;
};

/// A way enters only the nodes at its ends, and the fabric only between two. An edge leads into or out of a
/// GPU only at the ends, or where the GPU passes traffic on: between forwarding links, and between them and a
/// NIC that hangs on it.
bool Topology::Impl::allowed(const TopologyEdge& e, const SearchRules& rules) const {
  if (rules.only_gpu_links && !is_gpu_link(e.label)) return false;
  const TopologyVertex& from = vertices[e.from.index()];
  const TopologyVertex& to = vertices[e.to.index()];
  if (to.node < 0 && rules.node_a == rules.node_b) return false;  // what stays in a node does not leave it
  if (to.node >= 0 && to.node != rules.node_a && to.node != rules.node_b) return false;
  const bool leaves_gpu = from.kind == VertexKind::gpu && e.from != rules.from;
  const bool enters_gpu = to.kind == VertexKind::gpu && e.to != rules.to;
  if (!leaves_gpu && !enters_gpu) return true;
  const bool nic = from.kind == VertexKind::nic || to.kind == VertexKind::nic;
  return forwards_through_gpus(e.label) || (nic && !rules.only_gpu_links);
}

std::vector<Picoseconds> Topology::Impl::distances(const SearchRules& rules) const {
  const EdgeFilter filter{[this, rules](std::uint32_t edge) { return allowed(edges[edge], rules); }, &csr};
  const boost::filtered_graph<Csr, EdgeFilter> usable(csr, filter);
  std::vector<Picoseconds> distance(vertices.size(), kUnreached);
  const auto latency = boost::make_function_property_map<CsrEdge>(
      [this](const CsrEdge& e) { return edges[boost::get(boost::edge_index, csr, e)].latency; });
  boost::dijkstra_shortest_paths(usable, static_cast<std::uint32_t>(rules.from.index()),
                                 boost::weight_map(latency)
                                     .distance_map(boost::make_iterator_property_map(
                                         distance.begin(), boost::get(boost::vertex_index, csr)))
                                     .distance_inf(kUnreached)
                                     .distance_zero(Picoseconds{0}));
  return distance;
}

/// For each vertex, the edges on ways of least latency to the target. `order`: vertices by distance. Every
/// edge takes at least a picosecond, so that one pass backwards finds them all.
std::vector<std::vector<std::uint32_t>> Topology::Impl::least_ways(
    const SearchRules& rules, const std::vector<Picoseconds>& distance,
    const std::vector<std::uint32_t>& order) const {
  std::vector<std::vector<std::uint32_t>> ways(vertices.size());
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    for (std::uint32_t e = first_edge[*v]; e < first_edge[*v + 1]; ++e) {
      const TopologyEdge& edge = edges[e];
      const auto to = edge.to.index();
      const bool leads_on = edge.to == rules.to || !ways[to].empty();
      const bool least = distance[to] != kUnreached && distance[*v] + edge.latency == distance[to];
      if (least && leads_on && allowed(edge, rules)) ways[*v].push_back(e);
    }
  }
  return ways;
}

std::optional<Route> Topology::Impl::search(const SearchRules& rules) const {
  const std::vector<Picoseconds> distance = distances(rules);
  const Picoseconds total = distance[rules.to.index()];
  if (total == kUnreached) return std::nullopt;
  std::vector<std::uint32_t> order;
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    if (distance[v] < total) order.push_back(v);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return distance[a] < distance[b]; });
  const auto ways = least_ways(rules, distance, order);
  // What can pass from each vertex to the target, if it splits well: a flow is shared out in proportion to
  // it.
  std::vector<double> width(vertices.size(), 0.0);
  width[rules.to.index()] = kEverything;
  const auto through = [&](std::uint32_t e) {
    return std::min(edges[e].capacity.base(), width[edges[e].to.index()]);
  };
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    for (const std::uint32_t e : ways[*v]) width[*v] = std::min(kEverything, width[*v] + through(e));
  }
  Route route;
  route.latency = Seconds(static_cast<double>(total) * 1e-12);
  std::vector<double> share(vertices.size(), 0.0);
  share[rules.from.index()] = 1.0;
  for (const std::uint32_t v : order) {
    if (share[v] == 0.0) continue;
    double sum = 0.0;
    for (const std::uint32_t e : ways[v]) sum += through(e);
    for (const std::uint32_t e : ways[v]) {
      const double part = ways[v].size() == 1 ? 1.0 : through(e) / sum;
      route.steps.push_back({EdgeId(e), share[v] * part});
      share[edges[e].to.index()] += share[v] * part;
    }
  }
  return route;
}

Route Topology::Impl::need(const SearchRules& rules) const {
  auto route = search(rules);
  STEPCAST_CHECK(route.has_value(), fmt::format("no way from {} to {}", to_text(vertices[rules.from.index()]),
                                                to_text(vertices[rules.to.index()])));
  return *std::move(route);
}

VertexId Topology::Impl::memory_near(VertexId gpu) const {
  const std::int32_t node = vertices[gpu.index()].node;
  const std::vector<Picoseconds> distance = distances({gpu, gpu, node, node, false});
  std::optional<VertexId> nearest;
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    if (vertices[v].kind != VertexKind::memory || vertices[v].node != node) continue;
    if (!nearest || distance[v] < distance[nearest->index()]) nearest = VertexId(v);
  }
  STEPCAST_CHECK(nearest.has_value(), "a node has memory");
  return *nearest;
}

/// The sender's memory, over the network the receiver's, and from there.
Route Topology::Impl::through_host(VertexId from, VertexId to) const {
  const std::int32_t a = vertices[from.index()].node;
  const std::int32_t b = vertices[to.index()].node;
  const VertexId memory_a = memory_near(from);
  const VertexId memory_b = a == b ? memory_a : memory_near(to);
  std::vector<Route> legs = {need({from, memory_a, a, a, false})};
  if (a != b) legs.push_back(need({memory_a, memory_b, a, b, false}));
  legs.push_back(need({memory_b, to, b, b, false}));
  Route route;
  route.through_host = true;
  for (const Route& leg : legs) {
    route.latency += leg.latency;
    for (const RouteStep& step : leg.steps) {
      const auto same = std::find_if(route.steps.begin(), route.steps.end(),
                                     [&](const RouteStep& s) { return s.edge == step.edge; });
      if (same == route.steps.end()) {
        route.steps.push_back(step);
      } else {
        same->share += step.share;
      }
    }
  }
  return route;
}

Topology::Topology(const ClusterSpec& cluster) : impl_(std::make_unique<Impl>(expand(cluster))) {
  for (const NodeVariant& variant : cluster.variants) impl_->systems.push_back(variant.system);
  for (const NodeRun& run : cluster.runs) {
    impl_->system_of.insert(impl_->system_of.end(), static_cast<std::size_t>(run.count),
                            &impl_->systems[run.variant]);
  }
}
Topology::~Topology() = default;
Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;

std::span<const TopologyVertex> Topology::vertices() const { return impl_->vertices; }
std::span<const TopologyEdge> Topology::edges() const { return impl_->edges; }
std::span<const TopologyEdge> Topology::out(VertexId vertex) const {
  const std::uint32_t first = impl_->first_edge[vertex.index()];
  return std::span(impl_->edges).subspan(first, impl_->first_edge[vertex.index() + 1] - first);
}
VertexId Topology::gpu(int rank) const { return impl_->gpus.at(static_cast<std::size_t>(rank)); }
int Topology::gpus() const { return static_cast<int>(impl_->gpus.size()); }
const std::optional<FabricPlan>& Topology::plan() const { return impl_->plan; }

namespace {

/// Fills in what one flow gets that has the route to itself.
Route with_bandwidth(Route route, std::span<const TopologyEdge> edges) {
  route.bandwidth = Bandwidth(std::numeric_limits<double>::infinity());
  for (const RouteStep& step : route.steps) {
    const Bandwidth alone = edges[step.edge.index()].capacity / step.share;
    if (alone >= route.bandwidth) continue;
    route.bandwidth = alone;
    route.bottleneck = step.edge;
  }
  return route;
}

}  // namespace

Route Topology::route(int from, int to) const {
  if (from == to) return {};
  const VertexId a = gpu(from);
  const VertexId b = gpu(to);
  const std::int32_t node_a = impl_->vertices[a.index()].node;
  const std::int32_t node_b = impl_->vertices[b.index()].node;
  std::optional<Route> route;
  if (node_a == node_b) route = impl_->search({a, b, node_a, node_b, true});
  const SystemSpec& system_a = *impl_->system_of[static_cast<std::size_t>(node_a)];
  const SystemSpec& system_b = *impl_->system_of[static_cast<std::size_t>(node_b)];
  if (!route && system_a.p2p && system_b.p2p) route = impl_->need({a, b, node_a, node_b, false});
  if (!route) route = impl_->through_host(a, b);
  Route full = with_bandwidth(*std::move(route), impl_->edges);
  for (const SystemSpec* system : {&system_a, &system_b}) {
    if (!full.through_host || !system->host_bounce || *system->host_bounce >= full.bandwidth) continue;
    full.bandwidth = *system->host_bounce;
    full.host_limited = true;
  }
  return full;
}

std::optional<Route> Topology::wires(VertexId from, VertexId to) const {
  const std::int32_t node = impl_->vertices[from.index()].node;
  auto route = impl_->search({from, to, node, node, true});
  if (!route) route = impl_->search({from, to, node, node, false});
  if (!route) return std::nullopt;
  return with_bandwidth(*std::move(route), impl_->edges);
}

}  // namespace stepcast::hardware
