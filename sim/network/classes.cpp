#include "sim/network/classes.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

namespace stepcast::sim {
namespace {

using hardware::ClusterSpec;
using hardware::FabricPlan;
using hardware::FabricTopology;
using hardware::GpuSpec;
using hardware::NodeRun;
using hardware::NodeTemplate;
using hardware::NodeVariant;
using hardware::TemplateEdge;
using hardware::VertexKind;
using Colour = std::uint64_t;

/// The finaliser of splitmix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014).
constexpr Colour scramble(Colour x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}
constexpr Colour mix(Colour a, Colour b) { return scramble(a ^ std::rotl(scramble(b), 23)); }
template <class... More>
constexpr Colour mix(Colour a, Colour b, More... more) {
  return mix(mix(a, b), more...);
}
Colour bits(double value) { return std::bit_cast<Colour>(value); }
Colour text(const std::string& value) { return std::hash<std::string>{}(value); }

/// What an edge is, seen from the end that it leaves.
Colour edge_colour(Bandwidth capacity, hardware::Picoseconds out, hardware::Picoseconds in,
                   hardware::Label label, int links, hardware::Duplex duplex) {
  return mix(bits(capacity.base()), static_cast<Colour>(out), static_cast<Colour>(in),
             static_cast<Colour>(label), static_cast<Colour>(links), static_cast<Colour>(duplex));
}

/// What a GPU is: equal for GPUs that compute alike.
Colour gpu_colour(const GpuSpec& gpu, double scale) {
  Colour colour =
      mix(text(gpu.id), bits(scale), bits(gpu.memory.capacity().base()), bits(gpu.memory.bandwidth.base()));
  for (const auto& [kind, rate] : gpu.dense)
    colour = mix(colour, static_cast<Colour>(kind), bits(rate.base()));
  return colour;
}

/// A node variant, with what its vertices and edges are.
struct Variant {
  NodeTemplate node;
  std::vector<Colour> own;                   ///< of each vertex
  std::vector<Colour> forth, back;           ///< of each edge, from a and from b
  std::vector<hardware::Picoseconds> cable;  ///< latency of each NIC's cable
};

/// Nodes that looked alike so far.
struct NodeClass {
  std::size_t variant = 0;
  std::uint32_t example = 0;  ///< the first such node
  std::uint64_t nodes = 0;
  std::vector<Colour> colours;  ///< of each vertex of the template
};

}  // namespace

// The whole refinement. It is a class because the steps share the state; nothing outlives fold().
namespace {

class Folder {
 public:
  Folder(const ClusterSpec& cluster, std::span<const GroupFamily> families)
      : cluster_(cluster), families_(families) {
    for (const NodeVariant& variant : cluster.variants) add_variant(variant);
    if (cluster.fabric && cluster.nodes() > 1) {
      std::string problem;
      plan_ = hardware::plan_fabric(cluster, problem);
      STEPCAST_CHECK(problem.empty(), problem);
      for (Variant& variant : variants_) variant.cable = hardware::cable_latencies(variant.node, *plan_);
      leaves_.assign(static_cast<std::size_t>(plan_->leaves), 1);
      spines_.assign(static_cast<std::size_t>(plan_->pods), 2);
    }
    start();
  }

  Quotient run() {
    std::size_t before = 0;
    for (;;) {
      sum_groups();
      refine_nodes();
      refine_fabric();
      const std::size_t now = count_colours();
      if (now == before) break;
      before = now;
    }
    return build();
  }

 private:
  void add_variant(const NodeVariant& source) {
    Variant variant;
    variant.node = hardware::make_template(source);
    for (const hardware::Vertex& v : variant.node.vertices) {
      const bool gpu = v.kind == VertexKind::gpu;
      const double scale = gpu ? variant.node.gpu_scale[static_cast<std::size_t>(v.index)] : 1.0;
      variant.own.push_back(mix(static_cast<Colour>(v.kind), gpu ? gpu_colour(source.system.gpu, scale) : 0,
                                static_cast<Colour>(source.system.p2p)));
    }
    for (const TemplateEdge& e : variant.node.edges) {
      variant.forth.push_back(
          edge_colour(e.capacity, e.latency_ab, e.latency_ba, e.label, e.links, e.duplex));
      variant.back.push_back(edge_colour(e.capacity, e.latency_ba, e.latency_ab, e.label, e.links, e.duplex));
    }
    variants_.push_back(std::move(variant));
  }

