// The hold model of bench_engine.cpp on ns-3's simulator: every event schedules one more at an exponential
// distance. hold_ns3 SCHEDULER PENDING EVENTS, with SCHEDULER one of Map, Heap, Calendar, PriorityQueue.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <ns3/core-module.h>

namespace {

std::vector<std::int64_t> distances;
std::uint64_t drawn = 0;
std::uint64_t left = 0;

void hold(std::uint32_t index) {
  if (left == 0) return;
  --left;
  ns3::Simulator::Schedule(ns3::NanoSeconds(distances[drawn++ % distances.size()]), &hold, index);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scheduler = argc > 1 ? argv[1] : "PriorityQueue";
  const std::uint64_t pending = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100000;
  const std::uint64_t events = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1000000;
  std::mt19937_64 random(1);
  std::exponential_distribution<double> exponential(1e-6);
  for (int i = 0; i < 65536; ++i) distances.push_back(static_cast<std::int64_t>(exponential(random)) + 1);
  ns3::ObjectFactory factory;
  factory.SetTypeId("ns3::" + scheduler + "Scheduler");
  ns3::Simulator::SetScheduler(factory);
  left = events + pending;
  for (std::uint64_t i = 0; i < pending; ++i) hold(static_cast<std::uint32_t>(i));
  const auto start = std::chrono::steady_clock::now();
  ns3::Simulator::Run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("ns-3 %-14s %8llu pending  %6.2f M events/s\n", scheduler.c_str(),
              static_cast<unsigned long long>(pending),
              static_cast<double>(events + pending) / seconds / 1e6);
  ns3::Simulator::Destroy();
}
