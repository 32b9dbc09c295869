// The folded quotient against plain colour refinement of the expanded graph.

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/network/classes.hpp"
#include "tests/catch.hpp"
#include "tests/hardware/cluster_of.hpp"
#include "tests/sim/network/refine.hpp"

using namespace stepcast;
using namespace stepcast::hardware;
using namespace stepcast::sim;
using stepcast::tests::cluster_of;
using stepcast::tests::refine;

namespace {

/// Whether two labellings make the same partition.
template <class A, class B>
bool same_partition(const std::vector<A>& a, const std::vector<B>& b) {
  std::map<A, B> forth;
  std::map<B, A> back;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (forth.try_emplace(a[i], b[i]).first->second != b[i] ||
        back.try_emplace(b[i], a[i]).first->second != a[i])
      return false;
  }
  return a.size() == b.size();
}

/// Tensor, data and pipeline groups of a job whose innermost axis is tensor, then data.
std::vector<GroupFamily> job(std::uint32_t ranks, std::uint32_t tensor, std::uint32_t pipeline) {
  const std::uint32_t data = ranks / tensor / pipeline;
  const auto rank = [&](std::uint32_t t, std::uint32_t d, std::uint32_t p) {
    return t + tensor * (d + data * p);
  };
  std::vector<GroupFamily> families = {{"tensor", {}, {}}, {"data", {}, {}}, {"pipeline", {}, {}}};
  std::vector<std::uint32_t> group;
  for (std::uint32_t p = 0; p < pipeline; ++p) {
    for (std::uint32_t d = 0; d < data; ++d) {
      group.clear();
      for (std::uint32_t t = 0; t < tensor; ++t) group.push_back(rank(t, d, p));
      families[0].add(group);
    }
    for (std::uint32_t t = 0; t < tensor; ++t) {
      group.clear();
      for (std::uint32_t d = 0; d < data; ++d) group.push_back(rank(t, d, p));
      families[1].add(group);
    }
  }
  for (std::uint32_t d = 0; d < data; ++d) {
    for (std::uint32_t t = 0; t < tensor; ++t) {
      group.clear();
      for (std::uint32_t p = 0; p < pipeline; ++p) group.push_back(rank(t, d, p));
      families[2].add(group);
    }
  }
  return families;
}

/// The quotient has the partition, the sizes and the edge counts of the expanded graph's refinement.
void check_fold(const std::string& yaml, const std::vector<GroupFamily>& families) {
  CAPTURE(yaml);
  const ClusterSpec cluster = cluster_of(yaml);
  const Topology topology(cluster);
  const std::vector<int> colours = refine(cluster, topology, families);
  const Quotient quotient = fold(cluster, families);
  std::vector<int> of_rank;
  for (int r = 0; r < topology.gpus(); ++r) of_rank.push_back(colours[topology.gpu(r).index()]);
  CHECK(same_partition(of_rank, quotient.class_of_rank));
  std::map<VertexKind, std::map<int, std::uint64_t>> sizes;
  for (std::size_t v = 0; v < topology.vertices().size(); ++v)
    ++sizes[topology.vertices()[v].kind][colours[v]];
  std::map<VertexKind, std::vector<std::uint64_t>> expanded;
  for (const auto& [kind, of_colour] : sizes) {
    for (const auto& [colour, size] : of_colour) expanded[kind].push_back(size);
  }
  std::map<VertexKind, std::vector<std::uint64_t>> folded;
  for (const VertexClass& c : quotient.classes) folded[c.kind].push_back(c.size);
  for (auto& [kind, list] : expanded) std::sort(list.begin(), list.end());
  for (auto& [kind, list] : folded) std::sort(list.begin(), list.end());
  CHECK(expanded == folded);
  std::uint64_t edges = 0;
  for (const ClassEdge& e : quotient.edges) edges += e.count * quotient.classes[e.from].size;
  CHECK(edges == topology.edges().size());
  std::uint64_t groups = 0;
  for (const GroupClass& g : quotient.group_classes) groups += g.groups;
  std::uint64_t given = 0;
  for (const GroupFamily& f : families) given += f.groups();
  CHECK(groups == given);
}

}  // namespace

TEST_CASE("nodes that are alike fold into one", "[classes]") {
  const ClusterSpec cluster = cluster_of("{system: dgx_h100, nodes: 32}");
  const auto families = job(256, 8, 1);
  const Quotient quotient = fold(cluster, families);
  CHECK(quotient.rank_classes() == 1);
  CHECK(quotient.classes[0].size == 256);
  CHECK(quotient.group_classes.size() == 3);
}

