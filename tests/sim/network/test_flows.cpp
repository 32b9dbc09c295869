#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hardware/topology.hpp"
#include "sim/network/classes.hpp"
#include "sim/network/network.hpp"
#include "sim/network/utilisation.hpp"
#include "tests/catch.hpp"
#include "tests/hardware/cluster_of.hpp"
#include "tests/sim/network/refine.hpp"
#include "tests/sim/network/ring.hpp"

using namespace stepcast;
using namespace stepcast::sim;

namespace {

/// When each flow was done, by tag.
class Ends final : public FlowListener {
 public:
  explicit Ends(Engine& engine) : engine_(engine) {}
  void on_flow_done(FlowId /*flow*/, std::uint64_t tag) override {
    at[tag] = engine_.now().ticks();
    if (then) then(tag);
  }
  std::map<std::uint64_t, std::int64_t> at;
  std::function<void(std::uint64_t)> then;

 private:
  Engine& engine_;
};

constexpr std::int64_t kSecond = 1'000'000'000'000;

std::vector<double> rates(const std::vector<Bandwidth>& capacities,
                          const std::vector<std::vector<Use>>& flows,
                          const std::vector<Bandwidth>& caps = {}) {
  std::vector<FlowDemand> demands;
  for (std::size_t f = 0; f < flows.size(); ++f)
    demands.push_back({flows[f], caps.empty() ? kUncapped : caps[f]});
  std::vector<double> out;
  for (const Bandwidth r : max_min_rates(capacities, demands)) out.push_back(r / 1_GBps);
  return out;
}

/// Whole links, shares of several ways, and the multiplicities of a quotient.
const std::vector<double> kWeights = {1.0, 1.0, 1.0, 0.25, 1.0 / 3, 1.0 / 7, 16384.0 / 3, 1.0 / 16384};

/// Random resources and flows.
struct RandomLoad {
  std::vector<Bandwidth> capacities;
  std::vector<std::vector<Use>> flows;
  std::vector<Bandwidth> caps;

  RandomLoad(std::mt19937_64& random, std::size_t flow_count, const std::vector<double>& weights = kWeights) {
    const std::size_t resources = 2 + random() % 20;
    for (std::size_t r = 0; r < resources; ++r)
      capacities.push_back(1_GBps * static_cast<double>(1 + random() % 100));
    for (std::size_t f = 0; f < flow_count; ++f) {
      std::vector<Use> uses;
      for (std::uint32_t r = 0; r < resources; ++r) {
        if (random() % 4 == 0) uses.push_back({r, weights[random() % weights.size()]});
      }
      if (uses.empty()) uses.push_back({static_cast<std::uint32_t>(random() % resources), 1.0});
      flows.push_back(std::move(uses));
      caps.push_back(random() % 3 == 0 ? 1_GBps * static_cast<double>(1 + random() % 30) : kUncapped);
    }
  }
};

}  // namespace

TEST_CASE("max-min rates, worked", "[maxmin]") {
  const std::vector<Use> link = {{0, 1.0}};
  // two flows on one link: half each
  CHECK(rates({10_GBps}, {link, link}) == std::vector<double>{5, 5});
  // a capped flow leaves its rest to the others: 2, then (10 - 2) / 2
  CHECK(rates({10_GBps}, {link, link, link}, {2_GBps, kUncapped, kUncapped}) == std::vector<double>{2, 4, 4});
  // incast: n senders into one port get 1/n each, whatever they could send
  CHECK(rates({10_GBps, 10_GBps, 10_GBps, 9_GBps}, {{{0, 1}, {3, 1}}, {{1, 1}, {3, 1}}, {{2, 1}, {3, 1}}}) ==
        std::vector<double>{3, 3, 3});
  // the classic line: a long flow over two links, one short flow on each (10 and 4): the long one is bound by
  // the second link
  CHECK(rates({10_GBps, 4_GBps}, {{{0, 1}, {1, 1}}, {{0, 1}}, {{1, 1}}}) == std::vector<double>{2, 8, 2});
  // an oversubscribed spine: four hosts of 10 behind an uplink of 20: 5 each; two that stay under the leaf:
  // 10
  CHECK(rates({10_GBps, 10_GBps, 10_GBps, 10_GBps, 20_GBps},
              {{{0, 1}, {4, 1}}, {{1, 1}, {4, 1}}, {{2, 1}, {4, 1}}, {{3, 1}, {4, 1}}}) ==
        std::vector<double>{5, 5, 5, 5});
  // weights: a flow that spreads over two links evenly gets both
  CHECK(rates({10_GBps, 10_GBps}, {{{0, 0.5}, {1, 0.5}}}) == std::vector<double>{20});
  // no capacity, no rate; nothing used, no limit but the cap
  CHECK(rates({Bandwidth()}, {link}) == std::vector<double>{0});
  CHECK(rates({10_GBps}, {{}}, {3_GBps}) == std::vector<double>{3});
  CHECK(std::isinf(rates({10_GBps}, {{}})[0]));
  CHECK(rates({}, {}).empty());
}

