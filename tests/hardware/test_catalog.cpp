#include <algorithm>
#include <string>
#include <vector>

#include "hardware/catalog.hpp"
#include "hardware/interconnect.hpp"
#include "hardware/load.hpp"
#include "hardware/node.hpp"
#include "hardware/source.hpp"
#include "tests/catch.hpp"

using namespace stepcast;
using namespace stepcast::hardware;

namespace {

Catalog shipped() { return Catalog({STEPCAST_CATALOG_DIR}); }

std::string id_of(Kind kind, std::string_view name) {
  const Match match = shipped().find(kind, name);
  return match.entry ? match.entry->id : match.problem + "; " + match.hint;
}

/// Reads an inline node; its problems as one text.
std::string read_node(const std::string& yaml, SystemSpec& system) {
  Diagnostics problems;
  if (const auto tree = parse_yaml(yaml, "f.yaml", problems))
    read(Reader(*tree, "node", problems), system, shipped());
  std::string text;
  for (const Diagnostic& d : problems.sorted()) text += to_text(d) + "\n";
  return text;
}

int links_between(const NodeGraph& graph, Vertex a, Vertex b) {
  int links = 0;
  for (const NodeEdge& e : graph.edges) {
    if ((e.a == a && e.b == b) || (e.a == b && e.b == a)) links += e.count;
  }
  return links;
}

}  // namespace

TEST_CASE("names are folded, aliased, or unique", "[catalog]") {
  CHECK(id_of(Kind::gpu, "a100_sxm4_80gb") == "a100_sxm4_80gb");
  CHECK(id_of(Kind::gpu, "A100-SXM4 80GB") == "a100_sxm4_80gb");
  CHECK(id_of(Kind::gpu, "NVIDIA A100-SXM4-80GB") == "a100_sxm4_80gb");  // as nvidia-smi prints it
  CHECK(id_of(Kind::gpu, "Tesla V100-SXM2-16GB") == "v100_sxm2_16gb");
  CHECK(id_of(Kind::gpu, "NVIDIA GeForce RTX 4090") == "rtx4090");
  CHECK(id_of(Kind::gpu, "a100-80gb") == "a100_sxm4_80gb");
  CHECK(id_of(Kind::gpu, "h100") == "h100_sxm5_80gb");
  CHECK(id_of(Kind::gpu, "b200") == "b200_sxm_180gb");
  CHECK(id_of(Kind::gpu, "3090") == "rtx3090");
  CHECK(id_of(Kind::gpu, "RTX 2080 Ti") == "rtx2080ti");
  CHECK(id_of(Kind::gpu, "A100 80GB SXM") == "a100_sxm4_80gb");
  CHECK(id_of(Kind::system, "AWS p4d.24xlarge") == "aws_p4d");  // as `list` prints it
  CHECK(id_of(Kind::system, "p5.48xlarge") == "aws_p5");
  CHECK(id_of(Kind::system, "dgx_a100") == "dgx_a100_80gb");
  CHECK(id_of(Kind::price, "h100") == "h100_sxm5_80gb");
}

TEST_CASE("what a name was taken for is said", "[catalog]") {
  CHECK(shipped().find(Kind::gpu, "a100_sxm4_80gb").note.empty());
  CHECK(shipped().find(Kind::gpu, "h100").note == "'h100' means h100_sxm5_80gb");
}

TEST_CASE("a name that fits several lists them, an unknown one names the nearest", "[catalog]") {
  CHECK_THAT(id_of(Kind::gpu, "v100"),
             ContainsSubstring(
                 "fits several gpu entries; write one of: v100_pcie_16gb, v100_pcie_32gb, v100_sxm2_16gb"));
  CHECK_THAT(id_of(Kind::gpu, "a100_sxm4_80bg"), ContainsSubstring("did you mean a100_sxm4_80gb?"));
  CHECK_THAT(id_of(Kind::gpu, "abacus"), ContainsSubstring("`stepcast list gpu` shows them all"));
  CHECK_THAT(id_of(Kind::gpu, "gtx 1080"),
             ContainsSubstring("did you mean gtx1080ti?"));  // another product: not taken
  CHECK_THAT(id_of(Kind::gpu, "dgx_h100"), ContainsSubstring("dgx_h100 is a system"));
  CHECK_THAT(id_of(Kind::gpu, "../gpus/a10"), ContainsSubstring("unknown gpu"));
  CHECK_THAT(id_of(Kind::gpu, std::string(5000, 'a')), ContainsSubstring("unknown gpu"));
  CHECK_THAT(id_of(Kind::gpu, ""), ContainsSubstring("unknown gpu"));
}