  void start() {
    std::uint32_t node = 0;
    std::uint32_t rank = 0;
    for (const NodeRun& run : cluster_.runs) {
      const Variant& variant = variants_[run.variant];
      node_classes_.push_back({run.variant, node, static_cast<std::uint64_t>(run.count), variant.own});
      for (int i = 0; i < run.count; ++i, ++node) {
        class_of_node_.push_back(static_cast<std::uint32_t>(node_classes_.size() - 1));
        first_rank_.push_back(rank);
        rank += variant.node.gpus;
      }
    }
    colour_of_rank_.resize(rank);
    outside_.resize(rank);
    take_rank_colours();
    for (std::size_t r = static_cast<std::size_t>(cluster_.gpus); r < rank; ++r)
      colour_of_rank_[r] = mix(colour_of_rank_[r], 7);
  }

  void take_rank_colours() {
    for (std::size_t n = 0; n < class_of_node_.size(); ++n) {
      const NodeClass& c = node_classes_[class_of_node_[n]];
      std::copy_n(c.colours.begin(), variants_[c.variant].node.gpus,
                  colour_of_rank_.begin() + first_rank_[n]);
    }
  }

  /// Of each rank: the sum over its groups of what they look like.
  void sum_groups() {
    for (std::size_t r = 0; r < outside_.size(); ++r) outside_[r] = colour_of_rank_[r];
    for (std::size_t f = 0; f < families_.size(); ++f) {
      const GroupFamily& family = families_[f];
      for (std::size_t g = 0; g < family.groups(); ++g) {
        const Colour group = group_colour(f, g);
        for (std::uint32_t i = family.first[g]; i < family.first[g + 1]; ++i)
          outside_[family.ranks[i]] += group;
      }
    }
  }

  [[nodiscard]] Colour group_colour(std::size_t f, std::size_t g) const {
    const GroupFamily& family = families_[f];
    Colour sum = 0;
    for (std::uint32_t i = family.first[g]; i < family.first[g + 1]; ++i)
      sum += scramble(colour_of_rank_[family.ranks[i]]);
    return mix(sum, f + 1);
  }

  /// Nodes that look alike from outside are refined once.
  void refine_nodes() {
    std::unordered_map<Colour, std::uint32_t> known;
    std::vector<NodeClass> classes;
    for (std::uint32_t n = 0; n < class_of_node_.size(); ++n) {
      const std::uint32_t old = class_of_node_[n];
      const NodeTemplate& node = variants_[node_classes_[old].variant].node;
      Colour key = old;
      for (std::uint32_t g = 0; g < node.gpus; ++g) key = mix(key, outside_[first_rank_[n] + g]);
      for (std::size_t i = 0; plan_ && i < node.nics.size(); ++i) key = mix(key, leaf_colour(n, i));
      const auto [found, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(classes.size()));
      if (fresh) classes.push_back({node_classes_[old].variant, n, 0, refined(n, node_classes_[old])});
      ++classes[found->second].nodes;
      class_of_node_[n] = found->second;
    }
    node_classes_ = std::move(classes);
    take_rank_colours();
  }

  [[nodiscard]] Colour leaf_colour(std::uint32_t node, std::size_t nic) const {
    return leaves_[static_cast<std::size_t>(plan_->leaf_of(static_cast<int>(node), static_cast<int>(nic)))];
  }

  /// The cable of a NIC, seen from either end (both look the same). Zero: cut.
  [[nodiscard]] Colour cable_colour(const Variant& variant, std::size_t nic) const {
    const Bandwidth rate = hardware::cable_rate(variant.node, nic, *cluster_.fabric);
    if (!(rate > Bandwidth())) return 0;
    return edge_colour(rate, variant.cable[nic], variant.cable[nic], hardware::Label::nic, 1,
                       hardware::Duplex::full);
  }

