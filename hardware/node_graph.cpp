#include "hardware/node_graph.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "base/text.hpp"
#include "hardware/catalog.hpp"

namespace stepcast::hardware {
namespace {

constexpr int kMaxVertices = 4096;  // of one kind in a node
constexpr std::size_t kMaxEdges = 200'000;

constexpr std::array kVertexKinds = {EnumName<VertexKind>{"gpu", VertexKind::gpu},
                                     EnumName<VertexKind>{"nvswitch", VertexKind::nvswitch},
                                     EnumName<VertexKind>{"pcie_switch", VertexKind::pcie_switch},
                                     EnumName<VertexKind>{"socket", VertexKind::socket},
                                     EnumName<VertexKind>{"nic", VertexKind::nic},
                                     EnumName<VertexKind>{"host_bridge", VertexKind::host_bridge},
                                     EnumName<VertexKind>{"memory", VertexKind::memory},
                                     EnumName<VertexKind>{"leaf", VertexKind::leaf},
                                     EnumName<VertexKind>{"spine", VertexKind::spine},
                                     EnumName<VertexKind>{"core", VertexKind::core}};
constexpr std::size_t kWritten = 4;  // of kVertexKinds, those that a file's `vertices` may count

constexpr std::string_view kHowToName = "write gpu3, \"gpu[0-7]\", or a list of such";

enum class Join { each_to_each, matched, blocks, all_pairs, pairs };
constexpr std::array kJoins = {
    EnumName<Join>{"each_to_each", Join::each_to_each}, EnumName<Join>{"matched", Join::matched},
    EnumName<Join>{"blocks", Join::blocks}, EnumName<Join>{"all_pairs", Join::all_pairs},
    EnumName<Join>{"pairs", Join::pairs}};

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
  for (const auto& row : std::span(kVertexKinds).first(kWritten)) {
    if (!text.starts_with(row.name)) continue;
    const std::string_view rest = text.substr(row.name.size());
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

void add_run(const Reader& r, const NodeGraph& graph, std::vector<Vertex>& out) {
  const std::optional<std::string> text = r.text();
  if (!text) return;
  const auto run = parse_run(*text);
  if (!run) return r.error(fmt::format("'{}' names no vertices", *text), std::string(kHowToName));
  const auto count = graph.vertices.find(run->kind);
  const int there = count == graph.vertices.end() ? 0 : count->second;
  if (run->last >= there) {
    const std::string_view kind = enum_name(run->kind);
    return r.error(there == 0 ? fmt::format("'{}': this node has no {}", *text, kind)
                              : fmt::format("'{}' goes beyond {}{}", *text, kind, there - 1),
                   there == 0 ? "`vertices` counts what there is" : "name vertices that are there");
  }
  for (int i = run->first; i <= run->last; ++i) out.push_back({run->kind, i});
}

/// Joins two sets; says in one line why it cannot, or returns empty.
std::string join_sets(Join join, const std::vector<Vertex>& from, const std::vector<Vertex>& to,
                      const std::string& link, int count, NodeGraph& graph) {
  const auto add = [&](Vertex a, Vertex b) { graph.edges.push_back({a, b, link, count}); };
  if (graph.edges.size() + from.size() * std::max(from.size(), to.size()) > kMaxEdges)
    return "too many links for one node";
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
      if (from.size() < 2) return "one vertex makes no pair";
      for (std::size_t i = 0; i < from.size(); ++i) {
        for (std::size_t j = i + 1; j < from.size(); ++j) add(from[i], from[j]);
      }
      break;
    case Join::pairs: break;
  }
  return {};
}

void read_pair(const Reader& row, const std::string& link, int count, NodeGraph& graph) {
  const std::vector<Reader> parts = row.list();
  if (parts.size() != 2 && parts.size() != 3) {
    return row.error("a pair is two vertices and, if you like, a number of links",
                     "write [gpu0, gpu1] or [gpu0, gpu1, 2]");
  }
  const std::size_t errors = row.problems().error_count();
  const std::vector<Vertex> a = read_vertices(parts[0], graph);
  const std::vector<Vertex> b = read_vertices(parts[1], graph);
  if (parts.size() == 3) read(parts[2], count, kAtLeastOne);
  if (row.problems().error_count() > errors) return;
  if (a.size() != 1 || b.size() != 1)
    return row.error("a pair joins two single vertices", "write [gpu0, gpu1]");
  graph.edges.push_back({a[0], b[0], link, count});
}

void read_sets(MapReader& m, Join kind, const std::string& link, int count, NodeGraph& graph) {
  std::vector<Vertex> from;
  std::vector<Vertex> to;
  const std::size_t errors = m.self().problems().error_count();
  if (const auto at = m.need("from")) from = read_vertices(*at, graph);
  if (kind != Join::all_pairs) {
    if (const auto at = m.need("to")) to = read_vertices(*at, graph);
  }
  if (m.self().problems().error_count() > errors) return;
  for (const Vertex v : from) {
    if (std::find(to.begin(), to.end(), v) == to.end()) continue;
    return m.self().error(fmt::format("{} would be joined to itself", to_text(v)),
                          "name different vertices, or join: all_pairs");
  }
  const std::string problem = join_sets(kind, from, to, link, count, graph);
  if (!problem.empty()) m.self().error(problem, "give sets of the right size");
}

void read_join(const Reader& r, const Catalog& catalog, NodeGraph& graph) {
  r.map([&](MapReader& m) {
    std::string link;
    int count = 1;
    m.required("link", link);
    if (const auto at = m.find("link"); at && !link.empty()) link = use_link(*at, link, catalog, graph);
    m.optional("count", count, kAtLeastOne);
    std::optional<std::size_t> join;
    if (const auto at = m.need("join")) join = at->choice(names_of(kJoins));
    if (!join) {
      for (const char* key : {"from", "to", "pairs"}) m.allow(key);
    } else if (const Join kind = kJoins[*join].value; kind != Join::pairs) {
      read_sets(m, kind, link, count, graph);
    } else if (const auto pairs = m.need("pairs")) {
      if (pairs->is_list() && pairs->node().items.empty())
        pairs->error("no pairs", "write [[gpu0, gpu1], ...]");
      for (const Reader& row : pairs->list()) read_pair(row, link, count, graph);
    }
  });
}

/// Parts of the graph that no link joins to gpu0.
std::vector<std::string> unreached(const NodeGraph& graph) {
  std::map<Vertex, std::vector<Vertex>> neighbours;
  for (const NodeEdge& e : graph.edges) {
    neighbours[e.a].push_back(e.b);
    neighbours[e.b].push_back(e.a);
  }
  std::vector<Vertex> open = {{VertexKind::gpu, 0}};
  std::set<Vertex> seen = {open[0]};
  while (!open.empty()) {
    const Vertex v = open.back();
    open.pop_back();
    for (const Vertex next : neighbours[v]) {
      if (seen.insert(next).second) open.push_back(next);
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

std::span<const EnumName<VertexKind>> enum_names(VertexKind) { return kVertexKinds; }

std::string to_text(Vertex vertex) { return fmt::format("{}{}", enum_name(vertex.kind), vertex.index); }

std::vector<Vertex> read_vertices(const Reader& r, const NodeGraph& graph) {
  std::vector<Vertex> vertices;
  if (!r.is_list()) {
    add_run(r, graph, vertices);
    return vertices;
  }
  if (r.node().items.empty()) r.error("an empty list of vertices", std::string(kHowToName));
  for (const Reader& item : r.list()) {
    add_run(item, graph, vertices);
    if (vertices.size() > kMaxEdges) break;
  }
  std::set<Vertex> seen;
  for (const Vertex v : vertices) {
    if (seen.insert(v).second) continue;
    r.error(fmt::format("{} is named twice", to_text(v)), "name each vertex once");
    break;
  }
  return vertices;
}

std::vector<Vertex> all_vertices(const NodeGraph& graph, VertexKind kind) {
  std::vector<Vertex> vertices;
  const auto count = graph.vertices.find(kind);
  for (int i = 0; count != graph.vertices.end() && i < count->second; ++i) vertices.push_back({kind, i});
  return vertices;
}

std::string use_link(const Reader& at, const std::string& name, const Catalog& catalog, NodeGraph& graph) {
  if (graph.links.contains(name)) return name;
  YamlNode scalar = at.node();
  scalar.kind = YamlNode::Kind::scalar;
  scalar.scalar = name;
  LinkSpec link;
  read_reference(Reader(scalar, at.path(), at.problems()), Kind::link, catalog, link);
  std::string id = link.id;
  if (!id.empty()) graph.links.emplace(id, std::move(link));
  return id;
}

void read_graph(const Reader& r, const Catalog& catalog, NodeGraph& graph) {
  r.map([&](MapReader& m) {
    if (const auto vertices = m.need("vertices")) {
      vertices->map([&](MapReader& g) {
        for (const auto& row : std::span(kVertexKinds).first(kWritten)) {
          if (const auto count = g.find(row.name))
            read(*count, graph.vertices[row.value], Bounds{1, kMaxVertices});
        }
        if (const auto nic = g.find("nic"))
          nic->error("NICs are not written here", "describe them under `nics:`");
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

void check_graph(const Reader& at, const NodeGraph& graph) {
  std::set<std::tuple<Vertex, Vertex, std::string>> seen;
  for (const NodeEdge& e : graph.edges) {
    if (e.a == e.b)
      at.error(fmt::format("{} is joined to itself", to_text(e.a)), "a link joins two different vertices");
    if (seen.emplace(std::min(e.a, e.b), std::max(e.a, e.b), e.link).second) continue;
    at.error(fmt::format("{} and {} are joined by {} in two places", to_text(e.a), to_text(e.b), e.link),
             "write one row with `count`");
    break;
  }
  const std::vector<std::string> missing = unreached(graph);
  if (!missing.empty())
    at.error(fmt::format("no link joins {} to gpu0", join(missing)), "add a link for each");
}

}  // namespace stepcast::hardware
