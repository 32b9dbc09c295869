#include "sim/network/classes.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <unordered_map>
#include <utility>

#include "sim/network/refinement.hpp"

namespace stepcast::sim {
namespace {

using hardware::ClusterSpec;
using hardware::FabricTopology;
using hardware::NodeRun;
using hardware::NodeVariant;
using hardware::TemplateEdge;
using hardware::VertexKind;

/// The finaliser of splitmix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014).
constexpr Colour scramble(Colour x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}
/// Order matters. The result is scrambled, so that sums of results tell multisets apart.
constexpr Colour mix(Colour a, Colour b) { return scramble(a ^ std::rotl(scramble(b), 23)); }
template <class... More>
constexpr Colour mix(Colour a, Colour b, More... more) {
  return mix(mix(a, b), more...);
}
/// A cheaper step for values that are scrambled already.
constexpr Colour append(Colour key, Colour value) {
  key = (key ^ value) * 0x9e3779b97f4a7c15ULL;
  return key ^ (key >> 32U);
}
Colour bits(double value) { return std::bit_cast<Colour>(value); }

/// What an edge is, seen from the end that it leaves.
Colour edge_colour(Bandwidth capacity, hardware::Picoseconds out, hardware::Picoseconds in,
                   hardware::Label label, int links, hardware::Duplex duplex) {
  return mix(bits(capacity.base()), static_cast<Colour>(out), static_cast<Colour>(in),
             static_cast<Colour>(label), static_cast<Colour>(links), static_cast<Colour>(duplex));
}

/// What a GPU is: equal for GPUs that compute alike.
Colour gpu_colour(const hardware::GpuSpec& gpu, double scale) {
  Colour colour = mix(std::hash<std::string>{}(gpu.id), bits(scale), bits(gpu.memory.capacity().base()),
                      bits(gpu.memory.bandwidth.base()));
  for (const auto& [kind, rate] : gpu.dense)
    colour = mix(colour, static_cast<Colour>(kind), bits(rate.base()));
  return colour;
}

std::size_t distinct(std::vector<Colour> colours) {
  std::sort(colours.begin(), colours.end());
  return static_cast<std::size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
}

ColouredVariant coloured(const NodeVariant& source, const ClusterSpec& cluster,
                         const std::optional<hardware::FabricPlan>& plan) {
  ColouredVariant variant;
  variant.node = hardware::make_template(source);
  // how copies between GPUs go where the driver forbids peer access
  const Colour staging = source.system.p2p ? 1 : bits(source.system.host_bounce.value_or(Bandwidth()).base());
  for (const hardware::Vertex& v : variant.node.vertices) {
    const bool gpu = v.kind == VertexKind::gpu;
    const double scale = gpu ? variant.node.gpu_scale[static_cast<std::size_t>(v.index)] : 1.0;
    variant.own.push_back(
        mix(static_cast<Colour>(v.kind), gpu ? gpu_colour(source.system.gpu, scale) : 0, staging));
  }
  for (const TemplateEdge& e : variant.node.edges) {
    variant.forth.push_back(edge_colour(e.capacity, e.latency_ab, e.latency_ba, e.label, e.links, e.duplex));
    variant.back.push_back(edge_colour(e.capacity, e.latency_ba, e.latency_ab, e.label, e.links, e.duplex));
  }
  if (!plan) return variant;
  variant.cable_latencies = hardware::cable_latencies(variant.node, *plan);
  for (std::size_t i = 0; i < variant.node.nics.size(); ++i) {
    const Bandwidth rate = hardware::cable_rate(variant.node, i, *cluster.fabric);
    const hardware::Picoseconds latency = variant.cable_latencies[i];
    const bool cut = !(rate > Bandwidth());
    variant.cables.push_back(
        cut ? 0 : edge_colour(rate, latency, latency, hardware::Label::nic, 1, hardware::Duplex::full));
  }
  return variant;
}

/// Refines; a class because the steps share the state and what is outside each rank.
class Refiner {
 public:
  Refiner(const ClusterSpec& cluster, std::span<const GroupFamily> families) : families_(families) {
    if (cluster.fabric && cluster.nodes() > 1) {
      std::string problem;
      state_.plan = hardware::plan_fabric(cluster, problem);
      STEPCAST_CHECK(problem.empty(), problem);
      state_.leaves.assign(static_cast<std::size_t>(state_.plan->leaves), scramble(1));
      state_.spines.assign(static_cast<std::size_t>(state_.plan->pods), scramble(2));
      state_.core = scramble(3);
    }
    for (const NodeVariant& v : cluster.variants)
      state_.variants.push_back(coloured(v, cluster, state_.plan));
    place_nodes(cluster);
    for (std::size_t r = static_cast<std::size_t>(cluster.gpus); r < state_.ranks.size(); ++r) {
      state_.ranks[r] = mix(state_.ranks[r], 7);  // not in use
    }
  }

