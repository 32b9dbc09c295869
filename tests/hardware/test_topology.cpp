#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hardware/bisection.hpp"
#include "hardware/topology.hpp"
#include "tests/catch.hpp"
#include "tests/hardware/cluster_of.hpp"

using namespace stepcast;
using namespace stepcast::hardware;
using stepcast::tests::cluster_of;
using stepcast::tests::read_cluster;

namespace {

Topology topology_of(const std::string& yaml) { return Topology(cluster_of(yaml)); }

double gb(Bandwidth rate) { return rate / 1_GBps; }

/// GB/s of one flow between two GPUs.
double rate(const Topology& topology, int a, int b) { return gb(topology.route(a, b).bandwidth); }

/// NVLinks that a route leaves its GPU by.
int links_used(const Topology& topology, const Route& route) {
  int links = 0;
  const VertexId first = topology.edges()[route.steps.front().edge.index()].from;
  for (const RouteStep& step : route.steps) {
    const TopologyEdge& edge = topology.edges()[step.edge.index()];
    if (edge.from == first) links += edge.links;
  }
  return links;
}

std::set<VertexKind> kinds_on(const Topology& topology, const Route& route) {
  std::set<VertexKind> kinds;
  for (const RouteStep& step : route.steps) {
    kinds.insert(topology.vertices()[topology.edges()[step.edge.index()].to.index()].kind);
  }
  return kinds;
}

}  // namespace

TEST_CASE("DGX-1 is a hybrid cube mesh: 6 links a GPU, 24 in all, no NVLink to the three far GPUs",
          "[topology]") {
  const Topology dgx1 = topology_of("{system: dgx1_v100_16gb}");
  int links = 0;
  std::map<std::size_t, int> of_gpu;
  for (const TopologyEdge& e : dgx1.edges()) {
    if (e.label != Label::nvlink) continue;
    links += e.links;
    of_gpu[e.from.index()] += e.links;
  }
  CHECK(links == 2 * 24);  // both directions
  REQUIRE(of_gpu.size() == 8);
  for (const auto& [gpu, count] : of_gpu) CHECK(count == 6);
  // as nvidia-smi prints it for such machines: GPU0 has NV1 NV1 NV2 NV2 and then SYS
  CHECK(rate(dgx1, 0, 1) == 25);
  CHECK(rate(dgx1, 0, 3) == 50);
  CHECK(rate(dgx1, 0, 4) == 50);
  CHECK_THAT(rate(dgx1, 0, 5), WithinRel(15.75, 1e-12));
  CHECK(kinds_on(dgx1, dgx1.route(0, 5)).contains(VertexKind::socket));
}

TEST_CASE("NVSwitch machines give every pair all links of a GPU", "[topology]") {
  struct Case {
    const char* system;
    int gpus, links;
    double gb_per_s;
  };
  for (const Case& c : {Case{"dgx2", 16, 6, 150}, Case{"dgx_a100_80gb", 8, 12, 300},
                        Case{"dgx_h100", 8, 18, 450}, Case{"dgx_b200", 8, 18, 900}}) {
    CAPTURE(c.system);
    const Topology topology = topology_of(std::string("{system: ") + c.system + "}");
    REQUIRE(topology.gpus() == c.gpus);
    for (int a = 0; a < c.gpus; ++a) {
      for (int b = 0; b < c.gpus; ++b) {
        if (a == b) continue;
        const Route route = topology.route(a, b);
        CHECK_THAT(gb(route.bandwidth), WithinRel(c.gb_per_s, 1e-9));
        CHECK(links_used(topology, route) == c.links);
      }
    }
  }
}

TEST_CASE("an NVL72 rack is one domain over its 18 trays", "[topology]") {
  const Topology rack = topology_of("{system: gb200_nvl72}");
  CHECK(rack.gpus() == 72);
  CHECK_THAT(rate(rack, 0, 71), WithinRel(900, 1e-9));
  CHECK(kinds_on(rack, rack.route(0, 71)) == std::set<VertexKind>{VertexKind::nvswitch, VertexKind::gpu});
  const Topology big = topology_of("{system: dgx_gh200_256}");
  CHECK_THAT(rate(big, 0, 7), WithinRel(450, 1e-9));    // one chassis
  CHECK_THAT(rate(big, 0, 255), WithinRel(450, 1e-9));  // over the second level
}

