#pragma once

// The usual ways to wire the GPUs of one machine, for nodes written in one line of a scenario.

#include <span>
#include <string>
#include <string_view>

#include "hardware/node.hpp"

namespace stepcast::hardware {

struct Interconnect {
  std::string_view name;
  std::string_view help;
  /// Adds vertices and edges for `system.gpus` GPUs; says in one line why it cannot, or returns empty.
  std::string (*build)(const SystemSpec& system, NodeGraph& graph);
  VertexKind nic_parent;  ///< what the NICs hang on
};

/// none, nvswitch, nvlink_mesh, hybrid_cube_mesh, nvlink_pairs, nvlink_domain, xgmi_mesh, pcie_switch,
/// pcie_host, pcie_dual_socket
std::span<const Interconnect> interconnects();

}  // namespace stepcast::hardware