  Refinement run() {
    for (std::size_t before = count_colours();;) {
      sum_groups();
      refine_nodes();
      if (state_.plan) refine_fabric();
      const std::size_t now = count_colours();
      if (now == before) return std::move(state_);
      before = now;
    }
  }

 private:
  void place_nodes(const ClusterSpec& cluster) {
    std::uint32_t node = 0;
    std::uint32_t rank = 0;
    for (const NodeRun& run : cluster.runs) {
      const ColouredVariant& variant = state_.variants[run.variant];
      NodeClass start{run.variant, node, static_cast<std::uint64_t>(run.count), variant.own, {}};
      settle(start);
      state_.node_classes.push_back(std::move(start));
      for (int i = 0; i < run.count; ++i, ++node) {
        state_.class_of_node.push_back(static_cast<std::uint32_t>(state_.node_classes.size() - 1));
        state_.first_rank.push_back(rank);
        rank += variant.node.gpus;
        state_.first_nic.push_back(static_cast<std::uint32_t>(state_.leaf_of_nic.size()));
        for (std::size_t nic = 0; state_.plan && nic < variant.node.nics.size(); ++nic) {
          const int leaf = state_.plan->leaf_of(static_cast<int>(node), static_cast<int>(nic));
          state_.leaf_of_nic.push_back(static_cast<std::uint32_t>(leaf));
        }
      }
    }
    state_.ranks.resize(rank);
    outside_.resize(rank);
    take_rank_colours();
  }

  void take_rank_colours() {
    for (std::size_t n = 0; n < state_.class_of_node.size(); ++n) {
      const NodeClass& c = state_.node_classes[state_.class_of_node[n]];
      std::copy_n(c.colours.begin(), state_.variants[c.variant].node.gpus,
                  state_.ranks.begin() + state_.first_rank[n]);
    }
  }

  /// Of each rank: itself and the sum over its groups of what they look like.
  void sum_groups() {
    outside_ = state_.ranks;
    for (std::size_t f = 0; f < families_.size(); ++f) {
      const GroupFamily& family = families_[f];
      for (std::size_t g = 0; g < family.groups(); ++g) {
        const Colour group = group_colour(state_, family, f, g);
        for (std::uint32_t i = family.first[g]; i < family.first[g + 1]; ++i)
          outside_[family.ranks[i]] += group;
      }
    }
  }

  /// Nodes that look alike from outside are refined once.
  void refine_nodes() {
    std::unordered_map<Colour, std::uint32_t> known;
    std::vector<NodeClass> classes;
    for (std::uint32_t n = 0; n < state_.class_of_node.size(); ++n) {
      const NodeClass& old = state_.node_classes[state_.class_of_node[n]];
      const hardware::NodeTemplate& node = state_.variants[old.variant].node;
      Colour key = scramble(state_.class_of_node[n]);
      for (std::uint32_t g = 0; g < node.gpus; ++g) key = append(key, outside_[state_.first_rank[n] + g]);
      for (std::size_t i = 0; state_.plan && i < node.nics.size(); ++i) key = append(key, leaf_colour(n, i));
      const auto [found, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(classes.size()));
      if (fresh) classes.push_back(refined(n, old));
      ++classes[found->second].nodes;
      state_.class_of_node[n] = found->second;
    }
    state_.node_classes = std::move(classes);
    take_rank_colours();
  }

  [[nodiscard]] Colour leaf_colour(std::uint32_t node, std::size_t nic) const {
    return state_.leaves[state_.leaf_of_nic[state_.first_nic[node] + nic]];
  }

  /// The node with what is outside it, until nothing inside splits any more.
  [[nodiscard]] NodeClass refined(std::uint32_t node, const NodeClass& old) const {
    const ColouredVariant& variant = state_.variants[old.variant];
    NodeClass fresh{old.variant, node, 0, old.colours, {}};
    for (std::uint32_t g = 0; g < variant.node.gpus; ++g) {
      fresh.colours[g] = mix(fresh.colours[g], outside_[state_.first_rank[node] + g]);
    }
    for (std::size_t i = 0; i < variant.cables.size(); ++i) {
      Colour& nic = fresh.colours[variant.node.nics[i]];
      if (variant.cables[i] != 0) nic = mix(nic, variant.cables[i], leaf_colour(node, i));
    }
    settle(fresh);
    return fresh;
  }