TEST_CASE("every alias leads to an entry", "[catalog]") {
  Diagnostics problems;
  const auto table = load_yaml(STEPCAST_CATALOG_DIR "/aliases.yaml", problems);
  REQUIRE(table);
  const Catalog catalog = shipped();
  int aliases = 0;
  for (const YamlEntry& kind : table->entries) {
    for (const YamlEntry& alias : kind.value.entries) {
      CAPTURE(alias.key.scalar);
      const Kind of = kind.key.scalar == "gpus" ? Kind::gpu : Kind::system;
      const Match match = catalog.find(of, alias.key.scalar);
      REQUIRE(match.entry);
      CHECK(match.entry->id == alias.value.scalar);
      CHECK_FALSE(match.note.empty());  // an alias that is an id would hide it
      ++aliases;
    }
  }
  CHECK(aliases > 100);
}

TEST_CASE("a source covers its keys, and one without `of` the rest", "[source]") {
  const Sources sources = {{"sheet", {2021}, SourceKind::memory, {}},
                           {"smi", {2026}, SourceKind::read, {"usable"}}};
  CHECK(sources_of(sources, "usable").at(0).document == "smi");
  CHECK(sources_of(sources, "bandwidth").at(0).document == "sheet");
  CHECK(sources_of(sources, "bandwidth").at(0).unverified());
}

TEST_CASE("an inline node needs one line", "[node]") {
  SystemSpec system;
  CHECK(read_node("{gpu: a100_sxm4_80gb, gpus: 8, interconnect: nvswitch, "
                  "nics: {count: 8, rate: 200 Gb/s, kind: infiniband}}",
                  system)
            .empty());
  CHECK(system.graph.vertices.at(VertexKind::nic) == 8);
  CHECK(links_between(system.graph, {VertexKind::gpu, 3}, {VertexKind::nvswitch, 0}) == 12);
  // a NIC for each GPU: they share a PCIe switch
  CHECK(links_between(system.graph, {VertexKind::gpu, 5}, {VertexKind::pcie_switch, 5}) == 1);
  CHECK(links_between(system.graph, {VertexKind::nic, 5}, {VertexKind::pcie_switch, 5}) == 1);
  CHECK(system.graph.links.at("nvlink3").per_direction == 25.0_GBps);
}

TEST_CASE("an inline GPU is laid over a base", "[node]") {
  SystemSpec system;
  CHECK(read_node(
            "{gpu: {base: h100, memory: {usable: 70 GiB, bandwidth: 2.4 TB/s}}, gpus: 1, interconnect: none}",
            system) == "f.yaml:1:14: note: node.gpu.base: 'h100' means h100_sxm5_80gb\n");
  CHECK(system.gpu.memory.bandwidth == 2.4_TBps);
  CHECK(system.gpu.memory.type == "HBM3");
  CHECK(system.gpu.name == "NVIDIA H100 SXM5 80GB (modified)");
}

