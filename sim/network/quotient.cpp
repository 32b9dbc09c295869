// Reads the quotient off a refinement that has come to rest: numbers the classes, and takes the edges of one
// example of each.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sim/network/refinement.hpp"

namespace stepcast::sim {
namespace {

using hardware::ClusterSpec;
using hardware::FabricTopology;
using hardware::Label;
using hardware::NodeTemplate;
using hardware::Picoseconds;
using hardware::TemplateEdge;
using hardware::VertexKind;

class QuotientBuilder {
 public:
  QuotientBuilder(const ClusterSpec& cluster, const Refinement& state) : cluster_(cluster), state_(state) {}

  Quotient build(std::span<const GroupFamily> families) {
    number_gpus();
    number_others();
    if (state_.plan) number_switches();
    add_node_edges();
    if (state_.plan) add_fabric_edges();
    for (const std::vector<ClassEdge>& edges : edges_from_) {
      quotient_.edges.insert(quotient_.edges.end(), edges.begin(), edges.end());
    }
    for (std::size_t f = 0; f < families.size(); ++f) add_groups(families[f], f);
    return std::move(quotient_);
  }

 private:
  /// The number of a colour; `example` is remembered with the first of it, `vertices` are counted.
  std::uint32_t number(Colour colour, hardware::TopologyVertex example, std::uint64_t vertices) {
    const auto [found, fresh] =
        numbers_.try_emplace(colour, static_cast<std::uint32_t>(quotient_.classes.size()));
    if (fresh) quotient_.classes.push_back({example.kind, 0, example});
    quotient_.classes[found->second].size += vertices;
    return found->second;
  }

  void number_node(const NodeClass& c, std::size_t first, std::size_t end, std::vector<std::uint32_t>& out) {
    const NodeTemplate& node = state_.variants[c.variant].node;
    for (std::size_t v = first; v < end; ++v) {
      const hardware::Vertex& vertex = node.vertices[v];
      out.push_back(
          number(c.colours[v], {vertex.kind, static_cast<std::int32_t>(c.example), vertex.index}, c.nodes));
    }
  }

  void number_gpus() {
    for (const NodeClass& c : state_.node_classes) {
      number_node(c, 0, state_.variants[c.variant].node.gpus, in_node_.emplace_back());
    }
    quotient_.class_of_rank.resize(state_.ranks.size());
    for (std::size_t n = 0; n < state_.class_of_node.size(); ++n) {
      const std::vector<std::uint32_t>& numbers = in_node_[state_.class_of_node[n]];
      std::copy(numbers.begin(), numbers.end(), quotient_.class_of_rank.begin() + state_.first_rank[n]);
    }
  }

  void number_others() {
    for (std::size_t i = 0; i < state_.node_classes.size(); ++i) {
      const NodeClass& c = state_.node_classes[i];
      const NodeTemplate& node = state_.variants[c.variant].node;
      number_node(c, node.gpus, node.vertices.size(), in_node_[i]);
    }
  }

  void number_switches() {
    const hardware::FabricPlan& plan = *state_.plan;
    for (std::size_t l = 0; l < state_.leaves.size(); ++l) {
      leaf_.push_back(number(state_.leaves[l], {VertexKind::leaf, -1, static_cast<std::int32_t>(l)}, 1));
    }
    const auto spines = static_cast<std::uint64_t>(plan.spines_per_pod);
    for (std::size_t p = 0; spines > 0 && p < state_.spines.size(); ++p) {
      const auto first = static_cast<std::int32_t>(p) * plan.spines_per_pod;
      spine_.push_back(number(state_.spines[p], {VertexKind::spine, -1, first}, spines));
    }
    const auto cores = static_cast<std::uint64_t>(plan.cores_per_spine) * spines;
    if (cores > 0) core_ = number(state_.core, {VertexKind::core, -1, 0}, cores);
  }

