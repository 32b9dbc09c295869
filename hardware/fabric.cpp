#include "hardware/fabric.hpp"

#include <array>

namespace stepcast::hardware {
namespace {

constexpr std::array kTopologies = {
    EnumName<FabricTopology>{"single_switch", FabricTopology::single_switch},
    EnumName<FabricTopology>{"fat_tree", FabricTopology::fat_tree},
    EnumName<FabricTopology>{"rail_optimised", FabricTopology::rail_optimised},
    EnumName<FabricTopology>{"dragonfly", FabricTopology::dragonfly},
    EnumName<FabricTopology>{"point_to_point", FabricTopology::point_to_point}};

void read_topology(MapReader& m, FabricSpec& fabric) {
  const std::size_t errors = m.self().problems().error_count();
  m.required("kind", fabric.topology);
  const bool kind_known = m.self().problems().error_count() == errors;
  m.optional("levels", fabric.levels, Bounds{1, 3});
  m.optional("oversubscription", fabric.oversubscription, kAtLeastOne);
  m.optional("group_size", fabric.group_size, Bounds{1, 65536});
  m.optional("source", fabric.topology_source);
  if (fabric.group_size && kind_known && fabric.topology != FabricTopology::dragonfly) {
    m.error_at("group_size", "only a dragonfly has groups", "remove it, or write kind: dragonfly");
  }
}

}  // namespace

std::span<const EnumName<FabricTopology>> enum_names(FabricTopology) { return kTopologies; }

static void read(const Reader& r, FabricPort& port) {
  r.map([&](MapReader& m) {
    m.required("rate", port.rate, kPositive);
    m.required("achieved_fraction", port.achieved_fraction, kFraction);
    m.optional("collective_fraction", port.collective_fraction, kFraction);
    m.required("latency", port.latency);
    m.optional("adapter_latency", port.adapter_latency);
    m.optional("mpi_latency", port.mpi_latency);
    m.optional("source", port.source);
  });
}

static void read(const Reader& r, FabricSwitch& s) {
  r.map([&](MapReader& m) {
    m.optional("name", s.name);
    m.required("ports", s.ports, Bounds{2, 65536});
    m.required("latency", s.latency);
    m.optional("source", s.source);
  });
}

void read(const Reader& r, FabricSpec& fabric) {
  r.map([&](MapReader& m) {
    m.required("fabric", fabric.id);
    m.required("name", fabric.name);
    m.required("network", fabric.network);
    m.required("port", fabric.port);
    m.optional("switch", fabric.network_switch);
    if (const auto topology = m.need("topology")) {
      topology->map([&](MapReader& g) { read_topology(g, fabric); });
    }
    m.optional("notes", fabric.notes);
  });
}

}  // namespace stepcast::hardware