TEST_CASE("MI250X devices are joined by 50 to 200 GB/s", "[topology]") {
  const Topology frontier = topology_of("{system: frontier_mi250x_node}");
  CHECK_THAT(rate(frontier, 0, 1), WithinRel(200, 1e-9));  // one module
  CHECK_THAT(rate(frontier, 0, 6), WithinRel(100, 1e-9));
  CHECK_THAT(rate(frontier, 0, 2), WithinRel(50, 1e-9));
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      if (a != b) CHECK((rate(frontier, a, b) >= 50 - 1e-9 && rate(frontier, a, b) <= 200 + 1e-9));
    }
  }
}

TEST_CASE("ways of several hops split by what lies behind them", "[topology]") {
  // from device 0 to 3: over 1 (200, then 50) and over 2 (50, then 200): 50 each
  const Topology frontier = topology_of("{system: frontier_mi250x_node}");
  CHECK_THAT(rate(frontier, 0, 3), WithinRel(100, 1e-9));
  CHECK_FALSE(kinds_on(frontier, frontier.route(0, 3)).contains(VertexKind::socket));
}

TEST_CASE("what stays in a node does not leave it", "[topology]") {
  for (const char* system : {"dgx1_v100_16gb", "pcie_8x_rtx4090", "mi300x_8x", "l40s_8x"}) {
    CAPTURE(system);
    const Topology one = topology_of(std::string("{system: ") + system + "}");
    const Topology many = topology_of(std::string("{system: ") + system + ", nodes: 3}");
    for (int to = 1; to < one.gpus(); ++to) {
      CHECK(rate(one, 0, to) == rate(many, 0, to));
      CHECK(one.route(0, to).latency == many.route(0, to).latency);
      CHECK_FALSE(kinds_on(many, many.route(0, to)).contains(VertexKind::leaf));
    }
  }
}

TEST_CASE("a small dragonfly uses the links of a full group", "[fabric][bisection]") {
  // 4 nodes of 8 NICs on two switches: half of the NICs cross, at 25 GB/s each
  CHECK_THAT(gb(bisect_fabric(topology_of("{system: dgx_h100, nodes: 4, fabric: slingshot_11}"))),
             WithinRel(16 * 25, 1e-6));
}

TEST_CASE("bridged pairs use NVLink, the others PCIe, by levels", "[topology]") {
  const Topology box = topology_of("{system: pcie_4x_a100_bridges}");
  CHECK(links_used(box, box.route(0, 1)) == 12);
  CHECK(rate(box, 0, 1) == 300);
  CHECK(rate(box, 0, 2) == 31.5);
  // eight of them as inline node: NV12 in a pair, NODE in a socket, SYS across
  const Topology eight = topology_of("{node: {gpu: a100_pcie_80gb, gpus: 8, interconnect: nvlink_pairs}}");
  const auto bridges = [&](int a, int b) {
    int count = 0;
    const auto wires = eight.wires(eight.gpu(a), eight.gpu(b));
    for (const RouteStep& step : wires->steps) {
      const TopologyEdge& edge = eight.edges()[step.edge.index()];
      if (edge.label == Label::upi) return -1;  // SYS
      count += eight.vertices()[edge.to.index()].kind == VertexKind::host_bridge ? 1 : 0;
    }
    return count;
  };
  CHECK(bridges(0, 1) == 0);   // NV12
  CHECK(bridges(0, 2) == 2);   // NODE
  CHECK(bridges(0, 4) == -1);  // SYS
}

TEST_CASE("cards without peer access go through host memory", "[topology]") {
  const Topology box = topology_of("{system: pcie_8x_rtx4090}");
  for (const int to : {1, 2, 4}) {  // PIX, NODE, SYS
    const Route route = box.route(0, to);
    CHECK(route.through_host);
    CHECK(kinds_on(box, route).contains(VertexKind::memory));
    CHECK(gb(route.bandwidth) == 11);  // what its host makes of a staged copy
  }
  const Topology patched =
      topology_of("{node: {gpu: rtx4090, gpus: 4, interconnect: pcie_switch, p2p: true}}");
  CHECK_FALSE(patched.route(0, 1).through_host);
  CHECK(rate(patched, 0, 1) == 31.5);
  CHECK(kinds_on(patched, patched.route(0, 1)) ==
        std::set<VertexKind>{VertexKind::pcie_switch, VertexKind::gpu});
}