  /// Equal edges out of one example are counted.
  void add_edge(ClassEdge edge) {
    edge.latency = std::max<Picoseconds>(1, edge.latency);
    if (edge.from >= edges_from_.size()) edges_from_.resize(quotient_.classes.size());
    std::vector<ClassEdge>& others = edges_from_[edge.from];
    const auto known = std::find_if(others.begin(), others.end(), [&](const ClassEdge& e) {
      return e.to == edge.to && e.capacity == edge.capacity && e.latency == edge.latency &&
             e.label == edge.label && e.links == edge.links && e.half_duplex == edge.half_duplex;
    });
    if (known == others.end()) {
      others.push_back(edge);
    } else {
      known->count += edge.count;
    }
  }

  void add_switch_edges(std::uint32_t from, std::uint32_t to, int count, Bandwidth capacity) {
    if (count <= 0 || !(capacity > Bandwidth())) return;
    add_edge(
        {from, to, static_cast<std::uint32_t>(count), capacity, state_.plan->hop, Label::fabric, 1, false});
  }

  /// Whether this vertex of a node class stands for its class.
  [[nodiscard]] bool stands(const NodeClass& c, std::size_t vertex, std::uint32_t number) const {
    const hardware::TopologyVertex& example = quotient_.classes[number].example;
    return example.node == static_cast<std::int32_t>(c.example) &&
           example.index == state_.variants[c.variant].node.vertices[vertex].index;
  }
  [[nodiscard]] bool stands(std::uint32_t number, std::size_t switch_index) const {
    return quotient_.classes[number].example.index == static_cast<std::int32_t>(switch_index);
  }

  void add_node_edges() {
    for (std::size_t i = 0; i < state_.node_classes.size(); ++i) {
      const NodeClass& c = state_.node_classes[i];
      const ColouredVariant& variant = state_.variants[c.variant];
      const std::vector<std::uint32_t>& in = in_node_[i];
      for (const TemplateEdge& e : variant.node.edges) {
        const bool half = e.duplex == hardware::Duplex::half;
        if (stands(c, e.a, in[e.a]))
          add_edge({in[e.a], in[e.b], 1, e.capacity, e.latency_ab, e.label, e.links, half});
        if (stands(c, e.b, in[e.b]))
          add_edge({in[e.b], in[e.a], 1, e.capacity, e.latency_ba, e.label, e.links, half});
      }
      for (std::size_t nic = 0; nic < variant.cables.size(); ++nic) {
        const std::uint32_t from = in[variant.node.nics[nic]];
        if (variant.cables[nic] == 0 || !stands(c, variant.node.nics[nic], from)) continue;
        const std::uint32_t leaf = leaf_[state_.leaf_of_nic[state_.first_nic[c.example] + nic]];
        add_edge({from, leaf, 1, hardware::cable_rate(variant.node, nic, *cluster_.fabric),
                  variant.cable_latencies[nic], Label::nic, 1, false});
      }
    }
  }

  void add_fabric_edges() {
    add_cables_down();
    for (std::size_t l = 0; l < state_.leaves.size(); ++l) {
      if (!spine_.empty()) add_leaf_and_spine(l);
      if (state_.plan->topology == FabricTopology::dragonfly && stands(leaf_[l], l)) add_dragonfly(l);
    }
    for (std::size_t p = 0; core_ && p < spine_.size(); ++p) {
      const auto first = p * static_cast<std::size_t>(state_.plan->spines_per_pod);
      if (stands(spine_[p], first)) {
        add_switch_edges(spine_[p], *core_, state_.plan->cores_per_spine, state_.plan->spine_core);
      }
      add_switch_edges(*core_, spine_[p], 1, state_.plan->spine_core);
    }
  }