TEST_CASE("max-min rates fill no link too much and leave no flow without a reason", "[maxmin][property]") {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 300; ++round) {
    const RandomLoad load(random, 1 + random() % 30);
    const std::vector<double> r = rates(load.capacities, load.flows, load.caps);
    std::vector<double> used(load.capacities.size(), 0.0);
    for (std::size_t f = 0; f < r.size(); ++f) {
      for (const Use& use : load.flows[f]) used[use.resource] += r[f] * use.weight;
    }
    for (std::size_t i = 0; i < used.size(); ++i) CHECK(used[i] <= load.capacities[i] / 1_GBps * (1 + 1e-9));
    for (std::size_t f = 0; f < r.size(); ++f) {
      const bool at_cap = load.caps[f] != kUncapped && std::abs(r[f] - load.caps[f] / 1_GBps) < 1e-9;
      // a full link on which nobody gets more
      const bool bound = std::any_of(load.flows[f].begin(), load.flows[f].end(), [&](const Use& use) {
        if (used[use.resource] < load.capacities[use.resource] / 1_GBps * (1 - 1e-9)) return false;
        for (std::size_t other = 0; other < r.size(); ++other) {
          for (const Use& theirs : load.flows[other]) {
            if (theirs.resource == use.resource && r[other] > r[f] * (1 + 1e-9)) return false;
          }
        }
        return true;
      });
      CHECK((at_cap || bound));
    }
    // the order of the flows does not matter
    std::vector<std::size_t> order(r.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::vector<Use>> flows;
    std::vector<Bandwidth> caps;
    for (const std::size_t i : order) {
      flows.push_back(load.flows[i]);
      caps.push_back(load.caps[i]);
    }
    const std::vector<double> shuffled = rates(load.capacities, flows, caps);
    for (std::size_t i = 0; i < order.size(); ++i) CHECK_THAT(shuffled[i], WithinRel(r[order[i]], 1e-9));
  }
}

TEST_CASE("the incremental solver equals the pure one while flows come and go", "[maxmin][property]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    const RandomLoad load(random, 40);
    MaxMinSolver solver(load.capacities);
    std::map<std::uint32_t, std::size_t> active;  // number in the solver, flow
    for (int step = 0; step < 60; ++step) {
      for (std::uint64_t change = random() % 4; change > 0; --change) {
        if (active.size() < 5 || (random() % 2 == 0 && active.size() < 35)) {
          const std::size_t flow = random() % load.flows.size();
          active[solver.add(load.flows[flow], load.caps[flow])] = flow;
        } else {
          const auto victim =
              std::next(active.begin(), static_cast<std::ptrdiff_t>(random() % active.size()));
          solver.remove(victim->first);
          active.erase(victim);
        }
      }
      solver.solve();
      std::vector<std::vector<Use>> flows;
      std::vector<Bandwidth> caps;
      for (const auto& [number, flow] : active) {
        flows.push_back(load.flows[flow]);
        caps.push_back(load.caps[flow]);
      }
      const std::vector<double> pure = rates(load.capacities, flows, caps);
      std::size_t i = 0;
      for (const auto& [number, flow] : active)
        CHECK_THAT(solver.rate(number) / 1_GBps, WithinRel(pure[i++], 1e-9));
    }
  }
}

TEST_CASE("a flow takes its latency and its bytes over the rate, to the picosecond", "[network]") {
  Engine engine;
  Network network(engine, {50_GBps});
  Ends ends(engine);
  const RouteId route = network.add_route({{0, 1.0}}, 3_us);
  network.start(route, 1_GB, ends, 1);
  // 3 us + 1 GB / 50 GB/s = 20.003 ms
  const std::int64_t expected = 20'003'000'000;
  engine.run_until(SimTime(expected - 1));
  CHECK(ends.at.empty());
  CHECK(network.active() == 1);
  engine.run_until(SimTime(expected));
  CHECK(ends.at.at(1) == expected);
  CHECK(network.active() == 0);
  CHECK(network.carried(0) == 1_GB);
}

