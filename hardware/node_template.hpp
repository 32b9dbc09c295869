#pragma once

// One node as a graph of its own: what a cluster repeats. Between a PCIe link and its socket stands a host
// bridge, and each socket has its memory. Capacities are what the data sheet says, scaled by the overrides of
// the variant; a cut link is left out.

#include <cstdint>
#include <string>
#include <vector>

#include "hardware/cluster.hpp"

namespace stepcast::hardware {

/// Latencies in whole picoseconds: equal paths are exactly equal.
using Picoseconds = std::int64_t;
Picoseconds to_picoseconds(Seconds time);

/// A bundle of links between two vertices (indices into NodeTemplate::vertices).
struct TemplateEdge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Bandwidth capacity;  ///< in each direction; half duplex: of both together
  Duplex duplex = Duplex::full;
  Label label = Label::pcie;
  int links = 1;
  Picoseconds latency_ab = 0;  ///< with what the switch or bridge at the far end adds
  Picoseconds latency_ba = 0;
};

struct NodeTemplate {
  std::vector<Vertex> vertices;  ///< GPUs first, in order
  std::vector<TemplateEdge> edges;
  std::uint32_t gpus = 0;
  std::vector<std::uint32_t> nics;  ///< vertex of each NIC
  std::vector<Bandwidth> cables;    ///< of each NIC; zero: cut
  std::vector<double> gpu_scale;    ///< of each GPU
};

NodeTemplate make_template(const NodeVariant& variant);

/// A GPU joined by links that pass traffic on to further GPUs (Infinity Fabric, ICI, IPU-Link do; NVLink does
/// not).
bool forwards_through_gpus(Label label);
/// Links between GPUs, in preference to PCIe and the host.
bool is_gpu_link(Label label);

/// "gpu3 and gpu0" where no path joins two GPUs of the node, "gpu3 and the network" where it `needs_network`
/// and has none; else empty.
std::string cut_off(const NodeVariant& variant, bool needs_network);

}  // namespace stepcast::hardware