  /// The vertices of a node from what is outside it, until no colour splits any more.
  [[nodiscard]] std::vector<Colour> refined(std::uint32_t node, const NodeClass& old) const {
    const Variant& variant = variants_[old.variant];
    std::vector<Colour> colours = old.colours;
    for (std::uint32_t g = 0; g < variant.node.gpus; ++g)
      colours[g] = mix(colours[g], outside_[first_rank_[node] + g]);
    for (std::size_t i = 0; plan_ && i < variant.node.nics.size(); ++i) {
      const Colour cable = cable_colour(variant, i);
      if (cable != 0)
        colours[variant.node.nics[i]] = mix(colours[variant.node.nics[i]], cable, leaf_colour(node, i));
    }
    std::size_t before = 0;
    for (std::vector<Colour> next(colours.size());; colours.swap(next)) {
      const std::size_t now = distinct(colours);
      if (now == before) return colours;
      before = now;
      std::fill(next.begin(), next.end(), 0);
      for (std::size_t e = 0; e < variant.node.edges.size(); ++e) {
        const TemplateEdge& edge = variant.node.edges[e];
        next[edge.a] += mix(variant.forth[e], colours[edge.b]);
        next[edge.b] += mix(variant.back[e], colours[edge.a]);
      }
      for (std::size_t v = 0; v < colours.size(); ++v) next[v] = mix(colours[v], next[v]);
    }
  }

  static std::size_t distinct(std::vector<Colour> colours) {
    std::sort(colours.begin(), colours.end());
    return static_cast<std::size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
  }

  void refine_fabric() {
    if (!plan_) return;
    std::vector<Colour> below(leaves_.size(), 0);
    for (std::uint32_t n = 0; n < class_of_node_.size(); ++n) {
      const NodeClass& c = node_classes_[class_of_node_[n]];
      const Variant& variant = variants_[c.variant];
      for (std::size_t i = 0; i < variant.node.nics.size(); ++i) {
        const Colour cable = cable_colour_of(c, i);
        if (cable != 0)
          below[static_cast<std::size_t>(plan_->leaf_of(static_cast<int>(n), static_cast<int>(i)))] += cable;
      }
    }
    if (plan_->topology == FabricTopology::dragonfly) return refine_dragonfly(below);
    std::vector<Colour> of_pod(spines_.size(), 0);
    for (std::size_t l = 0; l < leaves_.size(); ++l) of_pod[pod_of(l)] += scramble(leaves_[l]);
    Colour all_spines = 0;
    for (const Colour spine : spines_) all_spines += scramble(spine);
    for (std::size_t l = 0; l < leaves_.size(); ++l)
      leaves_[l] = mix(leaves_[l], below[l], spines_[pod_of(l)]);
    for (std::size_t p = 0; p < spines_.size(); ++p) spines_[p] = mix(spines_[p], of_pod[p], core_);
    core_ = mix(core_, all_spines);
  }

  /// What a leaf sees of a NIC of this class of nodes.
  [[nodiscard]] Colour cable_colour_of(const NodeClass& c, std::size_t nic) const {
    const Variant& variant = variants_[c.variant];
    const Colour cable = cable_colour(variant, nic);
    return cable == 0 ? 0 : mix(cable, c.colours[variant.node.nics[nic]]);
  }

  /// Every leaf sees the others of its group and of its column (the same index in each group).
  void refine_dragonfly(const std::vector<Colour>& below) {
    const auto width = static_cast<std::size_t>(plan_->leaves_per_pod);
    std::vector<Colour> group(spines_.size(), 0);
    std::vector<Colour> column(width, 0);
    for (std::size_t l = 0; l < leaves_.size(); ++l) {
      group[pod_of(l)] += scramble(leaves_[l]);
      column[l % width] += scramble(leaves_[l]);
    }
    for (std::size_t l = 0; l < leaves_.size(); ++l) {
      const Colour self = scramble(leaves_[l]);
      leaves_[l] = mix(leaves_[l], below[l], group[pod_of(l)] - self, column[l % width] - self);
    }
  }