TEST_CASE("flows that share a link slow each other while both move", "[network]") {
  Engine engine;
  Network network(engine, {10_GBps});
  Ends ends(engine);
  const RouteId route = network.add_route({{0, 1.0}}, Seconds());
  network.start(route, 10_GB, ends, 1);
  network.start(route, 20_GB, ends, 2);
  engine.run();
  // 5 GB/s each: the first ends after 2 s; the other has 10 GB left at 10 GB/s
  CHECK(ends.at.at(1) == 2 * kSecond);
  CHECK(ends.at.at(2) == 3 * kSecond);
  CHECK(network.carried(0) == 30_GB);
}

TEST_CASE("a cap limits its flow alone", "[network]") {
  Engine engine;
  Network network(engine, {10_GBps});
  Ends ends(engine);
  const RouteId route = network.add_route({{0, 1.0}}, Seconds());
  network.start(route, 4_GB, ends, 1, 2_GBps);
  network.start(route, 16_GB, ends, 2);
  engine.run();
  CHECK(ends.at.at(1) == 2 * kSecond);
  CHECK(ends.at.at(2) == 2 * kSecond);  // 8 GB/s beside it
}

TEST_CASE("rates are computed once in an instant, after all that ends and begins in it", "[network]") {
  class Changes final : public FlowObserver {
   public:
    void on_rate(SimTime, FlowId, std::span<const Use>, Bandwidth, Bandwidth after) override {
      if (after > Bandwidth()) rates.push_back(after / 1_GBps);
    }
    std::vector<double> rates;
  } changes;
  Engine engine;
  Network network(engine, {12_GBps});
  network.watch(&changes);
  Ends ends(engine);
  const RouteId route = network.add_route({{0, 1.0}}, 1_us);
  for (std::uint64_t i = 0; i < 4; ++i) network.start(route, 3_GB, ends, i);
  engine.run();
  CHECK(changes.rates == std::vector<double>{3, 3, 3, 3});
}

TEST_CASE("what is empty, cut or cancelled is defined", "[network]") {
  Engine engine;
  Network network(engine, {10_GBps, Bandwidth()});
  Ends ends(engine);
  const RouteId good = network.add_route({{0, 1.0}}, 5_us);
  const RouteId dead = network.add_route({{0, 1.0}, {1, 1.0}}, 5_us);
  const RouteId nothing = network.add_route({}, 2_us);
  network.start(good, Bytes(), ends, 1);  // no bytes: the latency alone
  network.start(nothing, 1_GB, ends, 2);  // no resource: the latency alone
  const FlowId stuck = network.start(dead, 1_GB, ends, 3);
  const FlowId early = network.start(good, 1_GB, ends, 4);
  network.start(good, 1_GB, ends, 5);
  ends.then = [&](std::uint64_t tag) {
    if (tag == 2) network.cancel(early);  // while it waits for its latency
  };
  engine.run();
  CHECK(ends.at.at(1) == 5'000'000);
  CHECK(ends.at.at(2) == 2'000'000);
  CHECK(ends.at.at(5) == 5'000'000 + kSecond / 10);
  CHECK_FALSE(ends.at.contains(3));
  CHECK_FALSE(ends.at.contains(4));
  CHECK(network.stalled() == 1);
  CHECK(network.cancel(stuck));
  CHECK(network.active() == 0);
  CHECK_FALSE(network.cancel(stuck));
  const FlowId other = network.start(good, 1_GB, ends, 7);
  CHECK_FALSE(network.cancel(stuck));  // its number serves another flow now
  CHECK(network.cancel(other));
  CHECK_THROWS_AS(network.add_route({{0, 1.0}}, Seconds(-1e-6)), InternalError);
  CHECK_THROWS_AS(network.start(good, Bytes(-1.0), ends, 6), InternalError);
  CHECK_THROWS_AS(network.add_route({{2, 1.0}}, Seconds()), InternalError);
}

TEST_CASE("the clock stands at the last end, not at one that a rising rate made void", "[network]") {
  Engine engine;
  Network network(engine, {10_GBps});
  Ends ends(engine);
  const RouteId route = network.add_route({{0, 1.0}}, Seconds());
  network.start(route, 10_GB, ends, 1);
  network.start(route, 20_GB, ends, 2);
  engine.run();
  CHECK(engine.now() == SimTime(3 * kSecond));
}

