#pragma once

// One physical link: its payload rate in each direction and its latency. Read from hardware/catalog/links.

#include <optional>
#include <span>
#include <string>

#include "hardware/source.hpp"

namespace stepcast::hardware {

enum class LinkKind { nvlink, xgmi, c2c, pcie, socket, ethernet, ici, ipu };
std::span<const EnumName<LinkKind>> enum_names(LinkKind);

enum class Duplex {
  full,  ///< both directions at once, each at the full rate
  half,  ///< the two directions share the rate
};
std::span<const EnumName<Duplex>> enum_names(Duplex);

struct LinkSpec {
  std::string id;
  std::string name;
  LinkKind kind = LinkKind::pcie;
  Duplex duplex = Duplex::full;
  Bandwidth per_direction;                     ///< payload of one link in one direction
  std::optional<double> achieved_fraction;     ///< what large copies reach of it
  std::optional<Bandwidth> nccl_per_link;      ///< what NCCL's tuner assumes
  Seconds latency;                             ///< one way, one hop
  std::optional<Seconds> switch_latency;       ///< added when a path passes a switch of this kind
  std::optional<Seconds> host_bridge_latency;  ///< PCIe: added when a path passes a host bridge
  Sources source;
  std::string notes;
};

void read(const Reader& r, LinkSpec& link);

}  // namespace stepcast::hardware