  [[nodiscard]] std::size_t pod_of(std::size_t leaf) const {
    return static_cast<std::size_t>(plan_->pod_of(static_cast<int>(leaf)));
  }

  /// Refinement only splits: when the number of colours stands still, so does the partition.
  [[nodiscard]] std::size_t count_colours() const {
    std::vector<Colour> all;
    for (const NodeClass& c : node_classes_) all.insert(all.end(), c.colours.begin(), c.colours.end());
    return distinct(std::move(all)) + distinct(leaves_) + distinct(spines_);
  }

  Quotient build();
  std::uint32_t class_number(Colour colour, VertexKind kind, hardware::TopologyVertex example);
  void number_classes();
  void add_node_edges();
  void add_fabric_edges();
  void add_switch_edges(std::uint32_t from, std::uint32_t to, int count, Bandwidth capacity);
  void add_edge(ClassEdge edge);
  void add_groups();

  const ClusterSpec& cluster_;
  std::span<const GroupFamily> families_;
  std::vector<Variant> variants_;
  std::optional<FabricPlan> plan_;
  std::vector<NodeClass> node_classes_;
  std::vector<std::uint32_t> class_of_node_;
  std::vector<std::uint32_t> first_rank_;
  std::vector<Colour> colour_of_rank_;
  std::vector<Colour> outside_;
  std::vector<Colour> leaves_;
  std::vector<Colour> spines_;  ///< of each pod: its spines are alike
  Colour core_ = 5;             ///< cores are alike