TEST_CASE("folded equals refined for the usual machines and fabrics", "[classes]") {
  check_fold("{system: dgx_a100_80gb}", job(8, 4, 1));
  check_fold("{system: dgx1_v100_16gb, nodes: 4}", job(32, 8, 2));
  check_fold("{system: dgx_h100, nodes: 12, fabric: {base: ib_ndr, switch: {ports: 8, latency: 0.3 us}}}",
             job(96, 8, 2));
  check_fold(
      "{system: dgx_h100, nodes: 12, fabric: {base: ib_ndr_rail, switch: {ports: 8, latency: 0.3 us}}}",
      job(96, 8, 3));
  check_fold(
      "{system: frontier_mi250x_node, nodes: 9, fabric: {base: slingshot_11, switch: {ports: 8, latency: 0.3 "
      "us}, "
      "topology: {group_size: 3}}}",
      job(72, 4, 1));
  check_fold("{system: pcie_8x_rtx4090, nodes: 2}", job(16, 2, 2));
  check_fold("{system: dgx_h100, nodes: 2, fabric: {base: ib_ndr, topology: {kind: point_to_point}}}",
             job(16, 8, 1));
  check_fold(
      "{node: {gpu: rtx4090, gpus: 1, interconnect: none, nics: {count: 2, rate: 200 Gb/s, kind: "
      "infiniband}}, nodes: 9, "
      "fabric: {base: ib_hdr, switch: {ports: 6, latency: 0.3 us}, topology: {kind: dragonfly, group_size: "
      "3}}, "
      "overrides: [{gpu: 0, compute_scale: 0.5}]}",
      {});
  check_fold("{groups: [{system: pcie_8x_rtx4090}, {node: {base: pcie_8x_rtx4090, host_bounce: 2 GB/s}}]}",
             job(16, 2, 1));
  check_fold("{groups: [{system: dgx_a100_80gb, nodes: 3}, {system: dgx_h100, nodes: 2}]}", job(40, 8, 1));
}

TEST_CASE("folded equals refined over random clusters, jobs and overrides", "[classes][property]") {
  std::mt19937 random(20261130);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::vector<std::string> systems = {"dgx_a100_80gb", "dgx1_v100_16gb", "mi300x_8x",
                                            "l40s_8x",       "aws_p4d",        "frontier_mi250x_node"};
  const std::vector<std::string> kinds = {"{kind: fat_tree}", "{kind: fat_tree, oversubscription: 2}",
                                          "{kind: rail_optimised}", "{kind: dragonfly, group_size: 3}"};
  for (int i = 0; i < 40; ++i) {
    const std::uint32_t nodes = 2 + pick(9);
    const std::uint32_t ranks = 8 * nodes;
    std::string overrides;
    for (std::uint32_t k = pick(4); k > 0; --k) {
      const std::string node = std::to_string(pick(nodes));
      const std::string scale = pick(2) == 0 ? "0.5" : "0.25";
      switch (pick(3)) {
        case 0:
          overrides += "{gpu: " + std::to_string(pick(ranks)) + ", compute_scale: " + scale + "}, ";
          break;
        case 1: overrides += "{link: pcie, node: " + node + ", scale: " + scale + "}, "; break;
        default:
          overrides += "{link: nic, node: " + node + ", between: [nic0], scale: " + scale + "}, ";
          break;
      }
    }
    const std::uint32_t tensor = 1U << pick(4);
    const std::uint32_t pipeline = nodes % 2 == 0 ? 1 + pick(2) : 1;
    check_fold("{system: " + systems[pick(static_cast<std::uint32_t>(systems.size()))] +
                   ", nodes: " + std::to_string(nodes) +
                   ", fabric: {base: ib_hdr, switch: {ports: 8, latency: 0.3 us}, topology: " +
                   kinds[pick(static_cast<std::uint32_t>(kinds.size()))] + "}, overrides: [" + overrides +
                   "]}",
               job(ranks, tensor, pipeline));
  }
}

TEST_CASE("one slow node among 2,048 gives fewer than 100 classes", "[classes]") {
  const auto families = job(16384, 8, 16);
  const auto folded = [&](const std::string& override) {
    return fold(cluster_of("{system: dgx_h100, nodes: 2048, overrides: [" + override + "]}"), families);
  };
  const Quotient slow_node = folded("{link: nvlink, node: 540, scale: 0.5}");
  INFO(slow_node.rank_classes() << " rank classes, " << slow_node.classes.size() << " in all");
  CHECK(slow_node.classes.size() < 100);  // of ranks and hardware together
  CHECK(slow_node.rank_classes() > 3);
  const Quotient slow_gpu = folded("{gpu: 4321, compute_scale: 0.9}");
  CHECK(slow_gpu.rank_classes() < 100);
  CHECK(slow_gpu.rank_classes() > slow_node.rank_classes());
  std::uint64_t ranks = 0;
  for (const VertexClass& c : slow_gpu.classes) ranks += c.kind == VertexKind::gpu ? c.size : 0;
  CHECK(ranks == 16384);
}

TEST_CASE("unused GPUs are a class of their own", "[classes]") {
  const Quotient quotient = fold(cluster_of("{system: dgx_h100, nodes: 1, gpus: 4}"), {});
  CHECK(quotient.rank_classes() == 2);
  CHECK(quotient.class_of_rank[0] != quotient.class_of_rank[4]);
}
