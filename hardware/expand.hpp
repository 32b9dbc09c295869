#pragma once

// Puts the nodes and switches of a cluster together into one graph. Internal to the topology.

#include <cstdint>
#include <optional>
#include <vector>

#include "hardware/topology.hpp"

namespace stepcast::hardware {

struct ExpandedGraph {
  std::vector<TopologyVertex> vertices;
  std::vector<TopologyEdge> edges;        ///< by the vertex that they leave
  std::vector<std::uint32_t> first_edge;  ///< of each vertex, and one past the last
  std::vector<VertexId> gpus;
  std::optional<FabricPlan> plan;
};

ExpandedGraph expand(const ClusterSpec& cluster);

}  // namespace stepcast::hardware