TEST_CASE("an override scales or cuts what it names and nothing else", "[topology][overrides]") {
  const Topology slow =
      topology_of("{system: dgx_h100, nodes: 2, overrides: [{link: nvlink, node: 1, scale: 0.3}]}");
  CHECK_THAT(rate(slow, 0, 1), WithinRel(450, 1e-9));
  CHECK_THAT(rate(slow, 8, 9), WithinRel(135, 1e-9));
  const Topology cut = topology_of(
      "{system: dgx1_v100_16gb, overrides: [{link: nvlink, node: 0, between: [0, 3], scale: 0}]}");
  CHECK(kinds_on(cut, cut.route(0, 3)).contains(VertexKind::pcie_switch));
  CHECK(rate(cut, 0, 4) == 50);
  const ClusterSpec cluster =
      cluster_of("{system: dgx_h100, nodes: 4, overrides: [{gpu: 17, compute_scale: 0.9}]}");
  CHECK(cluster.variants.size() == 2);  // one node of its own, no copy of the others
  CHECK(cluster.variants[1].gpu_scale[1] == 0.9);
  CHECK(cluster.runs.size() == 3);
  const Topology nic = topology_of(
      "{system: dgx_a100_80gb, nodes: 2, overrides: [{link: nic, node: 0, between: [nic0], scale: 0.5}]}");
  CHECK_THAT(
      rate(nic, 0, 8),
      WithinRel(31.5, 1e-9));  // nic0 at 12.5 and nic1 at 25 serve GPU 0 together: its PCIe link is narrower
}

TEST_CASE("overrides that name nothing or tear a node apart are located errors", "[overrides]") {
  const auto says = [](const std::string& overrides) {
    ClusterSpec cluster;
    return read_cluster("{system: dgx_a100_80gb, nodes: 2, overrides: [" + overrides + "]}", cluster);
  };
  CHECK_THAT(says("{link: nvlink, node: 2, scale: 0.5}"),
             ContainsSubstring("f.yaml:1:47: error: cluster.overrides[0]: there is no node 2; write 0 to 1"));
  CHECK_THAT(says("{link: xgmi, node: 0, scale: 0.5}"), ContainsSubstring("no xgmi link"));
  CHECK_THAT(says("{gpu: 16, compute_scale: 0.5}"), ContainsSubstring("there is no gpu 16; write 0 to 15"));
  CHECK_THAT(says("{link: nvlink, scale: 0}, {link: pcie, node: 0, scale: 0}"),
             ContainsSubstring("nothing joins gpu0 and gpu1"));
  CHECK_THAT(says("{link: nic, node: 1, scale: 0}"), ContainsSubstring("nothing joins gpu0 and the network"));
  CHECK_THAT(says("{link: nvlink, node: 0}"), ContainsSubstring("missing key 'scale'"));
  CHECK_THAT(says("{gpu: 0, node: 1, compute_scale: 0.5}"), ContainsSubstring("a slow GPU has no such key"));
  CHECK_THAT(says("{link: pcie, between: [gpu0], scale: 0.5}"), ContainsSubstring("1 ends"));
  CHECK_THAT(says("{link: fabric, scale: 0}"), ContainsSubstring("nothing joins the nodes"));
  CHECK_THAT(says("{scale: 2}"), ContainsSubstring("either a link or a gpu"));
  CHECK_THAT(says("{link: fabric, node: 0, scale: 0.5}"), ContainsSubstring("belong to no node"));
}

TEST_CASE("cluster keys are checked against each other", "[cluster]") {
  const auto says = [](const std::string& yaml) {
    ClusterSpec cluster;
    return read_cluster(yaml, cluster);
  };
  CHECK_THAT(says("{system: dgx_h100, gpus: 9}"), ContainsSubstring("9 GPUs, but the cluster has 8"));
  CHECK_THAT(says("{nodes: 2}"), ContainsSubstring("one of `system` and `node`"));
  CHECK_THAT(says("{groups: [{system: dgx_h100}], system: dgx_h100}"),
             ContainsSubstring("`groups` says which machines there are"));
  CHECK_THAT(says("{node: {gpu: rtx4090, gpus: 2, interconnect: pcie_host}, nodes: 2}"),
             ContainsSubstring("share no network"));
  CHECK_THAT(says("{groups: [{system: dgx_h100}, {system: gcp_a4}]}"), ContainsSubstring("share no network"));
  CHECK_THAT(says("{system: dgx_h100, nodes: 200, fabric: {base: ib_ndr, topology: {kind: single_switch}}}"),
             ContainsSubstring("cluster.fabric: one switch of 64 ports holds no 1600 NICs"));
  CHECK_THAT(says("{system: dgx_h100, nodes: 3, fabric: {base: ib_ndr, topology: {kind: point_to_point}}}"),
             ContainsSubstring("point to point joins two nodes"));
}

