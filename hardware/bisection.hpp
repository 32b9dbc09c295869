#pragma once

// What crosses a cluster or a node cut into halves: a maximum flow, in one direction.

#include "hardware/topology.hpp"

namespace stepcast::hardware {

struct NodeBisection {
  Bandwidth halves;                ///< from the first half of the GPUs to the second
  std::optional<Bandwidth> worst;  ///< the least over all ways to split the GPUs in two; up to 8 GPUs
};

/// Over links between GPUs alone where there are any between the halves, else over everything in the node.
NodeBisection bisect_node(const NodeVariant& variant);

/// From the NICs of the first half of the nodes to those of the second.
Bandwidth bisect_fabric(const Topology& topology);

}  // namespace stepcast::hardware
