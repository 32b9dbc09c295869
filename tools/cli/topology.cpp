// `topology`: the link graph of a machine or of several: levels and rates of every pair, bisection, one way
// through it.

#include "hardware/topology.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "hardware/bisection.hpp"
#include "tools/cli/commands.hpp"
#include "tools/report/table.hpp"

namespace stepcast::tools {
namespace {

using namespace hardware;  // NOLINT: every name here is of that floor

constexpr int kWidestMatrix = 16;      // GPUs; of wider nodes only the first one's row is told, in words
constexpr int kMostExpanded = 262144;  // GPUs

double gb_per_s(Bandwidth rate) { return rate / 1_GBps; }
std::string gb_text(Bandwidth rate) {
  const double value = gb_per_s(rate);
  return value >= 1000.0 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

/// nvidia-smi's name of what joins two devices: NV# and its like for a bundle of # links, else how far up the
/// PCIe tree.
std::string level(const Topology& topology, const std::optional<Route>& wires) {
  static const std::map<Label, std::string_view> kBundles = {{Label::nvlink, "NV"},
                                                             {Label::xgmi, "XG"},
                                                             {Label::ethernet, "ET"},
                                                             {Label::ici, "IC"},
                                                             {Label::ipu, "IP"}};
  if (!wires) return "-";
  const TopologyEdge& first = topology.edges()[wires->steps.front().edge.index()];
  int links = 0;
  bool sockets = false;
  bool passes_gpu = false;
  int bridges = 0;
  int switches = 0;
  for (const RouteStep& step : wires->steps) {
    const TopologyEdge& edge = topology.edges()[step.edge.index()];
    const VertexKind from = topology.vertices()[edge.from.index()].kind;
    if (edge.from == first.from) links += edge.links;
    passes_gpu |= from == VertexKind::gpu && edge.from != first.from;
    sockets |= edge.label == Label::upi;
    bridges += from == VertexKind::host_bridge ? 1 : 0;
    switches += from == VertexKind::pcie_switch ? 1 : 0;
  }
  if (passes_gpu) return "HOP";
  if (is_gpu_link(first.label)) return fmt::format("{}{}", kBundles.at(first.label), links);
  if (sockets) return "SYS";
  if (bridges > 1) return "NODE";
  if (bridges == 1) return "PHB";
  return switches > 1 ? "PXB" : "PIX";
}

struct Matrix {
  std::vector<std::string> names;                ///< GPU0 ..., NIC0 ...
  std::vector<std::vector<std::string>> levels;  ///< GPUs against all
  std::vector<std::vector<double>> rates;        ///< GB/s of one flow alone, GPUs against GPUs
};

/// Of one node, on its own: what stays in a node does not leave it.
Matrix matrix_of(const NodeVariant& variant) {
  ClusterSpec alone;
  alone.variants.push_back(variant);
  alone.runs.push_back({0, 1});
  alone.gpus = variant.system.gpus;
  const Topology topology(alone);
  const bool wide = variant.system.gpus > kWidestMatrix;
  Matrix matrix;
  std::vector<VertexId> devices;
  for (std::size_t v = 0; v < topology.vertices().size(); ++v) {
    const TopologyVertex& vertex = topology.vertices()[v];
    if (vertex.kind != VertexKind::gpu && (vertex.kind != VertexKind::nic || wide)) continue;
    devices.emplace_back(v);
    matrix.names.push_back(fmt::format("{}{}", vertex.kind == VertexKind::gpu ? "GPU" : "NIC", vertex.index));
  }
  const int rows = wide ? 1 : variant.system.gpus;
  for (int a = 0; a < rows; ++a) {
    auto& levels = matrix.levels.emplace_back();
    auto& rates = matrix.rates.emplace_back();
    for (const VertexId device : devices) {
      levels.push_back(device == topology.gpu(a) ? "X"
                                                 : level(topology, topology.wires(topology.gpu(a), device)));
    }
    for (int b = 0; b < variant.system.gpus; ++b) {
      rates.push_back(a == b ? 0.0 : gb_per_s(topology.route(a, b).bandwidth));
    }
  }
  return matrix;
}

std::string matrix_text(const Matrix& matrix) {
  const std::size_t gpus = matrix.levels.size();
  Table levels{{{"", ""}}, {}};
  Table rates{{{"GB/s", ""}}, {}};
  for (const std::string& name : matrix.names) levels.columns.push_back({name, name});
  for (std::size_t i = 0; i < gpus; ++i) rates.columns.push_back({matrix.names[i], matrix.names[i]});
  for (std::size_t i = 0; i < gpus; ++i) {
    auto& level_row = levels.rows.emplace_back(std::vector<Cell>{matrix.names[i]});
    for (const std::string& text : matrix.levels[i]) level_row.emplace_back(text);
    auto& rate_row = rates.rows.emplace_back(std::vector<Cell>{matrix.names[i]});
    for (std::size_t j = 0; j < gpus; ++j) {
      rate_row.push_back(i == j ? Cell("X")
                                : Cell(fmt::format("{:.4g}", matrix.rates[i][j]), matrix.rates[i][j]));
    }
  }
  return to_plain(levels) + "\nOne flow alone, one direction\n" + to_plain(rates);
}

/// "From GPU 0 to 71 GPUs: NV18, 900 GB/s".
std::string summary_text(const Matrix& matrix) {
  std::map<std::pair<std::string, double>, int> kinds;
  for (std::size_t j = 1; j < matrix.levels[0].size(); ++j)
    ++kinds[{matrix.levels[0][j], matrix.rates[0][j]}];
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += fmt::format("From GPU 0 to {} GPUs: {}, {:.4g} GB/s\n", count, kind.first, kind.second);
  }
  return text;
}

std::string legend_text(const Matrix& matrix) {
  static const std::vector<std::pair<std::string_view, std::string_view>> kLegend = {
      {"NV", "NV#   so many NVLinks"},
      {"XG", "XG#   so many Infinity Fabric links"},
      {"ET", "ET#   so many Ethernet ports on the accelerator"},
      {"IC", "IC#   so many ICI links"},
      {"IP", "IP#   so many IPU-Links"},
      {"HOP", "HOP   by way of other GPUs"},
      {"-", "-     only over other GPUs, which pass nothing on"},
      {"PIX", "PIX   one PCIe switch or none"},
      {"PXB", "PXB   several PCIe switches, no host bridge"},
      {"PHB", "PHB   one host bridge"},
      {"NODE", "NODE  several host bridges of one socket"},
      {"SYS", "SYS   the link between sockets"}};
  std::string text;
  for (const auto& [begins, line] : kLegend) {
    const bool used =
        std::any_of(matrix.levels.begin(), matrix.levels.end(), [&, begins = begins](const auto& row) {
          return std::any_of(row.begin(), row.end(), [&](const std::string& l) {
            return l.starts_with(begins) &&
                   (begins.size() != 2 || l.find_first_not_of("0123456789", 2) == std::string::npos);
          });
        });
    if (used) text += fmt::format("{}\n", line);
  }
  return text;
}

struct Answer {
  ClusterSpec cluster;
  std::optional<Topology> topology;
  Matrix matrix;
  NodeBisection node_bisection;
  std::optional<Bandwidth> fabric_bisection;
  std::optional<std::pair<int, int>> path;
};

std::string path_text(const Answer& answer) {
  const Topology& topology = *answer.topology;
  const auto [from, to] = *answer.path;
  const Route route = topology.route(from, to);
  std::string text =
      fmt::format("\nFrom GPU {} to GPU {}: {} GB/s, {}{}\n", from, to, gb_text(route.bandwidth),
                  to_short_text(route.latency),
                  route.through_host ? ", staged in host memory: the driver forbids peer access" : "");
  Table table{{{"from", ""}, {"to", ""}, {"link", ""}, {"GB/s", ""}, {"share of the flow", ""}, {"", ""}},
              {}};
  for (const RouteStep& step : route.steps) {
    const TopologyEdge& edge = topology.edges()[step.edge.index()];
    const bool unlimited = edge.label == Label::memory;
    table.rows.push_back({to_text(topology.vertices()[edge.from.index()]),
                          to_text(topology.vertices()[edge.to.index()]), std::string(enum_name(edge.label)),
                          unlimited ? "" : gb_text(edge.capacity), fmt::format("{:.3g}", step.share),
                          step.edge == route.bottleneck && !route.host_limited ? "narrowest" : ""});
  }
  text += to_plain(table);
  return route.host_limited ? text + "Narrowest: the host's own copying (host_bounce)\n" : text;
}

std::string fabric_text(const ClusterSpec& cluster, const FabricPlan& plan) {
  std::string text = fmt::format("{}, {}", cluster.fabric->name, enum_name(plan.topology));
  if (plan.topology == FabricTopology::point_to_point) return text + "\n";
  text += fmt::format(", {} leaves", plan.leaves);
  if (plan.spines_per_pod > 0) text += fmt::format(", {} spines", plan.pods * plan.spines_per_pod);
  if (plan.cores_per_spine > 0)
    text += fmt::format(", {} cores, {} pods", plan.cores_per_spine * plan.spines_per_pod, plan.pods);
  if (plan.topology == FabricTopology::dragonfly) text += fmt::format(" in {} groups", plan.pods);
  return text + "\n";
}

/// "2 x NVIDIA DGX H100: 8 x NVIDIA H100 SXM5 80GB, 8 x 400 Gb/s infiniband", one line for each run of nodes.
std::string machines_text(const ClusterSpec& cluster) {
  std::string text;
  int node = 0;
  for (const NodeRun& run : cluster.runs) {
    const NodeVariant& variant = cluster.variants[run.variant];
    const SystemSpec& system = variant.system;
    text += fmt::format("{}{}: {} x {}", cluster.nodes() > 1 ? fmt::format("{} x ", run.count) : "",
                        system.name.empty() ? "node" : system.name, system.gpus, system.gpu.name);
    if (system.nics) {
      text += fmt::format(", {} x {:g} Gb/s {}", system.nics->count, system.nics->rate / 1_Gbps,
                          enum_name(system.nics->kind));
    }
    const auto changed = [](const std::vector<double>& scales) {
      return std::any_of(scales.begin(), scales.end(), [](double scale) { return scale != 1.0; });
    };
    if (changed(variant.edge_scale) || changed(variant.cable_scale)) text += ", links overridden";
    for (std::size_t g = 0; g < variant.gpu_scale.size(); ++g) {
      if (variant.gpu_scale[g] != 1.0)
        text += fmt::format(", gpu{} computes at {:g}", g, variant.gpu_scale[g]);
    }
    text += cluster.runs.size() > 1 ? fmt::format("  (from node {})\n", node) : "\n";
    node += run.count;
  }
  return text;
}

std::string as_text(const Answer& answer) {
  const SystemSpec& system = answer.cluster.variants[answer.cluster.runs.front().variant].system;
  std::string text = machines_text(answer.cluster);
  if (answer.topology->plan()) text += fabric_text(answer.cluster, *answer.topology->plan());
  const bool small = system.gpus <= kWidestMatrix;
  if (answer.cluster.runs.size() > 1) text += "\nNode 0\n";
  text += "\n" + (small ? matrix_text(answer.matrix) : summary_text(answer.matrix)) + "\n" +
          legend_text(answer.matrix);
  if (system.gpus > 1) {
    text += fmt::format(
        "\nBisection, one direction\nin a node         {} GB/s (first half of the GPUs to the second)\n",
        gb_text(answer.node_bisection.halves));
    if (answer.node_bisection.worst) {
      text += fmt::format("in a node, least  {} GB/s (over all ways to split its GPUs in two)\n",
                          gb_text(*answer.node_bisection.worst));
    }
  }
  if (answer.fabric_bisection) {
    text += fmt::format("across nodes      {} GB/s (first half of the nodes to the second)\n",
                        gb_text(*answer.fabric_bisection));
  }
  if (answer.path) text += path_text(answer);
  return text;
}

nlohmann::json edge_json(const Topology& topology, const TopologyEdge& edge) {
  nlohmann::json json = {{"from", to_text(topology.vertices()[edge.from.index()])},
                         {"to", to_text(topology.vertices()[edge.to.index()])},
                         {"label", enum_name(edge.label)},
                         {"links", edge.links},
                         {"latency_s", static_cast<double>(edge.latency) * 1e-12}};
  if (edge.label != Label::memory) json["bytes_per_s"] = edge.capacity.base();
  return json;
}

std::string as_json(const Answer& answer) {
  const Topology& topology = *answer.topology;
  nlohmann::json json = {{"schema_version", 1},
                         {"nodes", answer.cluster.nodes()},
                         {"gpus", topology.gpus()},
                         {"devices", answer.matrix.names},
                         {"levels", answer.matrix.levels},
                         {"gb_per_s", answer.matrix.rates}};
  json["bisection"]["node_bytes_per_s"] = answer.node_bisection.halves.base();
  if (answer.node_bisection.worst)
    json["bisection"]["node_least_bytes_per_s"] = answer.node_bisection.worst->base();
  if (answer.fabric_bisection) json["bisection"]["fabric_bytes_per_s"] = answer.fabric_bisection->base();
  json["vertices"] = nlohmann::json::array();
  for (const TopologyVertex& vertex : topology.vertices()) json["vertices"].push_back(to_text(vertex));
  json["edges"] = nlohmann::json::array();
  for (const TopologyEdge& edge : topology.edges()) json["edges"].push_back(edge_json(topology, edge));
  if (answer.path) {
    const Route route = topology.route(answer.path->first, answer.path->second);
    nlohmann::json steps = nlohmann::json::array();
    for (const RouteStep& step : route.steps) {
      nlohmann::json one = edge_json(topology, topology.edges()[step.edge.index()]);
      one["share"] = step.share;
      steps.push_back(std::move(one));
    }
    json["path"] = {{"from", answer.path->first},
                    {"to", answer.path->second},
                    {"bytes_per_s", route.bandwidth.base()},
                    {"latency_s", route.latency.base()},
                    {"through_host", route.through_host},
                    {"host_limited", route.host_limited},
                    {"steps", steps},
                    {"bottleneck", edge_json(topology, topology.edges()[route.bottleneck.index()])}};
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string as_dot(const Topology& topology) {
  std::string text = "graph topology {\n  layout=neato; overlap=false; node [shape=box];\n";
  for (const TopologyVertex& v : topology.vertices()) text += fmt::format("  \"{}\";\n", to_text(v));
  for (const TopologyEdge& e : topology.edges()) {
    if (e.to < e.from) continue;  // one line for both directions
    const std::string rate = e.label == Label::memory ? "" : fmt::format(" {} GB/s", gb_text(e.capacity));
    text +=
        fmt::format("  \"{}\" -- \"{}\" [label=\"{}{}{}\"];\n", to_text(topology.vertices()[e.from.index()]),
                    to_text(topology.vertices()[e.to.index()]),
                    e.links > 1 ? fmt::format("{} x ", e.links) : "", enum_name(e.label), rate);
  }
  return text + "}\n";
}

/// `cluster:` of a scenario, as the call describes it.
YamlNode cluster_tree(const Invocation& call, Diagnostics& problems) {
  YamlNode tree;
  tree.kind = YamlNode::Kind::map;
  YamlNode& cluster = tree.entries.emplace_back().value;
  tree.entries[0].key.kind = YamlNode::Kind::scalar;
  tree.entries[0].key.scalar = "cluster";
  cluster.kind = YamlNode::Kind::map;
  const auto put = [&](std::string key, std::string value) {
    YamlEntry& entry = cluster.entries.emplace_back();
    entry.key.kind = entry.value.kind = YamlNode::Kind::scalar;
    entry.key.scalar = std::move(key);
    entry.value.scalar = std::move(value);
  };
  if (!call.positionals.empty()) put("system", call.positionals[0]);
  if (call.has("nodes")) put("nodes", call.get("nodes", ""));
  if (const auto sets = call.options.find("set"); sets != call.options.end()) {
    for (const std::string& assignment : sets->second) set_value(tree, assignment, problems);
  }
  return tree;
}

std::pair<int, int> parse_path(const std::string& text, int gpus) {
  int from = -1;
  int to = -1;
  const std::size_t space = text.find(' ');
  const auto number = [&](std::string_view word, int& out) {
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), out);
    return status == std::errc() && end == word.data() + word.size() && out >= 0 && out < gpus;
  };
  const std::string_view view = text;
  if (space == std::string::npos || !number(view.substr(0, space), from) ||
      !number(view.substr(space + 1), to) || from == to) {
    throw UsageError(
        fmt::format("topology: --path takes two different GPUs from 0 to {}, not '{}'", gpus - 1, text));
  }
  return {from, to};
}

}  // namespace

int run_topology(const Invocation& call) {
  const Catalog catalog = open_catalog(call);
  Diagnostics problems;
  const YamlNode tree = cluster_tree(call, problems);
  Answer answer;
  Reader(tree, {}, problems).map([&](MapReader& m) { m.required("cluster", answer.cluster, catalog); });
  problems.throw_if_errors();
  print_diagnostics(problems);
  if (answer.cluster.total_gpus() > kMostExpanded) {
    throw UsageError(fmt::format("topology: {} GPUs are too many to draw one by one; at most {}",
                                 answer.cluster.total_gpus(), kMostExpanded));
  }
  answer.topology.emplace(answer.cluster);
  if (call.has("path")) answer.path = parse_path(call.get("path", ""), answer.topology->gpus());
  const NodeVariant& first = answer.cluster.variants[answer.cluster.runs.front().variant];
  answer.matrix = matrix_of(first);
  answer.node_bisection = bisect_node(first);
  if (answer.cluster.nodes() > 1) answer.fabric_bisection = bisect_fabric(*answer.topology);
  write_result(call, call.format == "json"  ? as_json(answer)
                     : call.format == "dot" ? as_dot(*answer.topology)
                                            : as_text(answer));
  return kDone;
}

}  // namespace stepcast::tools