TEST_CASE("every interconnect builds a graph with what its GPU has", "[node]") {
  struct Case {
    std::string interconnect, gpu;
    int gpus;
    Vertex a, b;
    int links;  ///< between a and b
  };
  const Vertex gpu0{VertexKind::gpu, 0};
  const Vertex gpu1{VertexKind::gpu, 1};
  const std::vector<Case> cases = {
      {"none", "rtx4090", 1, gpu0, {VertexKind::socket, 0}, 1},
      {"nvswitch", "h100_sxm5_80gb", 8, gpu0, {VertexKind::nvswitch, 0}, 18},
      {"nvlink_mesh", "a100_sxm4_40gb", 4, gpu0, gpu1, 4},
      {"hybrid_cube_mesh", "v100_sxm2_16gb", 8, gpu0, {VertexKind::gpu, 3}, 2},
      {"hybrid_cube_mesh", "p100_sxm2_16gb", 8, gpu0, {VertexKind::gpu, 3}, 1},
      {"nvlink_pairs", "a100_pcie_80gb", 4, gpu0, gpu1, 12},
      {"nvlink_domain", "gb200_186gb", 72, {VertexKind::gpu, 71}, {VertexKind::socket, 35}, 1},
      {"xgmi_mesh", "mi300x", 8, gpu0, gpu1, 1},
      {"pcie_switch", "rtx4090", 4, gpu0, {VertexKind::pcie_switch, 0}, 1},
      {"pcie_host", "rtx4090", 4, gpu0, {VertexKind::socket, 0}, 1},
      {"pcie_dual_socket", "rtx4090", 8, {VertexKind::gpu, 7}, {VertexKind::socket, 1}, 1}};
  for (const Interconnect& row : interconnects()) {
    CAPTURE(row.name);
    CHECK(std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.interconnect == row.name; }));
  }
  for (const Case& c : cases) {
    SystemSpec system;
    CAPTURE(c.interconnect, c.gpu);
    CHECK(read_node("{gpu: " + c.gpu + ", gpus: " + std::to_string(c.gpus) +
                        ", interconnect: " + c.interconnect + "}",
                    system)
              .empty());
    CHECK(links_between(system.graph, c.a, c.b) == c.links);
  }
}

TEST_CASE("an interconnect that the GPU cannot have is an error that says why", "[node]") {
  SystemSpec system;
  CHECK_THAT(read_node("{gpu: rtx4090, gpus: 8, interconnect: nvswitch}", system),
             ContainsSubstring("nvswitch with 8 x rtx4090: this GPU has no GPU-to-GPU links"));
  system = {};
  CHECK_THAT(read_node("{gpu: v100_sxm2_16gb, gpus: 4, interconnect: hybrid_cube_mesh}", system),
             ContainsSubstring("8 GPUs with 6 or 4 links"));
  system = {};
  CHECK_THAT(read_node("{gpu: a100_sxm4_80gb, gpus: 16, interconnect: nvlink_mesh}", system),
             ContainsSubstring("12 links of a GPU do not reach 15 peers"));
}

TEST_CASE("peer access over PCIe follows the driver, unless the node says otherwise", "[node]") {
  SystemSpec geforce;
  CHECK(read_node("{gpu: rtx4090, gpus: 2, interconnect: pcie_host}", geforce).empty());
  CHECK_FALSE(geforce.p2p);
  SystemSpec patched;
  CHECK(read_node("{gpu: rtx4090, gpus: 2, interconnect: pcie_host, p2p: true, host_bounce: 7 GB/s}", patched)
            .empty());
  CHECK(patched.p2p);
  CHECK(patched.host_bounce == 7.0_GBps);
}

TEST_CASE("what a file says twice must agree", "[node]") {
  SystemSpec system;
  CHECK_THAT(read_node("{gpu: {base: h100, gpu_link: {count: 9}}, gpus: 8, interconnect: nvswitch}", system),
             ContainsSubstring("gpu_link: 9 x nvlink4 is 225 GB/s per direction, not 450 GB/s"));
  system = {};
  CHECK_THAT(read_node("{gpu: h100_sxm5_80gb, gpus: 8, trays: 3, interconnect: nvswitch}", system),
             ContainsSubstring("do not spread evenly over 3 trays"));
  system = {};
  CHECK_THAT(read_node("{gpu: h100_sxm5_80gb, gpus: 8, interconnect: nvswitch, host: {sockets: 4}}", system),
             ContainsSubstring("2 socket vertices, but the host has 4"));
  system = {};
  CHECK_THAT(
      read_node("{gpu: {base: h100_sxm5_80gb, devices: two}, gpus: 8, interconnect: nvswitch}", system),
      ContainsSubstring("gpu.devices: 'two' is not a number"));
}

TEST_CASE("software sees two devices in an MI250X", "[node]") {
  const Catalog catalog = shipped();
  Diagnostics problems;
  const auto tree = catalog.load(*catalog.find(Kind::system, "frontier_mi250x_node").entry, problems);
  SystemSpec frontier;
  read(Reader(*tree, {}, problems), frontier, catalog);
  CHECK(frontier.gpus == 8);
  CHECK_THAT(frontier.gpu.dense.at(RateKind::bf16_tensor_acc32).base(), WithinRel(191.5e12, 1e-9));
  CHECK_THAT(frontier.gpu.memory.bandwidth.base(), WithinRel(1638.5e9, 1e-9));
}