  Quotient quotient_;
  std::unordered_map<Colour, std::uint32_t> number_;
};

std::uint32_t Folder::class_number(Colour colour, VertexKind kind, hardware::TopologyVertex example) {
  const auto [found, fresh] =
      number_.try_emplace(mix(colour, static_cast<Colour>(kind)), quotient_.classes.size());
  if (fresh) quotient_.classes.push_back({kind, 0, example});
  return found->second;
}

void Folder::number_classes() {
  for (const bool gpus : {true, false}) {
    for (const NodeClass& c : node_classes_) {
      const NodeTemplate& node = variants_[c.variant].node;
      for (std::size_t v = gpus ? 0 : node.gpus; v < (gpus ? node.gpus : node.vertices.size()); ++v) {
        const hardware::Vertex& vertex = node.vertices[v];
        const auto number = class_number(c.colours[v], vertex.kind,
                                         {vertex.kind, static_cast<std::int32_t>(c.example), vertex.index});
        quotient_.classes[number].size += c.nodes;
      }
    }
  }
  if (!plan_) return;
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    ++quotient_
          .classes[class_number(leaves_[l], VertexKind::leaf,
                                {VertexKind::leaf, -1, static_cast<std::int32_t>(l)})]
          .size;
  }
  for (std::size_t p = 0; plan_->spines_per_pod > 0 && p < spines_.size(); ++p) {
    const auto first = static_cast<std::int32_t>(p) * plan_->spines_per_pod;
    quotient_.classes[class_number(spines_[p], VertexKind::spine, {VertexKind::spine, -1, first})].size +=
        static_cast<std::uint64_t>(plan_->spines_per_pod);
  }
  if (plan_->cores_per_spine > 0) {
    quotient_.classes[class_number(core_, VertexKind::core, {VertexKind::core, -1, 0})].size +=
        static_cast<std::uint64_t>(plan_->cores_per_spine) *
        static_cast<std::uint64_t>(plan_->spines_per_pod);
  }
}

/// Edges out of the example of a class; further members have the same.
void Folder::add_edge(ClassEdge edge) {
  for (ClassEdge& known : quotient_.edges) {
    const bool same = known.from == edge.from && known.to == edge.to && known.capacity == edge.capacity &&
                      known.latency == edge.latency && known.label == edge.label &&
                      known.links == edge.links && known.half_duplex == edge.half_duplex;
    if (same) {
      known.count += edge.count;
      return;
    }
  }
  quotient_.edges.push_back(edge);
}

void Folder::add_node_edges() {
  for (const NodeClass& c : node_classes_) {
    const Variant& variant = variants_[c.variant];
    const NodeTemplate& node = variant.node;
    std::vector<std::uint32_t> number;
    std::vector<bool> example;  // the first vertex of its class: its edges stand for all
    for (std::size_t v = 0; v < node.vertices.size(); ++v) {
      number.push_back(class_number(c.colours[v], node.vertices[v].kind, {}));
      const hardware::TopologyVertex& first = quotient_.classes[number.back()].example;
      example.push_back(first.node == static_cast<std::int32_t>(c.example) &&
                        first.index == node.vertices[v].index);
    }
    for (const TemplateEdge& e : node.edges) {
      const bool half = e.duplex == hardware::Duplex::half;
      if (example[e.a])
        add_edge({number[e.a], number[e.b], 1, e.capacity, std::max<hardware::Picoseconds>(1, e.latency_ab),
                  e.label, e.links, half});
      if (example[e.b])
        add_edge({number[e.b], number[e.a], 1, e.capacity, std::max<hardware::Picoseconds>(1, e.latency_ba),
                  e.label, e.links, half});
    }
    for (std::size_t i = 0; plan_ && i < node.nics.size(); ++i) {
      const Bandwidth rate = hardware::cable_rate(node, i, *cluster_.fabric);
      if (!(rate > Bandwidth())) continue;
      const auto leaf =
          static_cast<std::size_t>(plan_->leaf_of(static_cast<int>(c.example), static_cast<int>(i)));
      const std::uint32_t leaf_number = class_number(leaves_[leaf], VertexKind::leaf, {});
      const hardware::Picoseconds latency = std::max<hardware::Picoseconds>(1, variant.cable[i]);
      if (example[node.nics[i]])
        add_edge({number[node.nics[i]], leaf_number, 1, rate, latency, hardware::Label::nic, 1, false});
    }
  }
}

void Folder::add_switch_edges(std::uint32_t from, std::uint32_t to, int count, Bandwidth capacity) {
  if (count <= 0 || !(capacity > Bandwidth())) return;
  add_edge({from, to, static_cast<std::uint32_t>(count), capacity,
            std::max<hardware::Picoseconds>(1, plan_->hop), hardware::Label::fabric, 1, false});
}

/// Down from the example of each class of switches, and between switches.
void Folder::add_fabric_edges() {
  if (!plan_) return;
  const auto is_example = [&](std::uint32_t number, std::size_t index) {
    return quotient_.classes[number].example.index == static_cast<std::int32_t>(index);
  };
  for (std::uint32_t n = 0; n < class_of_node_.size(); ++n) {
    const NodeClass& c = node_classes_[class_of_node_[n]];
    const Variant& variant = variants_[c.variant];
    for (std::size_t i = 0; i < variant.node.nics.size(); ++i) {
      const auto leaf = static_cast<std::size_t>(plan_->leaf_of(static_cast<int>(n), static_cast<int>(i)));
      const std::uint32_t number = class_number(leaves_[leaf], VertexKind::leaf, {});
      const Bandwidth rate = hardware::cable_rate(variant.node, i, *cluster_.fabric);
      if (!is_example(number, leaf) || !(rate > Bandwidth())) continue;
      const std::uint32_t nic = class_number(c.colours[variant.node.nics[i]], VertexKind::nic, {});
      add_edge({number, nic, 1, rate, std::max<hardware::Picoseconds>(1, variant.cable[i]),
                hardware::Label::nic, 1, false});
    }
  }
  const bool dragonfly = plan_->topology == FabricTopology::dragonfly;
  const auto width = static_cast<std::size_t>(plan_->leaves_per_pod);
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    const std::uint32_t leaf = class_number(leaves_[l], VertexKind::leaf, {});
    const std::size_t pod = pod_of(l);
    if (plan_->spines_per_pod > 0) {
      const std::uint32_t spine = class_number(spines_[pod], VertexKind::spine, {});
      if (is_example(leaf, l)) add_switch_edges(leaf, spine, plan_->spines_per_pod, plan_->leaf_spine);
      if (is_example(spine, pod * static_cast<std::size_t>(plan_->spines_per_pod)))
        add_switch_edges(spine, leaf, 1, plan_->leaf_spine);
    }
    for (std::size_t other = 0; dragonfly && is_example(leaf, l) && other < leaves_.size(); ++other) {
      if (other == l) continue;
      const std::uint32_t to = class_number(leaves_[other], VertexKind::leaf, {});
      if (pod_of(other) == pod) {
        add_switch_edges(leaf, to, 1, plan_->leaf_leaf);
      } else if (other % width == l % width) {
        add_switch_edges(leaf, to, 1, plan_->leaf_column);
      }
    }
  }
  for (std::size_t p = 0; plan_->cores_per_spine > 0 && p < spines_.size(); ++p) {
    const std::uint32_t spine = class_number(spines_[p], VertexKind::spine, {});
    const std::uint32_t core = class_number(core_, VertexKind::core, {});
    if (is_example(spine, p * static_cast<std::size_t>(plan_->spines_per_pod)))
      add_switch_edges(spine, core, plan_->cores_per_spine, plan_->spine_core);
    add_switch_edges(core, spine, 1, plan_->spine_core);
  }
}

