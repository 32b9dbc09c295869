#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "sim/engine/engine.hpp"
#include "tests/catch.hpp"

using namespace stepcast;
using namespace stepcast::sim;

namespace {

/// Writes down what happened when; `then` may schedule more.
class Log final : public Handler {
 public:
  explicit Log(Engine& engine) : engine_(engine) {}
  void on_event(std::uint64_t data) override {
    happened.emplace_back(engine_.now().ticks(), data);
    if (then) then(data);
  }
  std::vector<std::pair<std::int64_t, std::uint64_t>> happened;
  std::function<void(std::uint64_t)> then;

 private:
  Engine& engine_;
};

using Happened = std::vector<std::pair<std::int64_t, std::uint64_t>>;

}  // namespace

TEST_CASE("events happen by time, then phase, then in the order in which they were scheduled", "[engine]") {
  Engine engine;
  Log log(engine);
  engine.at(SimTime(20), Phase::start, log, 1);
  engine.at(SimTime(10), Phase::resolve, log, 2);
  engine.at(SimTime(10), Phase::start, log, 3);
  engine.at(SimTime(10), Phase::complete, log, 4);
  engine.at(SimTime(10), Phase::start, log, 5);
  engine.at(SimTime(0), Phase::resolve, log, 6);
  engine.run();
  CHECK(log.happened == Happened{{0, 6}, {10, 4}, {10, 3}, {10, 5}, {10, 2}, {20, 1}});
  CHECK(engine.events() == 6);
  CHECK(engine.pending() == 0);
}

TEST_CASE("an event may add to the same instant, even to an earlier phase of it", "[engine]") {
  Engine engine;
  Log log(engine);
  log.then = [&](std::uint64_t data) {
    if (data == 1) engine.at(engine.now(), Phase::resolve, log, 10);
    if (data == 10) engine.at(engine.now(), Phase::complete, log, 11);
    if (data == 11) engine.at(engine.now(), Phase::resolve, log, 12);
  };
  engine.at(SimTime(5), Phase::start, log, 1);
  engine.at(SimTime(5), Phase::resolve, log, 2);
  engine.at(SimTime(6), Phase::complete, log, 3);
  engine.run();
  CHECK(log.happened == Happened{{5, 1}, {5, 2}, {5, 10}, {5, 11}, {5, 12}, {6, 3}});
}

TEST_CASE("not at t - 1, yes at t", "[engine]") {
  Engine engine;
  Log log(engine);
  engine.at(SimTime(1000), Phase::start, log, 1);
  engine.run_until(SimTime(999));
  CHECK(log.happened.empty());
  engine.run_until(SimTime(1000));
  CHECK(log.happened.size() == 1);
}

TEST_CASE("a cancelled event does not happen, whoever cancels it", "[engine]") {
  Engine engine;
  Log log(engine);
  const EventId late = engine.at(SimTime(30), Phase::start, log, 1);
  EventId same;
  log.then = [&](std::uint64_t data) {
    if (data != 2) return;
    CHECK(engine.cancel(late));
    CHECK(engine.cancel(same));  // of this very instant
    CHECK_FALSE(engine.cancel(late));
  };
  const EventId first = engine.at(SimTime(10), Phase::start, log, 2);
  same = engine.at(SimTime(10), Phase::start, log, 3);
  engine.at(SimTime(20), Phase::start, log, 4);
  engine.run();
  CHECK(log.happened == Happened{{10, 2}, {20, 4}});
  CHECK_FALSE(engine.cancel(first));      // it happened
  CHECK_FALSE(engine.cancel(EventId{}));  // never scheduled
  const EventId reused = engine.at(SimTime(40), Phase::start, log, 5);
  CHECK_FALSE(engine.cancel(first));  // its slot serves another event now
  CHECK(engine.cancel(reused));
}

