#pragma once

// A cluster as a description: machines by the group, the fabric between them, and what differs from the data
// sheet. Nothing is expanded here: nodes are counted, and only a node that an override names has a variant of
// its own.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hardware/fabric.hpp"
#include "hardware/node.hpp"

namespace stepcast::hardware {

/// What an edge of the hardware graph is made of; what overrides and reports call it.
enum class Label { nvlink, xgmi, c2c, pcie, upi, ethernet, ici, ipu, memory, nic, fabric };
std::span<const EnumName<Label>> enum_names(Label);
Label label_of(LinkKind kind);

/// A machine and how far its parts are from the data sheet.
struct NodeVariant {
  SystemSpec system;
  std::vector<double> edge_scale;   ///< of each edge of system.graph: 1 as sold, 0 cut
  std::vector<double> cable_scale;  ///< of each NIC's cable
  std::vector<double> gpu_scale;    ///< compute rate of each GPU

  explicit NodeVariant(SystemSpec spec);
};

/// `count` nodes in a row that are alike.
struct NodeRun {
  std::size_t variant = 0;
  int count = 0;
};

struct ClusterSpec {
  std::vector<NodeVariant> variants;
  std::vector<NodeRun> runs;         ///< in node order
  std::optional<FabricSpec> fabric;  ///< absent: one node
  double fabric_scale = 1.0;         ///< of all links between switches
  int gpus = 0;                      ///< in use: ranks 0 to gpus - 1

  [[nodiscard]] int nodes() const;
  [[nodiscard]] int total_gpus() const;
};

/// Reads the `cluster:` map of a scenario: system or node with nodes, or groups; gpus, fabric, overrides.
void read(const Reader& r, ClusterSpec& cluster, const Catalog& catalog);

}  // namespace stepcast::hardware