  void settle(NodeClass& c) const {
    const ColouredVariant& variant = state_.variants[c.variant];
    std::size_t before = distinct(c.colours);
    for (std::vector<Colour> next(c.colours.size());;) {
      std::fill(next.begin(), next.end(), 0);
      for (std::size_t e = 0; e < variant.node.edges.size(); ++e) {
        const TemplateEdge& edge = variant.node.edges[e];
        next[edge.a] += mix(variant.forth[e], c.colours[edge.b]);
        next[edge.b] += mix(variant.back[e], c.colours[edge.a]);
      }
      for (std::size_t v = 0; v < c.colours.size(); ++v) c.colours[v] = mix(c.colours[v], next[v]);
      const std::size_t now = distinct(c.colours);
      if (now == before) break;
      before = now;
    }
    c.seen_nics.clear();
    for (std::size_t i = 0; i < variant.cables.size(); ++i) {
      const Colour cable = variant.cables[i];
      c.seen_nics.push_back(cable == 0 ? 0 : mix(cable, c.colours[variant.node.nics[i]]));
    }
  }

  void refine_fabric() {
    std::vector<Colour> below(state_.leaves.size(), 0);
    for (std::uint32_t n = 0; n < state_.class_of_node.size(); ++n) {
      const std::vector<Colour>& nics = state_.node_classes[state_.class_of_node[n]].seen_nics;
      const std::uint32_t* leaf = &state_.leaf_of_nic[state_.first_nic[n]];
      for (std::size_t i = 0; i < nics.size(); ++i) below[leaf[i]] += nics[i];
    }
    if (state_.plan->topology == FabricTopology::dragonfly) return refine_dragonfly(below);
    std::vector<Colour> of_pod(state_.spines.size(), 0);
    for (std::size_t l = 0; l < state_.leaves.size(); ++l) of_pod[state_.pod_of(l)] += state_.leaves[l];
    Colour all_spines = 0;
    for (const Colour spine : state_.spines) all_spines += spine;
    for (std::size_t l = 0; l < state_.leaves.size(); ++l) {
      state_.leaves[l] = mix(state_.leaves[l], below[l], state_.spines[state_.pod_of(l)]);
    }
    for (std::size_t p = 0; p < state_.spines.size(); ++p) {
      state_.spines[p] = mix(state_.spines[p], of_pod[p], state_.core);
    }
    state_.core = mix(state_.core, all_spines);
  }

  /// Every leaf sees the others of its group and of its column (the same index in each group).
  void refine_dragonfly(const std::vector<Colour>& below) {
    const auto width = static_cast<std::size_t>(state_.plan->leaves_per_pod);
    std::vector<Colour> group(state_.spines.size(), 0);
    std::vector<Colour> column(width, 0);
    for (std::size_t l = 0; l < state_.leaves.size(); ++l) {
      group[state_.pod_of(l)] += state_.leaves[l];
      column[l % width] += state_.leaves[l];
    }
    for (std::size_t l = 0; l < state_.leaves.size(); ++l) {
      const Colour self = state_.leaves[l];
      const Colour in_group = group[state_.pod_of(l)] - self;
      const Colour in_column = column[l % width] - self;
      const bool alike = state_.plan->leaf_leaf == state_.plan->leaf_column;
      state_.leaves[l] =
          alike ? mix(self, below[l], in_group + in_column) : mix(self, below[l], in_group, in_column);
    }
  }

  /// Refinement only splits: when the number of colours stands still, so does the partition.
  [[nodiscard]] std::size_t count_colours() const {
    std::vector<Colour> all;
    for (const NodeClass& c : state_.node_classes) all.insert(all.end(), c.colours.begin(), c.colours.end());
    return distinct(std::move(all)) + distinct(state_.leaves) + distinct(state_.spines);
  }

  std::span<const GroupFamily> families_;
  Refinement state_;
  std::vector<Colour> outside_;  ///< of each rank: its groups
};

}  // namespace

void GroupFamily::add(std::span<const std::uint32_t> group) {
  if (first.empty()) first.push_back(0);
  ranks.insert(ranks.end(), group.begin(), group.end());
  first.push_back(static_cast<std::uint32_t>(ranks.size()));
}

Colour group_colour(const Refinement& state, const GroupFamily& family, std::size_t family_number,
                    std::size_t group) {
  Colour sum = 0;
  for (std::uint32_t i = family.first[group]; i < family.first[group + 1]; ++i)
    sum += state.ranks[family.ranks[i]];
  return mix(sum, family_number + 1);
}

Refinement refine(const ClusterSpec& cluster, std::span<const GroupFamily> families) {
  return Refiner(cluster, families).run();
}

}  // namespace stepcast::sim
