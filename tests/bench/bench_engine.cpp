// Hold model (Jones, "An Empirical Comparison of Priority-Queue and Event-Set Implementations", CACM 1986):
// so many events are pending; each one that comes out puts another one in at an exponential distance. The
// same record of 24 bytes (time, sequence, index) for every queue. Ratios of one run count, not the times:
// the machines are shared.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "sim/engine/engine.hpp"

using namespace stepcast::sim;

namespace {

struct Record {
  std::int64_t time;
  std::uint64_t sequence;
  std::uint64_t index;
};
static_assert(sizeof(Record) == 24);

struct Later {
  bool operator()(const Record& a, const Record& b) const {
    return a.time > b.time || (a.time == b.time && a.sequence > b.sequence);
  }
};

class BinaryHeap {
 public:
  void push(const Record& r) { heap_.push(r); }
  Record pop() {
    const Record top = heap_.top();
    heap_.pop();
    return top;
  }

 private:
  std::priority_queue<Record, std::vector<Record>, Later> heap_;
};

class FourAryHeap {
 public:
  void push(const Record& r) {
    std::size_t i = heap_.size();
    heap_.push_back(r);
    for (; i > 0 && Later{}(heap_[(i - 1) / 4], r); i = (i - 1) / 4) heap_[i] = heap_[(i - 1) / 4];
    heap_[i] = r;
  }
  Record pop() {
    const Record top = heap_.front();
    const Record last = heap_.back();
    heap_.pop_back();
    const std::size_t n = heap_.size();
    std::size_t i = 0;
    for (std::size_t child = 1; child < n; child = 4 * i + 1) {
      std::size_t least = child;
      for (std::size_t k = child + 1; k < std::min(child + 4, n); ++k)
        least = Later{}(heap_[least], heap_[k]) ? k : least;
      if (!Later{}(last, heap_[least])) break;
      heap_[i] = heap_[least];
      i = least;
    }
    if (n > 0) heap_[i] = last;
    return top;
  }

 private:
  std::vector<Record> heap_;
};

/// Days of fixed width in a year (Brown, "Calendar Queues", CACM 1988); the width is set once for the load,
/// which favours it.
class Calendar {
 public:
  Calendar(std::size_t pending, double mean)
      : width_(std::max<std::int64_t>(1, std::llround(3.0 * mean / static_cast<double>(pending)))) {
    std::size_t days = 1;
    while (days < pending) days *= 2;
    days_.resize(days);
  }
  void push(const Record& r) {
    std::vector<Record>& day = days_[static_cast<std::size_t>(r.time / width_) & (days_.size() - 1)];
    auto at = day.end();
    while (at != day.begin() && Later{}(r, *(at - 1))) --at;
    day.insert(at, r);  // latest first: the next one is at the back
  }
  Record pop() {
    for (;;) {
      std::vector<Record>& day = days_[static_cast<std::size_t>(today_) & (days_.size() - 1)];
      if (!day.empty() && day.back().time / width_ == today_) {
        const Record r = day.back();
        day.pop_back();
        return r;
      }
      ++today_;
    }
  }

 private:
  std::int64_t width_;
  std::int64_t today_ = 0;
  std::vector<std::vector<Record>> days_;
};

class Radix {
 public:
  void push(const Record& r) { queue_.push(r); }
  Record pop() {
    if (next_ == out_.size()) {
      out_.clear();
      next_ = 0;
      queue_.pop_all(out_);
    }
    return out_[next_++];
  }

 private:
  RadixQueue<Record> queue_;
  std::vector<Record> out_;
  std::size_t next_ = 0;
};

constexpr double kMean = 1e6;  // ticks

std::vector<std::int64_t> distances() {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> exponential(1.0 / kMean);
  std::vector<std::int64_t> table(1U << 16U);
  for (std::int64_t& t : table) t = static_cast<std::int64_t>(exponential(random)) + 1;
  return table;
}

template <class Queue>
void hold(benchmark::State& state, Queue queue) {
  const std::vector<std::int64_t> table = distances();
  std::uint64_t sequence = 0;
  const auto next = [&] { return table[sequence & 0xffffU]; };
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const std::int64_t time = next();
    queue.push({time, sequence++, 0});
  }
  std::uint64_t sum = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Record r = queue.pop();
    sum += r.index;
    const std::int64_t time = r.time + next();
    queue.push({time, sequence++, r.index ^ 1U});
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}

void binary_heap(benchmark::State& state) { hold(state, BinaryHeap{}); }
void four_ary_heap(benchmark::State& state) { hold(state, FourAryHeap{}); }
void calendar(benchmark::State& state) {
  hold(state, Calendar(static_cast<std::size_t>(state.range(0)), kMean));
}
void radix(benchmark::State& state) { hold(state, Radix{}); }

/// The whole engine with slots, cancelling and a virtual call.
class Holder final : public Handler {
 public:
  Holder(Engine& engine, std::vector<std::int64_t> table) : engine_(engine), table_(std::move(table)) {}
  void on_event(std::uint64_t data) override {
    if (left == 0) return;
    --left;
    engine_.after(SimTime(table_[drawn_++ & 0xffffU]), Phase::start, *this, data);
  }
  std::uint64_t left = 0;

 private:
  Engine& engine_;
  std::vector<std::int64_t> table_;
  std::uint64_t drawn_ = 0;
};

void whole_engine(benchmark::State& state) {
  constexpr std::uint64_t kEvents = 100'000;
  Engine engine;
  Holder holder(engine, distances());
  for ([[maybe_unused]] auto _ : state) {  // the queue's buckets keep their memory from one round to the next
    holder.left = kEvents + static_cast<std::uint64_t>(state.range(0));
    for (std::int64_t i = 0; i < state.range(0); ++i) holder.on_event(static_cast<std::uint64_t>(i));
    engine.run();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kEvents + static_cast<std::uint64_t>(state.range(0))) *
                          state.iterations());
}

}  // namespace

BENCHMARK(binary_heap)->Arg(1000)->Arg(10000)->Arg(100000);
BENCHMARK(four_ary_heap)->Arg(1000)->Arg(10000)->Arg(100000);
BENCHMARK(calendar)->Arg(1000)->Arg(10000)->Arg(100000);
BENCHMARK(radix)->Arg(1000)->Arg(10000)->Arg(100000);
BENCHMARK(whole_engine)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
