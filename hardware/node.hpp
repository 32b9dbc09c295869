#pragma once

// A machine as one buys or rents it: GPUs, host, NICs, and the graph of links between them. The graph is
// either written out in the file or made from one of the usual interconnects (hardware/interconnect.hpp).

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hardware/gpu.hpp"
#include "hardware/link.hpp"
#include "hardware/source.hpp"

namespace stepcast::hardware {

class Catalog;

/// The first four are written in files; NICs come from `nics:`, the rest from the topology.
enum class VertexKind { gpu, nvswitch, pcie_switch, socket, nic, host_bridge, memory, leaf, spine, core };
std::span<const EnumName<VertexKind>> enum_names(VertexKind);

struct Vertex {
  VertexKind kind = VertexKind::gpu;
  int index = 0;

  auto operator<=>(const Vertex&) const = default;
};
/// "gpu3"
std::string to_text(Vertex vertex);

/// A bundle of equal links between two vertices, in both directions.
struct NodeEdge {
  Vertex a;
  Vertex b;
  std::string link;  ///< key of NodeGraph::links
  int count = 1;
};

struct NodeGraph {
  std::map<VertexKind, int> vertices;  ///< how many of each kind
  std::vector<NodeEdge> edges;
  std::map<std::string, LinkSpec> links;  ///< by catalogue id: those that the edges use
  Sources source;
};

enum class NicKind { infiniband, roce, efa, omni_path, ethernet_tcp, slingshot };
std::span<const EnumName<NicKind>> enum_names(NicKind);

struct NicSpec {
  int count = 0;
  Bandwidth rate;  ///< of one NIC, one direction
  NicKind kind = NicKind::infiniband;
  std::string model;
  Sources source;
};

struct HostSpec {
  int sockets = 0;  ///< 0: not stated
  std::string cpu;
  std::optional<int> cores_per_socket;
  std::optional<int> vcpus;
  std::optional<Bytes> memory;  ///< of the whole machine
  Sources source;
};

struct LocalStorage {
  std::string drives;
  Bandwidth read;
  Bandwidth write;
  Sources source;
};

struct SystemSpec {
  std::string id;  ///< empty for a node written inline
  std::string name;
  std::optional<Date> released;
  GpuSpec gpu;    ///< one device, as software sees it
  int gpus = 0;   ///< devices
  int trays = 1;  ///< compute trays of a rack
  std::string form_factor;
  HostSpec host;
  NodeGraph graph;  ///< with the NICs in it
  std::optional<NicSpec> nics;
  std::string fabric;                    ///< id in the catalogue; empty: not stated
  bool p2p = true;                       ///< whether GPUs reach each other over PCIe
  std::optional<Bandwidth> host_bounce;  ///< one GPU-to-GPU copy staged through host memory
  std::map<std::string, Bandwidth>
      effective;  ///< by nvidia-smi level (nv, pix, pxb, phb, node, sys): one pair alone
  std::optional<Seconds> effective_latency;
  Sources effective_source;
  std::optional<LocalStorage> storage;
  std::optional<Watts> power_limit;
  Sources power_source;
  std::string notes;
};

/// Reads a system file or an inline node; GPU, links and fabric are looked up in the catalogue.
void read(const Reader& r, SystemSpec& system, const Catalog& catalog);

}  // namespace stepcast::hardware