TEST_CASE("cancelled events do not pile up", "[engine]") {
  Engine engine;
  Log log(engine);
  for (std::int64_t i = 0; i < 100'000; ++i)
    engine.cancel(engine.at(SimTime(1'000'000 + i), Phase::start, log, 0));
  CHECK(engine.queued() < 2000);
  engine.at(SimTime(5), Phase::start, log, 1);
  engine.run();
  CHECK(log.happened == Happened{{5, 1}});
}

TEST_CASE("between runs one may schedule at any time that is not past", "[engine]") {
  Engine engine;
  Log log(engine);
  const EventId far = engine.at(SimTime(1'000'000), Phase::start, log, 1);
  engine.run_until(SimTime(10));
  CHECK(engine.now() == SimTime(10));
  engine.at(SimTime(11), Phase::start, log, 2);  // long before what the queue looked at
  CHECK_THROWS_AS(engine.at(SimTime(9), Phase::start, log, 3), InternalError);
  engine.run_until(SimTime(500));
  engine.cancel(far);
  engine.run();
  CHECK(log.happened == Happened{{11, 2}});
  CHECK(engine.now() == SimTime(500));  // a cancelled event moves no clock
  engine.at(SimTime(600), Phase::start, log, 4);
  engine.run();
  CHECK(log.happened.back() == std::pair<std::int64_t, std::uint64_t>{600, 4});
}

TEST_CASE("an exception from a handler loses no other event", "[engine]") {
  Engine engine;
  Log log(engine);
  log.then = [](std::uint64_t data) {
    if (data == 2) throw std::runtime_error("handler");
  };
  for (std::uint64_t i = 1; i <= 3; ++i) engine.at(SimTime(10), Phase::start, log, i);
  engine.at(SimTime(20), Phase::start, log, 4);
  CHECK_THROWS_AS(engine.run(), std::runtime_error);
  CHECK(engine.pending() == 2);
  engine.run();
  CHECK(log.happened == Happened{{10, 1}, {10, 2}, {10, 3}, {20, 4}});
}

TEST_CASE("a million events of one instant keep their order", "[engine]") {
  Engine engine;
  std::uint64_t next = 0;
  bool ordered = true;
  class Counter final : public Handler {
   public:
    Counter(std::uint64_t& next, bool& ordered) : next_(next), ordered_(ordered) {}
    void on_event(std::uint64_t data) override { ordered_ &= data == next_++; }

   private:
    std::uint64_t& next_;
    bool& ordered_;
  } counter(next, ordered);
  for (std::uint64_t i = 0; i < 1'000'000; ++i) engine.at(SimTime(7), Phase::start, counter, i);
  engine.run();
  CHECK(next == 1'000'000);
  CHECK(ordered);
}

TEST_CASE("simulated time that leaves its range is an error", "[engine]") {
  Engine engine;
  Log log(engine);
  engine.at(SimTime(10), Phase::start, log, 0);
  engine.run();
  CHECK_THROWS_AS(engine.after(SimTime(std::numeric_limits<std::int64_t>::max()), Phase::start, log, 1),
                  TimeOverflow);
  CHECK_THROWS_AS(engine.at(SimTime(9), Phase::start, log, 1), InternalError);
  CHECK_THROWS_AS(ticks_for<PicosecondClock>(Seconds(1e7)), TimeOverflow);  // 116 days
  CHECK_NOTHROW(ticks_for<PicosecondClock>(Seconds(9e6)));
  CHECK_NOTHROW(ticks_for<MillisecondClock>(Seconds(1e10)));
  CHECK_THROWS_AS(ticks_for<PicosecondClock>(Seconds(std::nan(""))), TimeOverflow);
  CHECK_THROWS_AS(ticks_for<PicosecondClock>(Seconds(std::numeric_limits<double>::infinity())), TimeOverflow);
}

TEST_CASE("a duration ends at the first tick at or after it", "[engine]") {
  CHECK(ticks_for<PicosecondClock>(Seconds(1e-12)) == SimTime(1));
  CHECK(ticks_for<PicosecondClock>(Seconds(1.1e-12)) == SimTime(2));
  CHECK(ticks_for<PicosecondClock>(Seconds(0.3)) == SimTime(300'000'000'000));  // 0.3 is no binary fraction
  CHECK(ticks_for<PicosecondClock>(Seconds(0.1 + 0.2)) == SimTime(300'000'000'000));  // 5e-17 s above
  CHECK(ticks_for<PicosecondClock>(Seconds(0)) == SimTime(0));
  CHECK(ticks_for<MillisecondClock>(Seconds(3600)).ticks() == 3'600'000);
}

TEST_CASE("the radix queue equals a sorted set over random loads", "[engine][property]") {
  struct Entry {
    std::int64_t time;
    std::uint64_t sequence;
  };
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 50; ++round) {
    RadixQueue<Entry> queue;
    std::set<std::pair<std::int64_t, std::uint64_t>> expected;
    std::uint64_t sequence = 0;
    std::int64_t now = 0;
    const std::uint64_t spread = std::uint64_t{1} << (random() % 60);
    std::vector<Entry> out;
    for (int i = 0; i < 2000; ++i) {
      if (random() % 3 != 0 || expected.empty()) {
        const std::int64_t room = std::numeric_limits<std::int64_t>::max() - now;
        const std::int64_t time =
            now + static_cast<std::int64_t>(random() % std::min(spread, static_cast<std::uint64_t>(room)));
        queue.push({time, sequence});
        expected.emplace(time, sequence++);
      } else {
        out.clear();
        queue.pop_all(out);
        now = queue.last();
        for (const Entry& entry : out) {
          REQUIRE(expected.begin()->first == entry.time);
          REQUIRE(expected.begin()->second == entry.sequence);
          expected.erase(expected.begin());
        }
        REQUIRE((expected.empty() || expected.begin()->first > now));  // all of that time came out
      }
      REQUIRE(queue.size() == expected.size());
    }
  }
}

TEST_CASE("two engines in two threads do what each does alone", "[engine]") {
  const auto play = [] {
    Engine engine;
    Log log(engine);
    std::mt19937_64 random(7);
    log.then = [&](std::uint64_t data) {
      if (log.happened.size() < 20000) {
        engine.after(SimTime(static_cast<std::int64_t>(random() % 1000)), Phase(random() % 3), log,
                     data * 31 + 1);
      }
    };
    for (std::uint64_t i = 0; i < 50; ++i)
      engine.at(SimTime(static_cast<std::int64_t>(i)), Phase::start, log, i);
    engine.run();
    return log.happened;
  };
  const Happened alone = play();
  Happened a;
  Happened b;
  std::thread other([&] { a = play(); });
  b = play();
  other.join();
  CHECK(a == alone);
  CHECK(b == alone);
}
