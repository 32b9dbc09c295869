#include "hardware/fabric_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/core.h>

namespace stepcast::hardware {
namespace {

constexpr std::int64_t kMostNics = 100'000'000;

int divide_up(int a, int b) {
  STEPCAST_CHECK(b > 0, "nothing is shared out over no parts");
  return (a + b - 1) / b;
}

/// Ports of a leaf that hold NICs at an oversubscription of o: down / up = o.
int down_ports(int ports, double oversubscription) {
  const int down = static_cast<int>(std::floor(ports * oversubscription / (1.0 + oversubscription) + 1e-9));
  return std::clamp(down, 1, ports - 1);
}

/// Leaves for all NICs, `each` to a leaf.
void place_nics(FabricPlan& plan, int nodes, int each) {
  plan.nics_per_leaf = each;
  if (plan.topology == FabricTopology::rail_optimised) {
    plan.nodes_per_leaf = each;
    plan.leaves = divide_up(nodes, each) * plan.nics_per_node;
  } else {
    plan.leaves = divide_up(nodes * plan.nics_per_node, each);
  }
}

std::string one_switch(FabricPlan& plan, const ClusterSpec& cluster, int ports) {
  const int nics = cluster.nodes() * plan.nics_per_node;
  if (ports > 0 && nics > ports) return fmt::format("one switch of {} ports holds no {} NICs", ports, nics);
  place_nics(plan, cluster.nodes(), nics);
  plan.leaves_per_pod = 1;
  plan.pods = 1;
  return {};
}

/// Leaves and spines; over several pods also cores.
std::string tree(FabricPlan& plan, const ClusterSpec& cluster, int ports, int wanted_levels) {
  const FabricSpec& fabric = *cluster.fabric;
  const bool rails = plan.topology == FabricTopology::rail_optimised;
  const Bandwidth rate = fabric.port.rate * cluster.fabric_scale;
  const int nics = cluster.nodes() * plan.nics_per_node;
  if (!rails && nics <= ports && wanted_levels <= 1) return one_switch(plan, cluster, ports);
  if (rails && wanted_levels == 1) return "rails are joined by spines: two levels at least";
  const int down = down_ports(ports, fabric.oversubscription);
  const double up = down / fabric.oversubscription;
  place_nics(plan, cluster.nodes(), down);
  const bool two = wanted_levels == 2 || (wanted_levels == 0 && plan.leaves <= ports);
  if (two) {
    if (plan.leaves > ports)
      return fmt::format("two levels of {}-port switches hold no {} NICs", ports, nics);
    plan.leaves_per_pod = plan.leaves;
    plan.pods = 1;
    plan.spines_per_pod = std::max(1, static_cast<int>(std::ceil(plan.leaves * up / ports - 1e-9)));
    plan.leaf_spine = rate * (up / plan.spines_per_pod);
    return {};
  }
  if (wanted_levels == 1) return fmt::format("one level of {}-port switches holds no {} NICs", ports, nics);
  plan.leaves_per_pod = std::min(ports / 2, plan.leaves);
  plan.pods = divide_up(plan.leaves, plan.leaves_per_pod);
  if (plan.pods > ports) return fmt::format("three levels of {}-port switches hold no {} NICs", ports, nics);
  plan.spines_per_pod = std::max(1, static_cast<int>(std::ceil(up - 1e-9)));
  plan.leaf_spine = rate * (up / plan.spines_per_pod);
  plan.cores_per_spine = std::max(1, divide_up(plan.pods * (ports / 2), ports));
  const int uplinks = ports / 2;
  plan.spine_core = rate * (static_cast<double>(uplinks) / plan.cores_per_spine);
  return {};
}

/// Groups of switches, all joined inside; a switch joins the switch of its index in every other group. Half
/// of the ports left over by the group hold NICs, half go to other groups (the balance of Kim et al.,
/// "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008).
std::string dragonfly(FabricPlan& plan, const ClusterSpec& cluster, int ports) {
  const FabricSpec& fabric = *cluster.fabric;
  const int group = fabric.group_size.value_or(ports / 2);
  const int left = ports - (group - 1);
  if (left < 2) return fmt::format("a group of {} switches leaves no ports of {} for NICs", group, ports);
  const Bandwidth rate = fabric.port.rate * cluster.fabric_scale;
  const int down = left / 2;
  const int global = left - down;
  place_nics(plan, cluster.nodes(), down);
  plan.leaves_per_pod = std::min(group, plan.leaves);
  plan.pods = divide_up(plan.leaves, plan.leaves_per_pod);
  if (plan.pods - 1 > group * global)
    return fmt::format("{} global links of a group do not reach {} groups", group * global, plan.pods - 1);
  // a group that is not full spreads its links over the switches that are there
  plan.leaf_leaf = rate * (static_cast<double>(group - 1) / std::max(1, plan.leaves_per_pod - 1));
  if (plan.pods > 1) plan.leaf_column = rate * (static_cast<double>(global) / (plan.pods - 1));
  return {};
}

constexpr Picoseconds kUnreached = std::numeric_limits<Picoseconds>::max();

/// Least latency from each GPU of a node to a NIC, inside the node; kUnreached where there is no way.
std::vector<Picoseconds> nic_distances(const NodeTemplate& node) {
  std::vector<Picoseconds> nearest;
  for (const std::uint32_t nic : node.nics) {
    std::vector<Picoseconds> distance(node.vertices.size(), kUnreached);
    distance[nic] = 0;
    for (bool changed = true; changed;) {  // a few rounds: ways inside a node are short
      changed = false;
      const auto relax = [&](std::uint32_t from, std::uint32_t to, Picoseconds latency) {
        const bool passes = from >= node.gpus;
        if (!passes || distance[from] == kUnreached || distance[from] + latency >= distance[to]) return;
        distance[to] = distance[from] + latency;
        changed = true;
      };
      for (const TemplateEdge& e : node.edges) {
        relax(e.a, e.b, e.latency_ba);
        relax(e.b, e.a, e.latency_ab);
      }
    }
    nearest.push_back(*std::min_element(distance.begin(), distance.begin() + node.gpus));
  }
  return nearest;
}

}  // namespace

int FabricPlan::leaf_of(int node, int nic) const {
  if (topology == FabricTopology::point_to_point) return nic;
  if (topology == FabricTopology::rail_optimised) return node / nodes_per_leaf * nics_per_node + nic;
  return (node * nics_per_node + nic) / nics_per_leaf;
}

int FabricPlan::levels() const {
  if (cores_per_spine > 0) return 3;
  return spines_per_pod > 0 ? 2 : 1;
}

FabricPlan plan_fabric(const ClusterSpec& cluster, std::string& problem) {
  FabricPlan plan;
  const FabricSpec& fabric = *cluster.fabric;
  plan.topology = fabric.topology;
  for (const NodeVariant& variant : cluster.variants) {
    plan.nics_per_node = std::max(plan.nics_per_node, variant.system.nics ? variant.system.nics->count : 0);
  }
  plan.one_switch = to_picoseconds(fabric.port.latency);
  plan.hop = fabric.network_switch ? to_picoseconds(fabric.network_switch->latency) : 0;
  const int ports = fabric.network_switch ? fabric.network_switch->ports : 0;
  if (static_cast<std::int64_t>(cluster.nodes()) * plan.nics_per_node > kMostNics) {
    problem = fmt::format("more than {} NICs", kMostNics);
    return plan;
  }
  const bool needs_ports =
      plan.topology != FabricTopology::single_switch && plan.topology != FabricTopology::point_to_point;
  if (needs_ports && ports < 2) {
    problem = "a fabric of switches needs to say how many ports they have, at least 2";
    return plan;
  }
  switch (plan.topology) {
    case FabricTopology::single_switch: problem = one_switch(plan, cluster, ports); break;
    case FabricTopology::fat_tree:
    case FabricTopology::rail_optimised:
      problem = tree(plan, cluster, ports, fabric.levels.value_or(0));
      break;
    case FabricTopology::dragonfly: problem = dragonfly(plan, cluster, ports); break;
    case FabricTopology::point_to_point:
      if (cluster.nodes() != 2) problem = "point to point joins two nodes";
      plan.leaves = plan.leaves_per_pod = plan.nics_per_node;
      plan.pods = 1;
      break;
  }
  return plan;
}

std::vector<Picoseconds> cable_latencies(const NodeTemplate& node, const FabricPlan& plan) {
  std::vector<Picoseconds> latencies;
  for (const Picoseconds inside : nic_distances(node)) {
    const Picoseconds rest = inside == kUnreached ? plan.one_switch / 2 : plan.one_switch / 2 - inside;
    latencies.push_back(std::max(rest, plan.hop / 2));
  }
  return latencies;
}

Bandwidth cable_rate(const NodeTemplate& node, std::size_t nic, const FabricSpec& fabric) {
  return std::min(node.cables[nic], fabric.port.rate);
}

}  // namespace stepcast::hardware