TEST_CASE("an end beyond the clock at the rate of the moment is no error while the rate may rise",
          "[network]") {
  Engine engine;
  Network network(engine, {1_GBps});
  Ends ends(engine);
  const RouteId route = network.add_route({{0, 1.0}}, Seconds());
  network.start(route, 5e6 * 1_GB, ends,
                1);  // 58 days alone; at a third of the link more than the clock counts
  network.start(route, 1_GB, ends, 2);
  network.start(route, 1_GB, ends, 3);
  engine.run();
  CHECK(ends.at.size() == 3);
  CHECK(network.stalled() == 0);
  network.start(route, 1e9 * 1_GB, ends, 4);
  engine.run();
  CHECK(network.stalled() == 1);
}

TEST_CASE("a network that goes before its engine takes its events along", "[network]") {
  Engine engine;
  Ends ends(engine);
  {
    Network network(engine, {1_GBps});
    const RouteId route = network.add_route({{0, 1.0}}, 1_us);
    network.start(route, 1_GB, ends, 1);
    engine.run_until(SimTime(2'000'000));
    network.start(route, 1_GB, ends, 2);
  }
  CHECK(engine.pending() == 0);
  engine.run();
  CHECK(ends.at.empty());
}

TEST_CASE("a flow cancelled by another's end gives its share back", "[network]") {
  Engine engine;
  Network network(engine, {10_GBps});
  Ends ends(engine);
  const RouteId route = network.add_route({{0, 1.0}}, Seconds());
  network.start(route, 10_GB, ends, 1);
  const FlowId victim = network.start(route, 100_GB, ends, 2);
  network.start(route, 20_GB, ends, 3);
  ends.then = [&](std::uint64_t tag) {
    if (tag == 1) network.cancel(victim);
  };
  engine.run();
  // a third each: 3 s for the first; then 10 GB at the full rate
  CHECK(ends.at.at(1) == 3 * kSecond);
  CHECK(ends.at.at(3) == 4 * kSecond);
  CHECK(ends.at.size() == 2);
}

TEST_CASE("all rates times k and latencies over k scale time by 1/k", "[network][property]") {
  const auto play = [](double k) {
    std::mt19937_64 random(3);
    const RandomLoad load(random, 25, {1.0, 0.25});
    Engine engine;
    std::vector<Bandwidth> capacities;
    for (const Bandwidth c : load.capacities) capacities.push_back(c * k);
    Network network(engine, capacities);
    Ends ends(engine);
    for (std::size_t f = 0; f < load.flows.size(); ++f) {
      const RouteId route =
          network.add_route(load.flows[f], Seconds(1e-3 * static_cast<double>(1 + random() % 50) / k));
      network.start(route, 1_GB * static_cast<double>(1 + random() % 20), ends, f,
                    load.caps[f] == kUncapped ? kUncapped : load.caps[f] * k);
    }
    engine.run();
    return std::pair(ends.at, engine.events());
  };
  const auto [once, events] = play(1.0);
  REQUIRE(once.size() == 25);
  for (const double k : {2.0, 3.0, 10.0}) {
    const auto [scaled, same_events] = play(k);
    for (const auto& [tag, time] : scaled) {
      CHECK_THAT(static_cast<double>(time) * k,
                 WithinAbs(static_cast<double>(once.at(tag)), k * static_cast<double>(events)));
    }
  }
}

TEST_CASE("bytes are conserved on every link", "[network][property]") {
  std::mt19937_64 random(11);
  const RandomLoad load(random, 60);
  Engine engine;
  Network network(engine, load.capacities);
  Ends ends(engine);
  std::vector<double> expected(load.capacities.size(), 0.0);
  for (std::size_t f = 0; f < load.flows.size(); ++f) {
    const Bytes bytes = 1_GB * static_cast<double>(random() % 5);
    for (const Use& use : load.flows[f]) expected[use.resource] += bytes.base() * use.weight;
    network.start(network.add_route(load.flows[f], Seconds(1e-3 * static_cast<double>(random() % 900))),
                  bytes, ends, f, load.caps[f]);
  }
  engine.run();
  CHECK(ends.at.size() == load.flows.size());
  for (std::uint32_t r = 0; r < expected.size(); ++r)
    CHECK_THAT(network.carried(r).base(), WithinRel(expected[r], 1e-12));
}