TEST_CASE("one level of rails joins no rails", "[cluster]") {
  ClusterSpec cluster;
  CHECK_THAT(read_cluster("{system: dgx_h100, nodes: 2, fabric: {base: ib_ndr_rail, topology: {levels: 1}}}",
                          cluster),
             ContainsSubstring("cluster.fabric: rails are joined by spines"));
}

TEST_CASE("mixed groups keep their own machines on one fabric", "[cluster]") {
  const ClusterSpec cluster =
      cluster_of("{groups: [{system: dgx_a100_80gb, nodes: 2}, {system: dgx_h100, nodes: 2}]}");
  CHECK(cluster.nodes() == 4);
  CHECK(cluster.total_gpus() == 32);
  const Topology topology(cluster);
  CHECK_THAT(rate(topology, 0, 1), WithinRel(300, 1e-9));
  CHECK_THAT(rate(topology, 16, 17), WithinRel(450, 1e-9));
}

TEST_CASE("fat trees take as many levels as their switches need", "[fabric]") {
  const auto plan = [](int nodes, const std::string& topology) {
    const Topology t = topology_of("{system: dgx_h100, nodes: " + std::to_string(nodes) +
                                   ", fabric: {base: ib_ndr, topology: " + topology + "}}");
    return *t.plan();
  };
  // 64-port switches: 64 NICs on one, 64 x 32 on two levels, 64^3/4 on three
  CHECK(plan(8, "{kind: fat_tree}").levels() == 1);
  CHECK(plan(9, "{kind: fat_tree}").levels() == 2);
  CHECK(plan(256, "{kind: fat_tree}").levels() == 2);
  CHECK(plan(257, "{kind: fat_tree}").levels() == 3);
  const FabricPlan two = plan(256, "{kind: fat_tree}");
  CHECK(two.leaves == 64);
  CHECK(two.spines_per_pod == 32);  // 3N/R switches in all: 96 of 64 ports for 2,048 NICs
  CHECK(two.leaf_spine == 50.0_GBps);
  const FabricPlan three = plan(1024, "{kind: fat_tree}");
  // 8,192 NICs: 640 switches (5N/R), the count of a published example
  CHECK(three.leaves + three.pods * three.spines_per_pod + three.cores_per_spine * three.spines_per_pod ==
        640);
}

TEST_CASE("bisection is half of the NICs over the oversubscription", "[fabric][bisection]") {
  const auto across = [](const std::string& topology) {
    const Topology t =
        topology_of("{system: dgx_h100, nodes: 64, fabric: {base: ib_ndr, topology: " + topology + "}}");
    return gb(bisect_fabric(t));
  };
  const double half = 32 * 8 * 50;
  CHECK_THAT(across("{kind: fat_tree}"), WithinRel(half, 1e-6));
  CHECK_THAT(across("{kind: fat_tree, levels: 3}"), WithinRel(half, 1e-6));
  CHECK_THAT(across("{kind: rail_optimised}"), WithinRel(half, 1e-6));
  // 4:1 leaves 51 ports down and 51/4 up: the halves lie on leaves of their own but for the one in the middle
  const double oversubscribed = across("{kind: fat_tree, oversubscription: 4}");
  CHECK(oversubscribed < half / 3.5);
  CHECK(oversubscribed > half / 4.5);
}

TEST_CASE("in rails the same GPU of two nodes is one switch apart, others two hops more", "[fabric]") {
  const Topology t = topology_of("{system: dgx_h100, nodes: 4, fabric: ib_ndr_rail}");
  const Route same = t.route(0, 8);
  const Route other = t.route(0, 9);
  CHECK_FALSE(kinds_on(t, same).contains(VertexKind::spine));
  CHECK(kinds_on(t, other).contains(VertexKind::spine));
  const double hop = 0.3e-6;  // of the fabric's switch
  CHECK_THAT((other.latency - same.latency).base(), WithinAbs(2 * hop, 1e-12));
}

TEST_CASE("a dragonfly crosses groups by one global link", "[fabric]") {
  const Topology t = topology_of("{system: frontier_mi250x_node, nodes: 512}");
  REQUIRE(t.plan()->topology == FabricTopology::dragonfly);
  CHECK(t.plan()->pods > 1);
  const Route far = t.route(1, 8 * 511 + 1);
  std::size_t switches = 0;
  for (const RouteStep& step : far.steps)
    switches += t.edges()[step.edge.index()].label == Label::fabric ? 1U : 0U;
  CHECK(switches >= 1);
  CHECK(switches <= 6);  // at most local, global, local; by two equal ways
}

