#pragma once

// Plain colour refinement of the expanded graph, by exact signatures: what the folded quotient is held
// against.

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hardware/topology.hpp"
#include "sim/network/classes.hpp"

namespace stepcast::tests {

/// Colours of all vertices and groups of the expanded graph, by exact signatures, until none splits.
inline std::vector<int> refine(const hardware::ClusterSpec& cluster, const hardware::Topology& topology,
                               const std::vector<sim::GroupFamily>& families) {
  using Signature = std::vector<std::tuple<int, double, hardware::Picoseconds, int, int, int>>;
  const auto vertices = topology.vertices();
  std::vector<const hardware::NodeVariant*> variant_of;
  for (const hardware::NodeRun& run : cluster.runs) {
    variant_of.insert(variant_of.end(), static_cast<std::size_t>(run.count), &cluster.variants[run.variant]);
  }
  std::vector<std::vector<std::pair<int, std::size_t>>> groups_of(vertices.size());  // family, group
  std::vector<std::vector<std::size_t>> members;
  std::vector<int> family_of;
  for (std::size_t f = 0; f < families.size(); ++f) {
    for (std::size_t g = 0; g < families[f].groups(); ++g) {
      std::vector<std::size_t> ranks;
      for (std::uint32_t i = families[f].first[g]; i < families[f].first[g + 1]; ++i) {
        ranks.push_back(topology.gpu(static_cast<int>(families[f].ranks[i])).index());
        groups_of[ranks.back()].emplace_back(static_cast<int>(f), members.size());
      }
      members.push_back(std::move(ranks));
      family_of.push_back(static_cast<int>(f));
    }
  }
  std::vector<int> colour(vertices.size() + members.size(), 0);
  std::map<std::tuple<int, std::string, double, double>, int> first;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    std::tuple<int, std::string, double, double> key{static_cast<int>(vertices[v].kind), "", 1.0, -1.0};
    if (vertices[v].node >= 0) {
      const hardware::NodeVariant& variant = *variant_of[static_cast<std::size_t>(vertices[v].node)];
      std::get<3>(key) = variant.system.p2p ? -2.0 : variant.system.host_bounce.value_or(Bandwidth()).base();
      if (vertices[v].kind == hardware::VertexKind::gpu) {
        std::get<1>(key) = variant.system.gpu.id;
        std::get<2>(key) = variant.gpu_scale[static_cast<std::size_t>(vertices[v].index)];
      }
    }
    colour[v] = first.try_emplace(key, static_cast<int>(first.size())).first->second;
  }
  for (std::size_t g = 0; g < members.size(); ++g) colour[vertices.size() + g] = -1 - family_of[g];
  for (std::size_t before = 0;;) {
    std::map<std::pair<int, Signature>, int> known;
    std::vector<int> next(colour.size());
    const auto assign = [&](std::size_t at, Signature signature) {
      std::sort(signature.begin(), signature.end());
      next[at] =
          known.try_emplace({colour[at], std::move(signature)}, static_cast<int>(known.size())).first->second;
    };
    std::map<std::pair<std::size_t, std::size_t>, hardware::Picoseconds> back;
    for (const hardware::TopologyEdge& e : topology.edges()) back[{e.from.index(), e.to.index()}] = e.latency;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      Signature signature;
      for (const hardware::TopologyEdge& e : topology.out(hardware::VertexId(v))) {
        signature.emplace_back(static_cast<int>(e.label), e.capacity.base(),
                               e.latency * 1000003 + back[{e.to.index(), v}], e.links, 0,
                               colour[e.to.index()]);
      }
      for (const auto& [family, group] : groups_of[v])
        signature.emplace_back(1000 + family, 0, 0, 0, 1, colour[vertices.size() + group]);
      assign(v, std::move(signature));
    }
    for (std::size_t g = 0; g < members.size(); ++g) {
      Signature signature;
      for (const std::size_t r : members[g]) signature.emplace_back(0, 0, 0, 0, 2, colour[r]);
      assign(vertices.size() + g, std::move(signature));
    }
    colour = std::move(next);
    if (known.size() == before) return colour;
    before = known.size();
  }
}

}  // namespace stepcast::tests
