#pragma once

// The state of colour refinement over a cluster that is described, not expanded. Internal to classes.cpp
// (which refines) and quotient.cpp (which reads the result off).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/network/classes.hpp"

namespace stepcast::sim {

using Colour = std::uint64_t;

/// A node variant, with what its vertices and edges look like.
struct ColouredVariant {
  hardware::NodeTemplate node;
  std::vector<Colour> own;                             ///< of each vertex
  std::vector<Colour> forth, back;                     ///< of each edge, from a and from b
  std::vector<hardware::Picoseconds> cable_latencies;  ///< of each NIC
  std::vector<Colour> cables;                          ///< of each NIC's cable, from either end; 0: cut
};

/// Nodes that look alike.
struct NodeClass {
  std::size_t variant = 0;
  std::uint32_t example = 0;  ///< the first such node
  std::uint64_t nodes = 0;
  std::vector<Colour> colours;    ///< of each vertex of the template
  std::vector<Colour> seen_nics;  ///< what a leaf sees of each NIC; 0: cut
};

struct Refinement {
  std::vector<ColouredVariant> variants;
  std::optional<hardware::FabricPlan> plan;
  std::vector<NodeClass> node_classes;
  std::vector<std::uint32_t> class_of_node;
  std::vector<std::uint32_t> first_rank;   ///< of each node
  std::vector<std::uint32_t> first_nic;    ///< of each node, in leaf_of_nic
  std::vector<std::uint32_t> leaf_of_nic;  ///< of all NICs of all nodes
  std::vector<Colour> ranks;               ///< of each GPU
  std::vector<Colour> leaves;
  std::vector<Colour> spines;  ///< of each pod: its spines are alike
  Colour core = 0;             ///< cores are alike

  [[nodiscard]] std::size_t pod_of(std::size_t leaf) const {
    return leaf / static_cast<std::size_t>(plan->leaves_per_pod);
  }
};

/// Refines until nothing splits any more.
Refinement refine(const hardware::ClusterSpec& cluster, std::span<const GroupFamily> families);

/// Of one group: the family and the sum of its members' colours.
Colour group_colour(const Refinement& state, const GroupFamily& family, std::size_t family_number,
                    std::size_t group);

}  // namespace stepcast::sim
