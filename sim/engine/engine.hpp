#pragma once

// The event engine. Events happen in the order (time, phase, sequence): by time, within an instant by phase,
// within a phase in the order in which they were scheduled. That order is a contract: same input, same bytes
// out. An event calls a Handler with a number that means something to it; handlers schedule and cancel
// further events, also at the same instant and in earlier phases of it. No statics: any number of engines run
// side by side. Once the queues have grown to their size, next to nothing is allocated: only buckets that
// held thousands of events give their memory back.

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/diagnostic.hpp"
#include "sim/engine/radix_queue.hpp"
#include "sim/engine/time.hpp"

namespace stepcast::sim {

/// Within one instant, in this order.
enum class Phase : std::uint8_t {
  complete,  ///< what ends
  start,     ///< what begins
  resolve,   ///< shares of links, recomputed once for all that ended and began
};
inline constexpr std::size_t kPhases = 3;

/// Gets events. It outlives its engine's runs.
class Handler {
 public:
  virtual void on_event(std::uint64_t data) = 0;

 protected:
  ~Handler() = default;
};

/// A scheduled event, for cancelling. Stale ones (happened, cancelled) are recognised.
struct EventId {
  std::uint32_t slot = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t generation = 0;
};

template <class Clock>
class BasicEngine {
 public:
  using time_type = Time<Clock>;

  [[nodiscard]] time_type now() const { return now_; }
  [[nodiscard]] std::size_t pending() const { return pending_; }
  /// Entries in the queue, those of cancelled events among them.
  [[nodiscard]] std::size_t queued() const { return queue_.size(); }
  /// Events that happened so far.
  [[nodiscard]] std::uint64_t events() const { return events_; }

  /// At `when`, which is not in the past.
  EventId at(time_type when, Phase phase, Handler& handler, std::uint64_t data) {
    STEPCAST_CHECK(when >= now_, "an event is not in the past");
    const std::uint32_t slot = take_slot();
    const Entry entry{when.ticks(),       &handler,         data,
                      generations_[slot], slot & kSlotMask, static_cast<std::uint32_t>(phase) & 3U};
    if (when == now_) {
      instant_[entry.phase].push_back(entry);
    } else {
      queue_.push(entry);
    }
    ++pending_;
    return {slot, entry.generation};
  }

  EventId after(time_type delay, Phase phase, Handler& handler, std::uint64_t data) {
    return at(now_ + delay, phase, handler, data);
  }

  /// Whether it was still to come.
  bool cancel(EventId id) {
    if (id.slot >= generations_.size() || generations_[id.slot] != id.generation) return false;
    free_slot(id.slot);
    --pending_;
    // its entry would lie in the queue until its time comes: many of them are swept out at once
    if (queue_.size() > 2 * pending_ + kSweep) {
      queue_.erase_if([this](const Entry& entry) { return generations_[entry.slot] != entry.generation; });
    }
    return true;
  }

  /// Until nothing is left to happen; now() is then the time of the last event that did.
  void run() {
    const Running guard(running_);
    play_instant();  // what an exception left of one
    while (!queue_.empty()) take_and_play();
    queue_.restart(now_.ticks());  // cancelled events may have led it further
  }

  /// All events up to and including `end`, which becomes now().
  void run_until(time_type end) {
    STEPCAST_CHECK(end >= now_, "time never runs backwards");
    const Running guard(running_);
    play_instant();
    while (!queue_.empty() && queue_.next_time() <= end.ticks()) take_and_play();
    now_ = end;
  }

 private:
  /// The slot tells whether the event still stands: it does while the generations agree.
  struct Entry {
    std::int64_t time;
    Handler* handler;
    std::uint64_t data;
    std::uint32_t generation;
    std::uint32_t slot : 30;
    std::uint32_t phase : 2;
  };
  static constexpr std::size_t kSweep = 1024;
  static constexpr std::uint32_t kSlotMask = (1U << 30U) - 1;

  class Running {
   public:
    explicit Running(bool& flag) : flag_(flag) {
      STEPCAST_CHECK(!flag, "an engine does not run inside itself");
      flag_ = true;
    }
    ~Running() { flag_ = false; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    bool& flag_;
  };

  std::uint32_t take_slot() {
    if (!free_.empty()) {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      return slot;
    }
    generations_.push_back(0);
    STEPCAST_CHECK(generations_.size() <= kSlotMask, "no more events pending than 30 bits count");
    return static_cast<std::uint32_t>(generations_.size() - 1);
  }

  void free_slot(std::uint32_t slot) {
    ++generations_[slot];
    free_.push_back(slot);
  }

  /// The next instant. Most have one event only: it happens without a detour.
  void take_and_play() {
    taken_.clear();
    queue_.pop_all(taken_);
    if (taken_.size() == 1) {
      happen(taken_.front());
    } else {
      for (const Entry& entry : taken_) instant_[entry.phase].push_back(entry);
    }
    play_instant();
  }

  void happen(const Entry& entry) {
    if (generations_[entry.slot] != entry.generation) return;  // cancelled
    now_ = time_type(entry.time);
    free_slot(entry.slot);
    --pending_;
    ++events_;
    entry.handler->on_event(entry.data);
  }

  /// The least phase with something in it, one event at a time: an event may add to any phase of the instant.
  void play_instant() {
    for (std::size_t phase = first_phase(); phase < kPhases; phase = first_phase()) {
      const Entry entry = instant_[phase][next_[phase]++];
      happen(entry);
    }
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      instant_[phase].clear();
      next_[phase] = 0;
    }
  }

  [[nodiscard]] std::size_t first_phase() const {
    std::size_t phase = 0;
    while (phase < kPhases && next_[phase] == instant_[phase].size()) ++phase;
    return phase;
  }

  time_type now_;
  RadixQueue<Entry> queue_;
  std::vector<std::uint32_t> generations_;  ///< of each slot
  std::vector<std::uint32_t> free_;
  std::vector<Entry> taken_;
  std::array<std::vector<Entry>, kPhases> instant_;  ///< events of one instant, by phase
  std::array<std::size_t, kPhases> next_{};          ///< the next of each to happen
  std::size_t pending_ = 0;
  std::uint64_t events_ = 0;
  bool running_ = false;
};

using Engine = BasicEngine<PicosecondClock>;

}  // namespace stepcast::sim