  /// From the leaf that stands for its class to its NICs.
  void add_cables_down() {
    for (std::size_t n = 0; n < state_.class_of_node.size(); ++n) {
      const std::uint32_t number = state_.class_of_node[n];
      const ColouredVariant& variant = state_.variants[state_.node_classes[number].variant];
      for (std::size_t nic = 0; nic < variant.cables.size(); ++nic) {
        const std::uint32_t leaf = state_.leaf_of_nic[state_.first_nic[n] + nic];
        if (variant.cables[nic] == 0 || !stands(leaf_[leaf], leaf)) continue;
        add_edge({leaf_[leaf], in_node_[number][variant.node.nics[nic]], 1,
                  hardware::cable_rate(variant.node, nic, *cluster_.fabric), variant.cable_latencies[nic],
                  Label::nic, 1, false});
      }
    }
  }

  void add_leaf_and_spine(std::size_t l) {
    const std::size_t pod = state_.pod_of(l);
    const auto first_spine = pod * static_cast<std::size_t>(state_.plan->spines_per_pod);
    if (stands(leaf_[l], l)) {
      add_switch_edges(leaf_[l], spine_[pod], state_.plan->spines_per_pod, state_.plan->leaf_spine);
    }
    if (stands(spine_[pod], first_spine)) add_switch_edges(spine_[pod], leaf_[l], 1, state_.plan->leaf_spine);
  }

  void add_dragonfly(std::size_t l) {
    const auto width = static_cast<std::size_t>(state_.plan->leaves_per_pod);
    for (std::size_t other = 0; other < state_.leaves.size(); ++other) {
      if (other == l) continue;
      if (state_.pod_of(other) == state_.pod_of(l)) {
        add_switch_edges(leaf_[l], leaf_[other], 1, state_.plan->leaf_leaf);
      } else if (other % width == l % width) {
        add_switch_edges(leaf_[l], leaf_[other], 1, state_.plan->leaf_column);
      }
    }
  }

  void add_groups(const GroupFamily& family, std::size_t family_number) {
    std::unordered_map<Colour, std::size_t> known;
    for (std::size_t g = 0; g < family.groups(); ++g) {
      const Colour colour = group_colour(state_, family, family_number, g);
      const auto [found, fresh] = known.try_emplace(colour, quotient_.group_classes.size());
      if (fresh) quotient_.group_classes.push_back(group_class(family, family_number, g));
      ++quotient_.group_classes[found->second].groups;
    }
  }

  [[nodiscard]] GroupClass group_class(const GroupFamily& family, std::size_t family_number,
                                       std::size_t g) const {
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = family.first[g]; i < family.first[g + 1]; ++i) {
      members.push_back(quotient_.class_of_rank[family.ranks[i]]);
    }
    std::sort(members.begin(), members.end());
    GroupClass group{static_cast<std::uint32_t>(family_number), 0, {}};
    for (const std::uint32_t member : members) {
      if (group.members.empty() || group.members.back().rank_class != member)
        group.members.push_back({member, 0});
      ++group.members.back().count;
    }
    return group;
  }

  const ClusterSpec& cluster_;
  const Refinement& state_;
  Quotient quotient_;
  std::unordered_map<Colour, std::uint32_t> numbers_;
  std::vector<std::vector<ClassEdge>> edges_from_;
  std::vector<std::vector<std::uint32_t>> in_node_;  ///< of each node class: the class of each vertex
  std::vector<std::uint32_t> leaf_;
  std::vector<std::uint32_t> spine_;  ///< of each pod
  std::optional<std::uint32_t> core_;
};

}  // namespace

std::size_t Quotient::rank_classes() const {
  return static_cast<std::size_t>(std::count_if(
      classes.begin(), classes.end(), [](const VertexClass& c) { return c.kind == VertexKind::gpu; }));
}

Quotient fold(const ClusterSpec& cluster, std::span<const GroupFamily> families) {
  const Refinement state = refine(cluster, families);
  return QuotientBuilder(cluster, state).build(families);
}

}  // namespace stepcast::sim
