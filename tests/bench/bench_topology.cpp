// The hardware graph at scale: what the quotient and the expanded graph cost to build.

#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "hardware/catalog.hpp"
#include "hardware/topology.hpp"
#include "sim/network/classes.hpp"

using namespace stepcast;

namespace {

hardware::ClusterSpec cluster_of(const std::string& yaml) {
  const hardware::Catalog catalog({STEPCAST_CATALOG_DIR});
  Diagnostics problems;
  hardware::ClusterSpec cluster;
  const auto tree = parse_yaml(yaml, "bench", problems);
  if (tree) read(Reader(*tree, "cluster", problems), cluster, catalog);
  problems.throw_if_errors();
  return cluster;
}

/// Tensor, data and pipeline groups; tensor innermost, then data.
std::vector<sim::GroupFamily> job(std::uint32_t ranks, std::uint32_t tensor, std::uint32_t pipeline) {
  const std::uint32_t data = ranks / tensor / pipeline;
  std::vector<sim::GroupFamily> families = {{"tensor", {}, {}}, {"data", {}, {}}, {"pipeline", {}, {}}};
  std::vector<std::uint32_t> group;
  const auto add = [&](sim::GroupFamily& family, std::uint32_t first, std::uint32_t step,
                       std::uint32_t size) {
    group.clear();
    for (std::uint32_t i = 0; i < size; ++i) group.push_back(first + i * step);
    family.add(group);
  };
  for (std::uint32_t g = 0; g < ranks; g += tensor) add(families[0], g, 1, tensor);
  for (std::uint32_t p = 0; p < pipeline; ++p) {
    for (std::uint32_t t = 0; t < tensor; ++t) add(families[1], p * tensor * data + t, tensor, data);
  }
  for (std::uint32_t r = 0; r < tensor * data; ++r) add(families[2], r, tensor * data, pipeline);
  return families;
}

void fold_65536(benchmark::State& state, const std::string& overrides) {
  const auto cluster =
      cluster_of("{system: dgx_h100, nodes: 8192, fabric: ib_ndr, overrides: [" + overrides + "]}");
  const auto families = job(65536, 8, 16);
  std::size_t classes = 0;
  for ([[maybe_unused]] auto _ : state) {
    const sim::Quotient quotient = sim::fold(cluster, families);
    classes = quotient.rank_classes();
    benchmark::DoNotOptimize(quotient.classes.data());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["rank_classes"] = static_cast<double>(classes);
  state.counters["max_rss_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void expand_16384(benchmark::State& state) {
  const auto cluster = cluster_of("{system: dgx_h100, nodes: 2048, fabric: ib_ndr}");
  for ([[maybe_unused]] auto _ : state) {
    const hardware::Topology topology(cluster);
    state.counters["vertices"] = static_cast<double>(topology.vertices().size());
    state.counters["edges"] = static_cast<double>(topology.edges().size());
  }
}

}  // namespace

BENCHMARK_CAPTURE(fold_65536, all_alike, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fold_65536, one_slow_gpu, "{gpu: 4321, compute_scale: 0.9}")->Unit(benchmark::kMillisecond);
BENCHMARK(expand_16384)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