TEST_CASE("utilisation of a link over time", "[network][utilisation]") {
  const std::vector<Bandwidth> capacities = {10_GBps, 40_GBps, 5_GBps};
  Engine engine;
  Network network(engine, capacities);
  Utilisation seen(capacities);
  network.watch(&seen);
  Ends ends(engine);
  const RouteId both = network.add_route({{0, 1.0}, {1, 0.5}}, 1_s);
  network.start(both, 10_GB, ends, 1);
  network.start(both, 20_GB, ends, 2);
  engine.run();
  // idle for 1 s, then full for 3 s: 10 GB/s while both move (2 s), and by the longer one alone
  CHECK(seen.peak(0) == 1.0);
  CHECK_THAT(seen.mean(0, engine.now()), WithinRel(0.75, 1e-12));
  CHECK_THAT(seen.mean(1, engine.now()), WithinRel(0.75 / 8, 1e-12));
  CHECK(seen.mean(2, engine.now()) == 0.0);
  CHECK(seen.timeline(2).empty());
  REQUIRE(seen.timeline(0).size() == 3);  // both begin, one ends, the other ends
  CHECK(seen.timeline(0)[0].time == SimTime(kSecond));
  CHECK(seen.timeline(0)[1].rate == 10_GBps);
  CHECK(seen.timeline(0)[2].time == SimTime(4 * kSecond));
  CHECK(seen.timeline(0)[2].rate == Bandwidth());
}

TEST_CASE("what a link is seen to carry is what its flows carried", "[network][utilisation][property]") {
  std::mt19937_64 random(13);
  const RandomLoad load(random, 50);
  Engine engine;
  Network network(engine, load.capacities);
  Utilisation seen(load.capacities);
  network.watch(&seen);
  Ends ends(engine);
  for (std::size_t f = 0; f < load.flows.size(); ++f) {
    network.start(network.add_route(load.flows[f], Seconds(1e-3 * static_cast<double>(random() % 900))),
                  1_GB * static_cast<double>(1 + random() % 5), ends, f, load.caps[f]);
  }
  engine.run();
  for (std::uint32_t r = 0; r < load.capacities.size(); ++r) {
    CHECK_THAT(seen.carried(r, engine.now()).base(),
               WithinAbs(network.carried(r).base(), 1.0 + 1e-9 * network.carried(r).base()));
    CHECK(seen.peak(r) <= 1.0 + 1e-12);
  }
}

TEST_CASE("an uncontended ring costs the same on a switch as on a ring: 2 (n-1) (S/n/B + a)",
          "[network][closed-form]") {
  const std::uint32_t n = GENERATE(2U, 3U, 8U, 64U);
  const Bytes size = 1_GB;
  const auto play = [&](bool with_switch) {
    Engine engine;
    Network network(engine, std::vector<Bandwidth>(2 * n, 25_GBps));
    std::vector<RouteId> routes;
    for (std::uint32_t i = 0; i < n; ++i) {
      // on a switch a port up and a port down; on a ring one link
      std::vector<Use> uses = {{i, 1.0}};
      if (with_switch) uses.push_back({n + (i + 1) % n, 1.0});
      routes.push_back(network.add_route(std::move(uses), 2_us));
    }
    tests::Ring ring(network, routes, size);
    ring.start();
    engine.run();
    CHECK(ring.flows() == 2 * (n - 1) * n);
    return engine.now();
  };
  const double expected = 2.0 * (n - 1) * (size.base() / n / 25e9 + 2e-6);
  const SimTime on_ring = play(false);
  CHECK(on_ring == play(true));
  CHECK_THAT(on_ring.seconds().base(), WithinAbs(expected, 1e-12 * 2 * n));  // a picosecond for each step
}

