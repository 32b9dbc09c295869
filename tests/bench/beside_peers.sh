#!/usr/bin/env bash
# Our benchmarks and the peers' in one run on one machine; the ratios count. Needs Debian's libbenchmark-dev, and libns3-dev and
# libsimgrid-dev for the peers. Usage: beside_peers.sh BUILD_DIR
set -eu
build=$(realpath "$1")
cd "$(dirname "$0")/peers"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo "== hold model"
"$build/tests/bench_engine" --benchmark_counters_tabular=true
if [ -e /usr/include/ns3 ]; then
  g++ -O2 -w -std=c++17 hold_ns3.cpp -o "$out/hold_ns3" -lns3-core
  for scheduler in Map Heap Calendar PriorityQueue; do "$out/hold_ns3" $scheduler 100000 1000000; done
else
  echo "ns-3 is not there (libns3-dev)"
fi
echo "== ring all-reduce, every chunk a flow"
"$build/tests/bench_network" --benchmark_counters_tabular=true
if [ -e /usr/include/simgrid ]; then
  g++ -O2 -w -std=c++17 ring_simgrid.cpp -o "$out/ring_simgrid" -lsimgrid
  for hosts in 64 512; do "$out/ring_simgrid" $hosts 2>/dev/null; done
else
  echo "SimGrid is not there (libsimgrid-dev)"
fi
