#pragma once

// A network between machines: what its ports carry and how its switches are joined.

#include <optional>
#include <span>
#include <string>

#include "hardware/node.hpp"

namespace stepcast::hardware {

enum class FabricTopology { single_switch, fat_tree, rail_optimised, dragonfly, point_to_point };
std::span<const EnumName<FabricTopology>> enum_names(FabricTopology);

struct FabricPort {
  Bandwidth rate;                             ///< line rate, one direction
  double achieved_fraction = 1.0;             ///< large messages over line rate
  std::optional<double> collective_fraction;  ///< what an all-reduce gets out of the NICs
  Seconds latency;                            ///< GPU to GPU, one way, through one switch
  std::optional<Seconds> adapter_latency;
  std::optional<Seconds> mpi_latency;
  Sources source;
};

struct FabricSwitch {
  std::string name;
  int ports = 0;
  Seconds latency;
  Sources source;
};

struct FabricSpec {
  std::string id;
  std::string name;
  NicKind network = NicKind::infiniband;
  FabricPort port;
  std::optional<FabricSwitch> network_switch;
  FabricTopology topology = FabricTopology::fat_tree;
  std::optional<int> levels;      ///< absent: as many as the nodes need
  double oversubscription = 1.0;  ///< hosts' rate over uplinks' rate at a leaf
  std::optional<int> group_size;  ///< dragonfly: switches in a group
  Sources topology_source;
  std::string notes;
};

void read(const Reader& r, FabricSpec& fabric);

}  // namespace stepcast::hardware
