#pragma once

// The hardware graph, expanded: every GPU, switch, bridge, socket, NIC and the directed edges between them.
// For a cluster as a description see cluster.hpp; for one node of it node_template.hpp.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "hardware/cluster.hpp"
#include "hardware/fabric_plan.hpp"
#include "hardware/node_template.hpp"

namespace stepcast::hardware {

struct VertexTag;
struct EdgeTag;
using VertexId = Id<VertexTag>;
using EdgeId = Id<EdgeTag>;

struct TopologyVertex {
  VertexKind kind = VertexKind::gpu;
  std::int32_t node = -1;  ///< -1: in the fabric
  std::int32_t index = 0;  ///< among its kind in its node, or in the fabric
};
/// "node3.gpu0", "leaf12"
std::string to_text(const TopologyVertex& vertex);

/// One direction of a bundle of links.
struct TopologyEdge {
  VertexId from;
  VertexId to;
  Bandwidth capacity;
  Picoseconds latency = 0;
  Label label = Label::pcie;
  std::int32_t links = 1;
  EdgeId shared;  ///< half duplex: the edge whose capacity this one shares; full duplex: itself
};

/// A share of a flow on each edge that it takes.
struct RouteStep {
  EdgeId edge;
  double share = 1.0;
};

struct Route {
  std::vector<RouteStep> steps;
  Seconds latency;
  Bandwidth bandwidth;  ///< of one flow that has the path to itself
  EdgeId bottleneck;
  bool host_limited = false;  ///< the machine's host_bounce is narrower than any edge
  bool through_host = false;  ///< staged in host memory, because peer access is not allowed
};

class Topology {
 public:
  /// Throws InternalError where the description does not fit together: check with plan_fabric first.
  explicit Topology(const ClusterSpec& cluster);
  ~Topology();
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;

  [[nodiscard]] std::span<const TopologyVertex> vertices() const;
  [[nodiscard]] std::span<const TopologyEdge> edges() const;
  /// The edges that leave a vertex: a contiguous run of edges().
  [[nodiscard]] std::span<const TopologyEdge> out(VertexId vertex) const;
  [[nodiscard]] VertexId gpu(int rank) const;
  [[nodiscard]] int gpus() const;
  /// No value with one node.
  [[nodiscard]] const std::optional<FabricPlan>& plan() const;

  /// How data goes from one GPU to another: over links between GPUs if they reach, else the way of least
  /// latency over PCIe, sockets and NICs, shared over equal ways in proportion to their capacity; by way of
  /// host memory where the driver forbids peer access. A route to itself is empty.
  [[nodiscard]] Route route(int from, int to) const;

  /// The wires between two vertices of one node, whatever drivers allow: what nvidia-smi's levels describe.
  /// Nothing where only further GPUs join them.
  [[nodiscard]] std::optional<Route> wires(VertexId from, VertexId to) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepcast::hardware
