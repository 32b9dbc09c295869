#pragma once

// Ranks, links and switches that behave alike, found without building the graph: the coarsest equitable
// partition (colour refinement, also known as 1-dimensional Weisfeiler-Leman) over GPUs, the groups that they
// talk in, and the hardware between them. Groups are unordered sets: order and position in a ring are no
// labels. A node is refined once for all nodes that look alike from outside and inside; of the fabric only
// its leaves, pods and cores are counted. Colours are 64-bit hashes: that two different ones meet has a
// probability of about n^2 / 2^65 over n colours.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hardware/cluster.hpp"
#include "hardware/topology.hpp"

namespace stepcast::sim {

/// Sets of ranks of one kind: the tensor-parallel groups of a job, say.
struct GroupFamily {
  std::string name;
  std::vector<std::uint32_t> ranks;  ///< all sets, one behind the other
  std::vector<std::uint32_t> first;  ///< where each begins in `ranks`, and the end of the last

  [[nodiscard]] std::size_t groups() const { return first.empty() ? 0 : first.size() - 1; }
  void add(std::span<const std::uint32_t> group);
};

struct VertexClass {
  hardware::VertexKind kind = hardware::VertexKind::gpu;
  std::uint64_t size = 0;            ///< vertices in it
  hardware::TopologyVertex example;  ///< the first of them
};

/// Edges of one kind from each vertex of a class: `count` of them lead to vertices of another (or the same).
struct ClassEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t count = 0;
  Bandwidth capacity;  ///< of one
  hardware::Picoseconds latency = 0;
  hardware::Label label = hardware::Label::pcie;
  std::int32_t links = 1;
  bool half_duplex = false;
};

struct ClassMembers {
  std::uint32_t rank_class = 0;
  std::uint32_t count = 0;
};

/// Groups of one family with the same number of members of each class.
struct GroupClass {
  std::uint32_t family = 0;
  std::uint64_t groups = 0;
  std::vector<ClassMembers> members;
};

struct Quotient {
  std::vector<VertexClass> classes;  ///< those of GPUs first
  std::vector<ClassEdge> edges;      ///< by `from`
  std::vector<GroupClass> group_classes;
  std::vector<std::uint32_t> class_of_rank;  ///< also of ranks that are not in use

  [[nodiscard]] std::size_t rank_classes() const;
};

Quotient fold(const hardware::ClusterSpec& cluster, std::span<const GroupFamily> families);

}  // namespace stepcast::sim
