#include "hardware/node.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "hardware/catalog.hpp"
#include "hardware/interconnect.hpp"

namespace stepcast::hardware {
namespace {

constexpr std::array kVertexKinds = {
    EnumName<VertexKind>{"gpu", VertexKind::gpu}, EnumName<VertexKind>{"nvswitch", VertexKind::nvswitch},
    EnumName<VertexKind>{"pcie_switch", VertexKind::pcie_switch},
    EnumName<VertexKind>{"socket", VertexKind::socket}, EnumName<VertexKind>{"nic", VertexKind::nic}};
constexpr std::array kNicKinds = {EnumName<NicKind>{"infiniband", NicKind::infiniband},
                                  EnumName<NicKind>{"roce", NicKind::roce},
                                  EnumName<NicKind>{"efa", NicKind::efa},
                                  EnumName<NicKind>{"omni_path", NicKind::omni_path},
                                  EnumName<NicKind>{"ethernet_tcp", NicKind::ethernet_tcp},
                                  EnumName<NicKind>{"slingshot", NicKind::slingshot}};
constexpr std::array kLevels = {"nv", "pix", "pxb", "phb", "node", "sys"};
constexpr int kMaxGpusPerSystem = 1024;

enum class Join { each_to_each, matched, blocks, all_pairs, pairs };
constexpr std::array kJoins = {
    EnumName<Join>{"each_to_each", Join::each_to_each}, EnumName<Join>{"matched", Join::matched},
    EnumName<Join>{"blocks", Join::blocks}, EnumName<Join>{"all_pairs", Join::all_pairs},
    EnumName<Join>{"pairs", Join::pairs}};
[[maybe_unused]] std::span<const EnumName<Join>> enum_names(Join) { return kJoins; }

std::optional<int> parse_int(std::string_view text) {
  int value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// "gpu3" or "gpu[0-7]": kind, first, last.
struct VertexRun {
  VertexKind kind;
  int first;
  int last;
};

std::optional<VertexRun> parse_run(std::string_view text) {
  for (const auto& row : kVertexKinds) {
    if (!text.starts_with(row.name)) continue;
    std::string_view rest = text.substr(row.name.size());
    if (!rest.starts_with('[')) {
      if (const auto index = parse_int(rest)) return VertexRun{row.value, *index, *index};
      continue;
    }
    const std::size_t dash = rest.find('-');
    if (dash == std::string_view::npos || !rest.ends_with(']')) continue;
    const auto first = parse_int(rest.substr(1, dash - 1));
    const auto last = parse_int(rest.substr(dash + 1, rest.size() - dash - 2));
    if (first && last && *first <= *last) return VertexRun{row.value, *first, *last};
  }
  return std::nullopt;
}

/// Adds the vertices that `r` names, one text or a list; `graph` says which there are.
void read_vertices(const Reader& r, const NodeGraph& graph, std::vector<Vertex>& out) {
  if (r.is_list()) {
    if (r.node().items.empty())
      r.error("an empty list of vertices", "write gpu3, \"gpu[0-7]\", or a list of such");
    for (const Reader& item : r.list()) read_vertices(item, graph, out);
    return;
  }
  const std::string text = r.text();
  if (text.empty()) return;
  const auto run = parse_run(text);
  if (!run)
    return r.error(fmt::format("'{}' names no vertices", text),
                   "write gpu3, \"gpu[0-7]\", or a list of such");
  const auto count = graph.vertices.find(run->kind);
  const int there = count == graph.vertices.end() ? 0 : count->second;
  if (run->last >= there) {
    const std::string_view kind = enum_name(run->kind);
    return r.error(fmt::format("'{}' goes beyond the {} {} vertices", text, there, kind),
                   there == 0 ? fmt::format("give their number in `vertices`, as in {}: 8", kind)
                              : fmt::format("the last one is {}{}", kind, there - 1));
  }
  for (int i = run->first; i <= run->last; ++i) out.push_back({run->kind, i});
}

/// Loads a link into the graph's table once.
void use_link(const Reader& at, const std::string& id, const Catalog& catalog, NodeGraph& graph) {
  if (id.empty() || graph.links.contains(id)) return;
  YamlNode name = at.node();
  name.kind = YamlNode::Kind::scalar;
  name.scalar = id;
  LinkSpec link;
  read_reference(Reader(name, at.path(), at.problems()), Kind::link, catalog, link);
  graph.links.emplace(id, std::move(link));
}

void read_pairs(const Reader& r, const std::string& link, int count, NodeGraph& graph) {
  for (const Reader& row : r.list()) {
    std::vector<Vertex> ends;
    int links = count;
    const std::vector<Reader> parts = row.list();
    if (parts.size() != 2 && parts.size() != 3) {
      row.error("a pair is two vertices and, if you like, a number of links",
                "write [gpu0, gpu1] or [gpu0, gpu1, 2]");
      continue;
    }
    read_vertices(parts[0], graph, ends);
    read_vertices(parts[1], graph, ends);
    if (parts.size() == 3) read(parts[2], links, kAtLeastOne);
    if (ends.size() != 2) {
      if (!row.problems().has_errors()) row.error("a pair joins two single vertices", "write [gpu0, gpu1]");
      continue;
    }
    if (ends[0] == ends[1]) {
      row.error("a link joins two different vertices", "write [gpu0, gpu1]");
      continue;
    }
    graph.edges.push_back({ends[0], ends[1], link, links});
  }
}

/// Joins two vertex sets; says in one line why it cannot, or returns empty.
std::string join_sets(Join join, const std::vector<Vertex>& from, const std::vector<Vertex>& to,
                      const std::string& link, int count, NodeGraph& graph) {
  const auto add = [&](Vertex a, Vertex b) { graph.edges.push_back({a, b, link, count}); };
  switch (join) {
    case Join::each_to_each:
      for (const Vertex a : from) {
        for (const Vertex b : to) add(a, b);
      }
      break;
    case Join::matched:
      if (from.size() != to.size()) return fmt::format("{} vertices do not match {}", from.size(), to.size());
      for (std::size_t i = 0; i < from.size(); ++i) add(from[i], to[i]);
      break;
    case Join::blocks:
      if (from.size() % to.size() != 0)
        return fmt::format("{} vertices make no {} equal blocks", from.size(), to.size());
      for (std::size_t i = 0; i < from.size(); ++i) add(from[i], to[i * to.size() / from.size()]);
      break;
    case Join::all_pairs:
      for (std::size_t i = 0; i < from.size(); ++i) {
        for (std::size_t j = i + 1; j < from.size(); ++j) add(from[i], from[j]);
      }
      break;
    case Join::pairs: break;
  }
  return {};
}

void read_join(const Reader& r, const Catalog& catalog, NodeGraph& graph) {
  r.map([&](MapReader& m) {
    std::string link;
    int count = 1;
    std::optional<std::size_t> join;
    m.required("link", link);
    if (const auto at = m.find("link")) use_link(*at, link, catalog, graph);
    m.optional("count", count, kAtLeastOne);
    std::vector<std::string> names;
    for (const auto& row : kJoins) names.emplace_back(row.name);
    if (const auto at = m.need("join")) join = at->choice(names);
    if (!join) {
      for (const char* key : {"from", "to", "pairs"}) m.allow(key);
      return;
    }
    const Join kind = kJoins[*join].value;
    if (kind == Join::pairs) {
      if (const auto pairs = m.need("pairs")) read_pairs(*pairs, link, count, graph);
      return;
    }
    std::vector<Vertex> from;
    std::vector<Vertex> to;
    if (const auto at = m.need("from")) read_vertices(*at, graph, from);
    if (kind != Join::all_pairs) {
      if (const auto at = m.need("to")) read_vertices(*at, graph, to);
    }
    if (from.empty() || (to.empty() && kind != Join::all_pairs)) return;
    const std::string problem = join_sets(kind, from, to, link, count, graph);
    if (!problem.empty()) r.error(problem, "give sets of the right size");
  });
}

void read_graph(const Reader& r, const Catalog& catalog, NodeGraph& graph) {
  r.map([&](MapReader& m) {
    if (const auto vertices = m.need("vertices")) {
      vertices->map([&](MapReader& g) {
        for (const auto& row : kVertexKinds) {
          if (row.value == VertexKind::nic) continue;
          int count = 0;
          g.optional(row.name, count, Bounds{1, kMaxGpusPerSystem});
          if (count > 0) graph.vertices[row.value] = count;
        }
        if (g.has("nic")) {
          g.allow("nic");
          g.error_at("nic", "NICs are not written here", "describe them under `nics:`");
        }
      });
    }
    if (const auto links = m.need("links")) {
      for (const Reader& row : links->list()) read_join(row, catalog, graph);
    }
    m.optional("source", graph.source);
  });
}

void attach_nics(const std::vector<Vertex>& parents, const std::string& link, int count, NodeGraph& graph) {
  graph.vertices[VertexKind::nic] = count;
  for (int i = 0; i < count; ++i) {
    const std::size_t parent = static_cast<std::size_t>(i) * parents.size() / static_cast<std::size_t>(count);
    graph.edges.push_back({parents[parent], {VertexKind::nic, i}, link, 1});
  }
}

/// Where NICs hang when the file does not say: spread over the interconnect's usual parents.
std::vector<Vertex> default_parents(const NodeGraph& graph, VertexKind kind) {
  std::vector<Vertex> parents;
  const auto count = graph.vertices.find(kind);
  for (int i = 0; count != graph.vertices.end() && i < count->second; ++i) parents.push_back({kind, i});
  return parents;
}

/// Parts of the graph that no link joins to gpu0; for the error.
std::vector<std::string> unreached(const NodeGraph& graph) {
  std::map<Vertex, std::vector<Vertex>> neighbours;
  for (const NodeEdge& e : graph.edges) {
    neighbours[e.a].push_back(e.b);
    neighbours[e.b].push_back(e.a);
  }
  std::vector<Vertex> open = {{VertexKind::gpu, 0}};
  std::map<Vertex, bool> seen = {{open[0], true}};
  while (!open.empty()) {
    const Vertex v = open.back();
    open.pop_back();
    for (const Vertex next : neighbours[v]) {
      if (seen.emplace(next, true).second) open.push_back(next);
    }
  }
  std::vector<std::string> missing;
  for (const auto& [kind, count] : graph.vertices) {
    for (int i = 0; i < count; ++i) {
      if (!seen.contains({kind, i})) missing.push_back(to_text(Vertex{kind, i}));
    }
  }
  return missing;
}

}  // namespace

// The parts of a system: static, not in the unnamed namespace, where argument-dependent lookup would not see
// them.

static void read(const Reader& r, HostSpec& host) {
  r.map([&](MapReader& m) {
    m.required("sockets", host.sockets, kAtLeastOne);
    m.optional("cpu", host.cpu);
    m.optional("cores", host.cores, kAtLeastOne);
    m.optional("vcpus", host.vcpus, kAtLeastOne);
    m.optional("memory", host.memory, kPositive);
    m.optional("source", host.source);
  });
}

static void read(const Reader& r, LocalStorage& storage) {
  r.map([&](MapReader& m) {
    m.optional("drives", storage.drives);
    m.required("read", storage.read, kPositive);
    m.required("write", storage.write, kPositive);
    m.optional("source", storage.source);
  });
}

namespace {

void read_nics(const Reader& r, const Catalog& catalog, const std::vector<Vertex>& usual_parents,
               SystemSpec& system) {
  r.map([&](MapReader& m) {
    NicSpec& nics = system.nics.emplace();
    m.required("count", nics.count, Bounds{1, kMaxGpusPerSystem});
    m.required("rate", nics.rate, kPositive);
    m.required("kind", nics.kind);
    m.optional("model", nics.model);
    m.optional("source", nics.source);
    std::string link = system.gpu.host_link ? system.gpu.host_link->link : "";
    m.optional("link", link);
    if (link.empty())
      m.self().error("no link to hang the NICs on", "add `link: pcie5_x16` or another PCIe link");
    use_link(m.find("link").value_or(r), link, catalog, system.graph);
    std::vector<Vertex> parents = usual_parents;
    if (const auto at = m.find("attached_to")) {
      parents.clear();
      read_vertices(*at, system.graph, parents);
    }
    if (parents.empty()) {
      if (!r.problems().has_errors()) r.error("nothing to attach the NICs to", "add `attached_to: socket0`");
      return;
    }
    if (nics.count > 0) attach_nics(parents, link, nics.count, system.graph);
  });
}

/// `interconnect:` makes the graph. NICs must be known first: they decide how GPUs share PCIe switches.
std::vector<Vertex> build_interconnect(const Reader& r, const Catalog& catalog, SystemSpec& system) {
  std::vector<std::string> names;
  for (const Interconnect& row : interconnects()) names.emplace_back(row.name);
  const auto index = r.choice(names);
  if (!index || r.problems().has_errors()) return {};
  const Interconnect& row = interconnects()[*index];
  system.graph.vertices[VertexKind::gpu] = system.gpus;
  const std::string problem = row.build(system, system.graph);
  if (!problem.empty()) {
    r.error(fmt::format("{} with {} x {}: {}", row.name, system.gpus, system.gpu.id, problem),
            "one of: " + join(names));
    return {};
  }
  for (const NodeEdge& edge : system.graph.edges) use_link(r, edge.link, catalog, system.graph);
  return default_parents(system.graph, row.nic_parent);
}

void check_graph(const Reader& at, const SystemSpec& system) {
  const auto gpus = system.graph.vertices.find(VertexKind::gpu);
  const int there = gpus == system.graph.vertices.end() ? 0 : gpus->second;
  if (there != system.gpus) {
    at.error(fmt::format("{} gpu vertices for {} GPUs", there, system.gpus),
             fmt::format("write gpu: {}", system.gpus));
    return;
  }
  const std::vector<std::string> missing = unreached(system.graph);
  if (!missing.empty()) {
    at.error(fmt::format("no link joins {} to gpu0", join(missing)), "add a link for each");
  }
}

void read_effective(MapReader& m, SystemSpec& system) {
  if (const auto effective = m.find("effective")) {
    effective->map([&](MapReader& g) {
      for (const char* level : kLevels) {
        g.allow(level);
        if (g.has(level)) g.optional(level, system.effective[level], kPositive);
      }
      g.optional("latency", system.effective_latency);
      g.optional("source", system.effective_source);
    });
  }
}

void read_network(MapReader& m, const Catalog& catalog, SystemSpec& system) {
  const auto graph = m.find("graph");
  const auto interconnect = m.find("interconnect");
  const auto nics = m.find("nics");
  if (graph && interconnect) {
    m.error_at("interconnect", "both `graph` and `interconnect` are given", "keep one of them");
    if (nics) m.allow("nics");
    return;
  }
  std::vector<Vertex> nic_parents;
  if (graph) {
    read_graph(*graph, catalog, system.graph);
    nic_parents = default_parents(system.graph, VertexKind::socket);
  } else if (interconnect) {
    if (nics) {
      Diagnostics reported_below;
      NicSpec& first_look = system.nics.emplace();
      if (const YamlEntry* count = nics->node().find("count")) {
        read(Reader(count->value, {}, reported_below), first_look.count, Bounds{1, kMaxGpusPerSystem});
      }
    }
    nic_parents = build_interconnect(*interconnect, catalog, system);
  } else {
    m.self().error("neither `graph` nor `interconnect` says how the GPUs are wired",
                   "add `interconnect: nvswitch` or another");
  }
  const std::size_t errors = m.self().problems().error_count();
  if (nics) read_nics(*nics, catalog, nic_parents, system);
  if (m.self().problems().error_count() == errors && !m.self().problems().has_errors()) {
    check_graph(graph ? *graph : m.self(), system);
  }
}

}  // namespace

std::span<const EnumName<VertexKind>> enum_names(VertexKind) { return kVertexKinds; }
std::span<const EnumName<NicKind>> enum_names(NicKind) { return kNicKinds; }

std::string to_text(Vertex vertex) { return fmt::format("{}{}", enum_name(vertex.kind), vertex.index); }

void read(const Reader& r, SystemSpec& system, const Catalog& catalog) {
  r.map([&](MapReader& m) {
    m.optional("system", system.id);
    m.optional("name", system.name);
    m.optional("released", system.released, Bounds{1990, 2100});
    if (const auto gpu = m.need("gpu")) read_reference(*gpu, Kind::gpu, catalog, system.gpu);
    m.required("gpus", system.gpus, Bounds{1, kMaxGpusPerSystem});
    m.optional("trays", system.trays, kAtLeastOne);
    m.optional("form_factor", system.form_factor);
    m.optional("host", system.host);
    system.gpu = per_device(std::move(system.gpu));
    read_network(m, catalog, system);
    m.optional("fabric", system.fabric);
    if (!system.fabric.empty()) {
      const Match match = catalog.find(Kind::fabric, system.fabric);
      if (match.entry)
        system.fabric = match.entry->id;
      else
        m.error_at("fabric", match.problem, match.hint);
    }
    system.p2p = system.gpu.host_link && system.gpu.host_link->peer_access;
    m.optional("p2p", system.p2p);
    m.optional("host_bounce", system.host_bounce, kPositive);
    read_effective(m, system);
    m.optional("storage", system.storage);
    if (const auto power = m.find("power")) {
      power->map([&](MapReader& g) {
        g.required("limit", system.power_limit, kPositive);
        g.optional("source", system.power_source);
      });
    }
    m.allow("source");
    m.optional("notes", system.notes);
  });
}

}  // namespace stepcast::hardware
