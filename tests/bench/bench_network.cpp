// Ring all-reduce with max-min sharing over the hosts of a two-level fat tree, every chunk a flow; once with
// neighbours under one leaf and once with a ring that always crosses the tree. To run beside
// tests/bench/peers/ring_simgrid.cpp.

#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "sim/network/network.hpp"
#include "tests/sim/network/ring.hpp"

using namespace stepcast;
using namespace stepcast::sim;

namespace {

/// Hosts on leaves of eight, each leaf on four spines; links of 50 GB/s up and down.
struct Tree {
  static constexpr std::uint32_t kPerLeaf = 8;
  static constexpr std::uint32_t kSpines = 4;

  explicit Tree(std::uint32_t hosts) : hosts_(hosts), leaves_(hosts / kPerLeaf) {}

  [[nodiscard]] std::vector<Bandwidth> capacities() const {
    std::vector<Bandwidth> all(2 * hosts_, 50.0_GBps);
    all.resize(all.size() + 2 * leaves_ * kSpines, 100.0_GBps);
    return all;
  }
  [[nodiscard]] std::vector<Use> way(std::uint32_t from, std::uint32_t to) const {
    std::vector<Use> uses = {{from, 1.0}, {hosts_ + to, 1.0}};
    const std::uint32_t leaf_from = from / kPerLeaf;
    const std::uint32_t leaf_to = to / kPerLeaf;
    for (std::uint32_t s = 0; leaf_from != leaf_to && s < kSpines; ++s) {
      uses.push_back({2 * hosts_ + leaf_from * kSpines + s, 1.0 / kSpines});
      uses.push_back({2 * hosts_ + (leaves_ + leaf_to) * kSpines + s, 1.0 / kSpines});
    }
    return uses;
  }

 private:
  std::uint32_t hosts_;
  std::uint32_t leaves_;
};

void ring(benchmark::State& state, std::uint32_t stride) {
  const auto hosts = static_cast<std::uint32_t>(state.range(0));
  double simulated = 0.0;
  std::uint64_t flows = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Tree tree(hosts);
    Engine engine;
    Network network(engine, tree.capacities());
    std::vector<RouteId> routes;
    for (std::uint32_t i = 0; i < hosts; ++i) {
      const std::uint32_t from = i * stride % hosts;
      const std::uint32_t to = (i + 1) * stride % hosts;
      routes.push_back(network.add_route(tree.way(from, to), Seconds(2e-6)));
    }
    tests::Ring job(network, routes, 1.0_GB);
    job.start();
    engine.run();
    simulated = engine.now().seconds().base();
    flows = job.flows();
  }
  state.counters["flows"] = static_cast<double>(flows);
  state.counters["simulated_s"] = simulated;
  state.SetItemsProcessed(static_cast<std::int64_t>(flows) * state.iterations());
}

void neighbours(benchmark::State& state) { ring(state, 1); }
void across_the_tree(benchmark::State& state) { ring(state, 9); }

}  // namespace

BENCHMARK(neighbours)->Arg(64)->Arg(512)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(across_the_tree)->Arg(64)->Arg(512)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