TEST_CASE("two nodes back to back need no switch", "[fabric]") {
  const Topology t =
      topology_of("{system: dgx_h100, nodes: 2, fabric: {base: ib_ndr, topology: {kind: point_to_point}}}");
  CHECK_THAT(rate(t, 3, 11), WithinRel(50, 1e-9));
  CHECK(t.plan()->leaves == 8);
}

TEST_CASE("a fabric other than the machine's own brings its NICs", "[fabric]") {
  const Topology t = topology_of("{system: dgx_h100, nodes: 2, fabric: ib_xdr}");
  CHECK_THAT(rate(t, 0, 8), WithinRel(63, 1e-9));  // 800 Gb/s are more than PCIe 5.0 carries
}

TEST_CASE("every system of the catalogue makes a graph whose routes conserve the flow",
          "[topology][property]") {
  const Catalog catalog({STEPCAST_CATALOG_DIR});
  for (const Entry& entry : catalog.entries(Kind::system)) {
    CAPTURE(entry.id);
    const ClusterSpec cluster = cluster_of("{system: " + entry.id + "}");
    const Topology topology(cluster);
    for (int to = 1; to < topology.gpus(); to += std::max(1, topology.gpus() / 8)) {
      CAPTURE(to);
      const Route route = topology.route(0, to);
      CHECK(route.bandwidth > Bandwidth());
      CHECK(std::isfinite(route.bandwidth.base()));
      CHECK(route.latency > Seconds());
      std::map<std::size_t, double> balance;
      for (const RouteStep& step : route.steps) {
        const TopologyEdge& edge = topology.edges()[step.edge.index()];
        balance[edge.from.index()] += step.share;
        balance[edge.to.index()] -= step.share;
      }
      for (const auto& [vertex, sum] : balance) {
        const double expected = vertex == topology.gpu(0).index()    ? 1.0
                                : vertex == topology.gpu(to).index() ? -1.0
                                                                     : 0.0;
        CHECK_THAT(sum, WithinAbs(expected, 1e-12));
      }
    }
  }
}

TEST_CASE("edges leave their vertex in one run, and a half-duplex link is one resource", "[topology]") {
  const Topology t = topology_of("{system: dgx_a100_80gb, nodes: 2}");
  for (std::size_t v = 0; v < t.vertices().size(); ++v) {
    for (const TopologyEdge& e : t.out(VertexId(v))) CHECK(e.from == VertexId(v));
  }
  std::size_t total = 0;
  for (std::size_t v = 0; v < t.vertices().size(); ++v) total += t.out(VertexId(v)).size();
  CHECK(total == t.edges().size());
  for (std::size_t e = 0; e < t.edges().size(); ++e)
    CHECK(t.edges()[e].shared == EdgeId(e));  // all full duplex
}

TEST_CASE("a bisection of any size comes out", "[bisection]") {
  const auto big =
      cluster_of("{system: dgx_h100, overrides: [{link: nvlink, scale: 1e6}, {link: nvlink, scale: 1e6}]}");
  CHECK_THAT(gb(bisect_node(big.variants[0]).halves), WithinRel(1800e12, 1e-6));
}

TEST_CASE("the bisection of a node", "[bisection]") {
  const auto node = [](const std::string& system) {
    return bisect_node(cluster_of("{system: " + system + "}").variants[0]);
  };
  CHECK_THAT(gb(node("dgx_a100_80gb").halves), WithinRel(4 * 300, 1e-9));
  CHECK_THAT(gb(node("dgx2").halves), WithinRel(48 * 25, 1e-9));  // 48 links between the two boards
  CHECK_THAT(gb(node("mi300x_8x").halves), WithinRel(16 * 64, 1e-9));
  // DGX-1: the squares are joined by 6 links; no split of the 8 GPUs cuts fewer
  CHECK_THAT(gb(node("dgx1_v100_16gb").halves), WithinRel(6 * 25, 1e-9));
  CHECK_THAT(gb(*node("dgx1_v100_16gb").worst), WithinRel(6 * 25, 1e-9));
  // 4 x 4090 on one switch: two cards to two
  const auto switch_box =
      cluster_of("{node: {gpu: rtx4090, gpus: 4, interconnect: pcie_switch}}").variants[0];
  CHECK_THAT(gb(bisect_node(switch_box).halves), WithinRel(2 * 31.5, 1e-9));
}
