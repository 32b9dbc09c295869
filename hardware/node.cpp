#include "hardware/node.hpp"

#include <array>

#include <fmt/core.h>

#include "base/text.hpp"
#include "hardware/catalog.hpp"
#include "hardware/interconnect.hpp"
#include "hardware/node_graph.hpp"

namespace stepcast::hardware {
namespace {

constexpr std::array kNicKinds = {EnumName<NicKind>{"infiniband", NicKind::infiniband},
                                  EnumName<NicKind>{"roce", NicKind::roce},
                                  EnumName<NicKind>{"efa", NicKind::efa},
                                  EnumName<NicKind>{"omni_path", NicKind::omni_path},
                                  EnumName<NicKind>{"ethernet_tcp", NicKind::ethernet_tcp},
                                  EnumName<NicKind>{"slingshot", NicKind::slingshot}};
constexpr std::array kLevels = {"nv", "pix", "pxb", "phb", "node", "sys"};
constexpr Bounds kCountInNode{.low = 1, .high = 4096};

}  // namespace

// The parts of a system: static, not in the unnamed namespace, where argument-dependent lookup would not see
// them.

static void read(const Reader& r, HostSpec& host) {
  r.map([&](MapReader& m) {
    m.required("sockets", host.sockets, kAtLeastOne);
    m.optional("cpu", host.cpu);
    m.optional("cores_per_socket", host.cores_per_socket, kAtLeastOne);
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

/// `nics:` as written: where they hang is resolved when the rest of the graph is there.
struct NicsAsWritten {
  std::optional<Reader> at;
  std::optional<Reader> link;
  std::optional<Reader> attached_to;
};

NicsAsWritten read_nics(MapReader& m, SystemSpec& system) {
  NicsAsWritten written;
  written.at = m.find("nics");
  if (!written.at) return written;
  written.at->map([&](MapReader& g) {
    NicSpec& nics = system.nics.emplace();
    g.required("count", nics.count, kCountInNode);
    g.required("rate", nics.rate, kPositive);
    g.required("kind", nics.kind);
    g.optional("model", nics.model);
    written.link = g.find("link");
    written.attached_to = g.find("attached_to");
    g.optional("source", nics.source);
  });
  return written;
}

void attach(const NicsAsWritten& written, const std::vector<Vertex>& usual_parents, const Catalog& catalog,
            SystemSpec& system) {
  const Reader& r = *written.at;
  const std::size_t errors = r.problems().error_count();
  std::string link = system.gpu.host_link ? system.gpu.host_link->link : "";
  if (written.link) read(*written.link, link);
  if (link.empty())
    return r.error("no link to hang the NICs on", "add `link: pcie5_x16` or another PCIe link");
  link = use_link(written.link.value_or(r), link, catalog, system.graph);
  const auto parents =
      written.attached_to ? read_vertices(*written.attached_to, system.graph) : usual_parents;
  if (r.problems().error_count() > errors) return;
  if (parents.empty()) return r.error("nothing to attach the NICs to", "add `attached_to: socket0`");
  const auto nics = static_cast<std::size_t>(system.nics->count);
  if (nics % parents.size() != 0 && parents.size() % nics != 0) {
    return r.error(fmt::format("{} NICs do not spread evenly over {} vertices", nics, parents.size()),
                   "name as many in `attached_to` as share them evenly");
  }
  if (nics > 0) attach_nics(parents, link, system.nics->count, system.graph);
}

/// `interconnect:` makes the graph; returns what NICs usually hang on, nothing after a problem.
std::vector<Vertex> build_interconnect(const Reader& r, const Catalog& catalog, SystemSpec& system) {
  const auto index = r.choice(names_of(interconnects()));
  if (!index || system.gpus < 1 || system.gpu.id.empty()) return {};
  const Interconnect& row = interconnects()[*index];
  system.graph.vertices[VertexKind::gpu] = system.gpus;
  const std::string problem = row.build(system, system.graph);
  if (!problem.empty()) {
    r.error(fmt::format("{} with {} x {}: {}", row.name, system.gpus, system.gpu.id, problem),
            system.gpu.gpu_link ? "one of: " + join(names_of(interconnects()))
                                : "over PCIe: pcie_host, pcie_dual_socket or pcie_switch");
    return {};
  }
  for (NodeEdge& edge : system.graph.edges) edge.link = use_link(r, edge.link, catalog, system.graph);
  return all_vertices(system.graph, row.nic_parent);
}

/// The graph against what the rest of the file says.
void check_system(const Reader& at, const SystemSpec& system) {
  const auto count = [&](VertexKind kind) {
    const auto found = system.graph.vertices.find(kind);
    return found == system.graph.vertices.end() ? 0 : found->second;
  };
  if (count(VertexKind::gpu) != system.gpus) {
    at.error(fmt::format("{} gpu vertices for {} GPUs", count(VertexKind::gpu), system.gpus),
             fmt::format("write gpu: {}", system.gpus));
    return;
  }
  if (system.host.sockets > 0 && system.host.sockets != count(VertexKind::socket)) {
    at.error(fmt::format("{} socket vertices, but the host has {}", count(VertexKind::socket),
                         system.host.sockets),
             "mend one of them");
  }
  if (system.gpu.gpu_link) {
    std::map<int, int> links;
    for (const NodeEdge& e : system.graph.edges) {
      if (e.link != system.gpu.gpu_link->link) continue;
      for (const Vertex end : {e.a, e.b}) {
        if (end.kind == VertexKind::gpu) links[end.index] += e.count;
      }
    }
    for (const auto& [index, used] : links) {
      if (used <= system.gpu.gpu_link->count) continue;
      at.error(fmt::format("gpu{} has {} {} links here, but the GPU has {}", index, used,
                           system.gpu.gpu_link->link, system.gpu.gpu_link->count),
               "use no more links than there are");
      break;
    }
  }
  check_graph(at, system.graph);
}

void read_wiring(MapReader& m, const Catalog& catalog, SystemSpec& system) {
  const Reader& r = m.self();
  const std::size_t errors = r.problems().error_count();
  const NicsAsWritten nics = read_nics(m, system);
  const auto graph = m.find("graph");
  const auto interconnect = m.find("interconnect");
  if (graph.has_value() == interconnect.has_value()) {
    r.error(graph ? "both `graph` and `interconnect` are given" : "nothing says how the GPUs are wired",
            graph ? "keep one of them" : "add `interconnect: nvswitch` or another, or `graph:`");
    return;
  }
  std::vector<Vertex> nic_parents;
  if (graph) {
    read_graph(*graph, catalog, system.graph);
    nic_parents = all_vertices(system.graph, VertexKind::socket);
  } else {
    nic_parents = build_interconnect(*interconnect, catalog, system);
  }
  if (nics.at && !system.graph.edges.empty()) attach(nics, nic_parents, catalog, system);
  if (r.problems().error_count() == errors && system.gpus > 0) check_system(graph.value_or(r), system);
}

void read_effective(const Reader& r, SystemSpec& system) {
  r.map([&](MapReader& m) {
    for (const char* level : kLevels) {
      if (const auto rate = m.find(level)) read(*rate, system.effective[level], kPositive);
    }
    m.optional("latency", system.effective_latency);
    m.optional("source", system.effective_source);
  });
}

void read_fabric_name(const Reader& r, const Catalog& catalog, SystemSpec& system) {
  const std::optional<std::string> name = r.text();
  if (!name) return;
  const Match match = catalog.find(Kind::fabric, *name);
  if (!match.entry) return r.error(match.problem, match.hint);
  system.fabric = match.entry->id;
  if (!match.note.empty()) r.problems().add({Severity::note, r.node().where(), r.path(), match.note, {}});
}

void read_gpus(MapReader& m, const Catalog& catalog, SystemSpec& system) {
  if (const auto gpu = m.need("gpu")) {
    const std::size_t errors = gpu->problems().error_count();
    read_reference(*gpu, Kind::gpu, catalog, system.gpu);
    if (gpu->problems().error_count() == errors && gpu->is_map()) check_consistent(*gpu, system.gpu, catalog);
  }
  m.required("gpus", system.gpus, kCountInNode);
  m.optional("trays", system.trays, kAtLeastOne);
  if (system.gpus % system.trays != 0) {
    m.error_at("trays", fmt::format("{} GPUs do not spread evenly over {} trays", system.gpus, system.trays),
               "mend one of them");
  }
  system.gpu = per_device(std::move(system.gpu));
}

}  // namespace

std::span<const EnumName<NicKind>> enum_names(NicKind) { return kNicKinds; }

void read(const Reader& r, SystemSpec& system, const Catalog& catalog) {
  r.map([&](MapReader& m) {
    m.optional("system", system.id);
    m.optional("name", system.name);
    m.optional("released", system.released);
    m.optional("form_factor", system.form_factor);
    read_gpus(m, catalog, system);
    m.optional("host", system.host);
    read_wiring(m, catalog, system);
    if (const auto fabric = m.find("fabric")) read_fabric_name(*fabric, catalog, system);
    system.p2p = system.gpu.host_link && system.gpu.host_link->peer_access;
    m.optional("p2p", system.p2p);
    m.optional("host_bounce", system.host_bounce, kPositive);
    if (const auto effective = m.find("effective")) read_effective(*effective, system);
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
