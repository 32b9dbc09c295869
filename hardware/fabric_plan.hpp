#pragma once

// How many switches a fabric needs for a number of nodes and what they are joined by: by counting, without
// building any of them. Uplinks are spread evenly, so that a bundle may hold a fraction of a link: the fluid
// view of equal-cost multipath.

#include <cstddef>
#include <string>
#include <vector>

#include "hardware/cluster.hpp"
#include "hardware/node_template.hpp"

namespace stepcast::hardware {

/// Leaves hold the NICs. A pod is a set of leaves joined by its own spines (a tree of two levels is one pod;
/// in a dragonfly a pod is a group and there are no spines). A cable from point to point counts as a leaf
/// that adds nothing. Cores join the spines of all pods: core group i joins the i-th spine of each.
struct FabricPlan {
  FabricTopology topology = FabricTopology::single_switch;
  int nics_per_node = 0;   ///< of the node with the most
  int nodes_per_leaf = 0;  ///< rail-optimised: nodes whose i-th NICs share a leaf
  int nics_per_leaf = 0;
  int leaves = 0;
  int leaves_per_pod = 0;
  int pods = 0;
  int spines_per_pod = 0;
  int cores_per_spine = 0;     ///< cores in the group of one spine index
  Bandwidth leaf_spine;        ///< each leaf to each spine of its pod
  Bandwidth spine_core;        ///< each spine to each core of its group
  Bandwidth leaf_leaf;         ///< dragonfly: each pair of a group
  Bandwidth leaf_column;       ///< dragonfly: a leaf to the leaf of the same index in each other group
  Picoseconds hop = 0;         ///< added by each switch after the first
  Picoseconds one_switch = 0;  ///< GPU to GPU through one switch

  [[nodiscard]] int leaf_of(int node, int nic) const;
  [[nodiscard]] int pod_of(int leaf) const { return leaf / leaves_per_pod; }
  [[nodiscard]] int levels() const;
};

/// The plan for a cluster of several nodes; `problem` says in one line why there is none.
FabricPlan plan_fabric(const ClusterSpec& cluster, std::string& problem);

/// Of the cable from each NIC to its leaf: half of the GPU-to-GPU latency through one switch, less what the
/// way inside the node takes already; at least half of a switch's latency, where the published figure leaves
/// less than that.
std::vector<Picoseconds> cable_latencies(const NodeTemplate& node, const FabricPlan& plan);

/// What a NIC's cable carries: the slower of NIC and port; zero where it is cut.
Bandwidth cable_rate(const NodeTemplate& node, std::size_t nic, const FabricSpec& fabric);

}  // namespace stepcast::hardware