TEST_CASE("rates solved on the quotient are those of the expanded graph", "[network][classes]") {
  // Every rank sends to the rank of its number in the next node, over a tree with 2:1 uplinks; one node has
  // slow cables.
  const std::string overrides = GENERATE(as<std::string>{}, "", "{link: nic, node: 2, scale: 0.5}",
                                         "{link: pcie, node: 1, scale: 0.1}");
  const auto cluster = stepcast::tests::cluster_of(
      "{system: dgx_a100_80gb, nodes: 6, fabric: {base: ib_hdr, switch: {ports: 9, latency: 0.3 us}, "
      "topology: {kind: fat_tree, "
      "oversubscription: 2}}, overrides: [" +
      overrides + "]}");
  const hardware::Topology topology(cluster);
  const auto ranks = static_cast<std::uint32_t>(topology.gpus());
  std::vector<Bandwidth> capacities;
  for (const hardware::TopologyEdge& e : topology.edges()) capacities.push_back(e.capacity);
  GroupFamily pairs{"pairs", {}, {}};
  std::vector<std::vector<Use>> flows;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t peer = (rank + 8) % ranks;
    pairs.add(std::vector<std::uint32_t>{rank, peer});
    std::vector<Use> uses;
    for (const hardware::RouteStep& step :
         topology.route(static_cast<int>(rank), static_cast<int>(peer)).steps) {
      uses.push_back({static_cast<std::uint32_t>(step.edge.index()), step.share});
    }
    flows.push_back(std::move(uses));
  }
  const std::vector<double> expanded = rates(capacities, flows);
  // Folded: flows between equal classes are one flow, edges between equal classes one resource; the weight of
  // a flow on it is what all flows of its class put on one edge of that class.
  const std::vector<int> colour = stepcast::tests::refine(cluster, topology, {pairs});
  const auto edge_class = [&](std::uint32_t e) {
    const hardware::TopologyEdge& edge = topology.edges()[e];
    return std::pair(colour[edge.from.index()], colour[edge.to.index()]);
  };
  std::map<std::pair<int, int>, std::uint32_t> resource;
  std::vector<Bandwidth> class_capacities;
  std::vector<double> edges_in;
  for (std::uint32_t e = 0; e < capacities.size(); ++e) {
    const auto [at, fresh] =
        resource.try_emplace(edge_class(e), static_cast<std::uint32_t>(class_capacities.size()));
    if (fresh) class_capacities.push_back(capacities[e]);
    edges_in.resize(class_capacities.size(), 0.0);
    ++edges_in[at->second];
  }
  const auto flow_class = [&](std::uint32_t rank) {
    return std::pair(colour[topology.gpu(static_cast<int>(rank)).index()],
                     colour[topology.gpu(static_cast<int>((rank + 8) % ranks)).index()]);
  };
  std::map<std::pair<int, int>, std::map<std::uint32_t, double>> load;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (const Use& use : flows[rank])
      load[flow_class(rank)][resource.at(edge_class(use.resource))] += use.weight;
  }
  std::map<std::pair<int, int>, std::size_t> number;
  std::vector<std::vector<Use>> class_flows;
  for (const auto& [ends, uses] : load) {
    number[ends] = class_flows.size();
    auto& folded = class_flows.emplace_back();
    for (const auto& [r, sum] : uses) folded.push_back({r, sum / edges_in[r]});
  }
  const std::vector<double> folded = rates(class_capacities, class_flows);
  CHECK(class_flows.size() < flows.size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    CAPTURE(overrides, rank);
    CHECK_THAT(folded[number.at(flow_class(rank))], WithinRel(expanded[rank], 1e-9));
  }
  // and the classes of ranks are those that folding the description gives
  const Quotient quotient = fold(cluster, {&pairs, 1});
  for (std::uint32_t a = 0; a < ranks; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      CHECK((flow_class(a).first == flow_class(b).first) ==
            (quotient.class_of_rank[a] == quotient.class_of_rank[b]));
    }
  }
}

TEST_CASE("the same bytes on every run and in two threads at once", "[network]") {
  const auto play = [] {
    std::mt19937_64 random(5);
    const RandomLoad load(random, 40);
    Engine engine;
    Network network(engine, load.capacities);
    Ends ends(engine);
    std::vector<RouteId> routes;
    for (const auto& uses : load.flows) routes.push_back(network.add_route(uses, Seconds(1e-6)));
    ends.then = [&](std::uint64_t tag) {
      if (ends.at.size() < 400) {
        network.start(routes[(tag * 7 + 3) % routes.size()], 1_GB * static_cast<double>(1 + tag % 13), ends,
                      tag + 41);
      }
    };
    for (std::uint64_t f = 0; f < 40; ++f)
      network.start(routes[f], 1_GB * static_cast<double>(1 + f % 9), ends, f, load.caps[f]);
    engine.run();
    return ends.at;
  };
  const auto alone = play();
  std::map<std::uint64_t, std::int64_t> a;
  std::thread other([&] { a = play(); });
  const auto b = play();
  other.join();
  CHECK(a == alone);
  CHECK(b == alone);
}