void Folder::add_groups() {
  std::unordered_map<Colour, std::size_t> known;
  for (std::size_t f = 0; f < families_.size(); ++f) {
    const GroupFamily& family = families_[f];
    for (std::size_t g = 0; g < family.groups(); ++g) {
      const auto [found, fresh] = known.try_emplace(group_colour(f, g), quotient_.group_classes.size());
      if (fresh) {
        GroupClass& group = quotient_.group_classes.emplace_back();
        group.family = static_cast<std::uint32_t>(f);
        for (std::uint32_t i = family.first[g]; i < family.first[g + 1]; ++i) {
          const std::uint32_t rank_class = quotient_.class_of_rank[family.ranks[i]];
          const auto member = std::find_if(group.members.begin(), group.members.end(),
                                           [&](const ClassMembers& m) { return m.rank_class == rank_class; });
          if (member == group.members.end()) {
            group.members.push_back({rank_class, 1});
          } else {
            ++member->count;
          }
        }
        std::sort(group.members.begin(), group.members.end(),
                  [](const auto& a, const auto& b) { return a.rank_class < b.rank_class; });
      }
      ++quotient_.group_classes[found->second].groups;
    }
  }
}

Quotient Folder::build() {
  number_classes();
  quotient_.class_of_rank.resize(colour_of_rank_.size());
  for (std::size_t n = 0; n < class_of_node_.size(); ++n) {
    const NodeClass& c = node_classes_[class_of_node_[n]];
    for (std::uint32_t g = 0; g < variants_[c.variant].node.gpus; ++g) {
      quotient_.class_of_rank[first_rank_[n] + g] = class_number(c.colours[g], VertexKind::gpu, {});
    }
  }
  add_node_edges();
  add_fabric_edges();
  std::stable_sort(quotient_.edges.begin(), quotient_.edges.end(),
                   [](const ClassEdge& a, const ClassEdge& b) { return a.from < b.from; });
  add_groups();
  return std::move(quotient_);
}

}  // namespace

void GroupFamily::add(std::span<const std::uint32_t> group) {
  if (first.empty()) first.push_back(0);
  ranks.insert(ranks.end(), group.begin(), group.end());
  first.push_back(static_cast<std::uint32_t>(ranks.size()));
}

std::size_t Quotient::rank_classes() const {
  return static_cast<std::size_t>(std::count_if(
      classes.begin(), classes.end(), [](const VertexClass& c) { return c.kind == VertexKind::gpu; }));
}

Quotient fold(const ClusterSpec& cluster, std::span<const GroupFamily> families) {
  return Folder(cluster, families).run();
}

}  // namespace stepcast::sim
