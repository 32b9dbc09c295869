#include "hardware/interconnect.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace stepcast::hardware {
namespace {

constexpr Vertex gpu(int i) { return {VertexKind::gpu, i}; }
constexpr Vertex nvswitch(int i) { return {VertexKind::nvswitch, i}; }
constexpr Vertex pcie_switch(int i) { return {VertexKind::pcie_switch, i}; }
constexpr Vertex socket(int i) { return {VertexKind::socket, i}; }

constexpr std::string_view kNoGpuLink = "this GPU has no GPU-to-GPU links";
constexpr std::string_view kNoHostLink = "this GPU has no host link";

/// A link between sockets of the age of the GPU's PCIe generation.
std::string socket_link(const SystemSpec& system) {
  const std::string& pcie = system.gpu.host_link->link;
  if (pcie.starts_with("pcie3")) return "upi_skylake";
  return pcie.starts_with("pcie4") ? "xgmi_epyc" : "upi_sapphire_rapids";
}

void join_sockets(const SystemSpec& system, NodeGraph& graph) {
  if (graph.vertices[VertexKind::socket] == 2) {
    graph.edges.push_back({socket(0), socket(1), socket_link(system), 1});
  }
}

/// GPUs straight on one or two sockets, in two halves.
std::string on_sockets(const SystemSpec& system, NodeGraph& graph, int sockets) {
  if (!system.gpu.host_link) return std::string(kNoHostLink);
  graph.vertices[VertexKind::socket] = sockets;
  for (int i = 0; i < system.gpus; ++i) {
    graph.edges.push_back({gpu(i), socket(i * sockets / system.gpus), system.gpu.host_link->link, 1});
  }
  join_sockets(system, graph);
  return {};
}

/// GPUs behind PCIe switches, as many as there are NICs but at least one for two GPUs and at most one for
/// each: so each NIC shares a switch with its GPUs, as the makers of such machines place them.
std::string on_pcie_switches(const SystemSpec& system, NodeGraph& graph) {
  if (!system.gpu.host_link) return std::string(kNoHostLink);
  const int nics = system.nics ? system.nics->count : 0;
  const int switches = std::clamp(nics, (system.gpus + 1) / 2, system.gpus);
  const int sockets = system.gpus > 1 ? 2 : 1;
  graph.vertices[VertexKind::pcie_switch] = switches;
  graph.vertices[VertexKind::socket] = sockets;
  const std::string& link = system.gpu.host_link->link;
  for (int i = 0; i < system.gpus; ++i) {
    graph.edges.push_back({gpu(i), pcie_switch(i * switches / system.gpus), link, 1});
  }
  for (int i = 0; i < switches; ++i) {
    graph.edges.push_back({pcie_switch(i), socket(i * sockets / switches), link, 1});
  }
  join_sockets(system, graph);
  return {};
}

/// One crossbar with all links of every GPU.
void join_by_nvswitch(const SystemSpec& system, NodeGraph& graph) {
  graph.vertices[VertexKind::nvswitch] = 1;
  for (int i = 0; i < system.gpus; ++i) {
    graph.edges.push_back({gpu(i), nvswitch(0), system.gpu.gpu_link->link, system.gpu.gpu_link->count});
  }
}

/// Every pair of GPUs, the links of a GPU shared out evenly.
std::string join_all_pairs(const SystemSpec& system, NodeGraph& graph) {
  const int each = system.gpus > 1 ? system.gpu.gpu_link->count / (system.gpus - 1) : 0;
  if (system.gpus < 2) return "a mesh needs at least 2 GPUs";
  if (each < 1) {
    return fmt::format("{} links of a GPU do not reach {} peers", system.gpu.gpu_link->count,
                       system.gpus - 1);
  }
  for (int i = 0; i < system.gpus; ++i) {
    for (int j = i + 1; j < system.gpus; ++j) {
      graph.edges.push_back({gpu(i), gpu(j), system.gpu.gpu_link->link, each});
    }
  }
  return {};
}

std::string none(const SystemSpec& system, NodeGraph& graph) {
  if (system.gpus != 1) return "`none` is for one GPU; for several over PCIe write pcie_host or pcie_switch";
  return on_sockets(system, graph, 1);
}

std::string nvswitch_box(const SystemSpec& system, NodeGraph& graph) {
  if (!system.gpu.gpu_link) return std::string(kNoGpuLink);
  join_by_nvswitch(system, graph);
  return on_pcie_switches(system, graph);
}

std::string mesh(const SystemSpec& system, NodeGraph& graph) {
  if (!system.gpu.gpu_link) return std::string(kNoGpuLink);
  const std::string problem = join_all_pairs(system, graph);
  return problem.empty() ? on_pcie_switches(system, graph) : problem;
}

/// DGX-1: two squares of four GPUs, each with its diagonals, joined corner to corner. With six links a GPU
/// the pairs below marked 2 have two (facts: nvidia-smi topo of such machines); with four links every pair
/// has one.
std::string hybrid_cube_mesh(const SystemSpec& system, NodeGraph& graph) {
  struct Pair {
    int a, b, links;
  };
  static constexpr std::array kPairs = {Pair{0, 1, 1}, Pair{0, 2, 1}, Pair{0, 3, 2}, Pair{0, 4, 2},
                                        Pair{1, 2, 2}, Pair{1, 3, 1}, Pair{1, 5, 2}, Pair{2, 3, 2},
                                        Pair{2, 6, 1}, Pair{3, 7, 1}, Pair{4, 5, 1}, Pair{4, 6, 1},
                                        Pair{4, 7, 2}, Pair{5, 6, 2}, Pair{5, 7, 1}, Pair{6, 7, 2}};
  if (!system.gpu.gpu_link) return std::string(kNoGpuLink);
  const int links = system.gpu.gpu_link->count;
  if (system.gpus != 8 || (links != 6 && links != 4)) {
    return "hybrid_cube_mesh is 8 GPUs with 6 or 4 links each (V100 or P100 SXM2)";
  }
  for (const Pair& p : kPairs) {
    graph.edges.push_back({gpu(p.a), gpu(p.b), system.gpu.gpu_link->link, links == 6 ? p.links : 1});
  }
  return on_pcie_switches(system, graph);
}

std::string nvlink_pairs(const SystemSpec& system, NodeGraph& graph) {
  if (!system.gpu.gpu_link) return std::string(kNoGpuLink);
  if (system.gpus % 2 != 0) return "nvlink_pairs needs an even number of GPUs";
  for (int i = 0; i < system.gpus; i += 2) {
    graph.edges.push_back({gpu(i), gpu(i + 1), system.gpu.gpu_link->link, system.gpu.gpu_link->count});
  }
  return on_sockets(system, graph, system.gpus > 2 ? 2 : 1);
}

/// A rack as one NVLink domain; a socket for two GPUs, reached over the host link.
std::string nvlink_domain(const SystemSpec& system, NodeGraph& graph) {
  if (!system.gpu.gpu_link) return std::string(kNoGpuLink);
  if (!system.gpu.host_link) return std::string(kNoHostLink);
  join_by_nvswitch(system, graph);
  graph.vertices[VertexKind::socket] = (system.gpus + 1) / 2;
  for (int i = 0; i < system.gpus; ++i) {
    graph.edges.push_back({gpu(i), socket(i / 2), system.gpu.host_link->link, 1});
  }
  return {};
}

std::string one_pcie_switch(const SystemSpec& system, NodeGraph& graph) {
  if (!system.gpu.host_link) return std::string(kNoHostLink);
  graph.vertices[VertexKind::pcie_switch] = 1;
  graph.vertices[VertexKind::socket] = 1;
  const std::string& link = system.gpu.host_link->link;
  for (int i = 0; i < system.gpus; ++i) graph.edges.push_back({gpu(i), pcie_switch(0), link, 1});
  graph.edges.push_back({pcie_switch(0), socket(0), link, 1});
  return {};
}

std::string one_socket(const SystemSpec& system, NodeGraph& graph) { return on_sockets(system, graph, 1); }

std::string dual_socket(const SystemSpec& system, NodeGraph& graph) {
  if (system.gpus < 2) return "pcie_dual_socket needs at least 2 GPUs";
  return on_sockets(system, graph, 2);
}

constexpr std::array kInterconnects = {
    Interconnect{"none", "one GPU on its host", none, VertexKind::socket},
    Interconnect{"nvswitch", "all GPUs on NVSwitches, every pair at full rate", nvswitch_box,
                 VertexKind::pcie_switch},
    Interconnect{"nvlink_mesh", "NVLinks between every pair, no switch", mesh, VertexKind::pcie_switch},
    Interconnect{"hybrid_cube_mesh", "8 GPUs wired as in DGX-1", hybrid_cube_mesh, VertexKind::pcie_switch},
    Interconnect{"nvlink_pairs", "NVLink bridges between GPU 0 and 1, 2 and 3, ...; PCIe otherwise",
                 nvlink_pairs, VertexKind::socket},
    Interconnect{"nvlink_domain", "a rack on NVSwitches, a CPU for two GPUs", nvlink_domain,
                 VertexKind::socket},
    Interconnect{"xgmi_mesh", "Infinity Fabric links between every pair", mesh, VertexKind::pcie_switch},
    Interconnect{"pcie_switch", "all GPUs under one PCIe switch", one_pcie_switch, VertexKind::pcie_switch},
    Interconnect{"pcie_host", "all GPUs on the host bridges of one CPU", one_socket, VertexKind::socket},
    Interconnect{"pcie_dual_socket", "half of the GPUs on each of two CPUs", dual_socket,
                 VertexKind::socket}};

}  // namespace

std::span<const Interconnect> interconnects() { return kInterconnects; }

}  // namespace stepcast::hardware
