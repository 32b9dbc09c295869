#pragma once

// A priority queue for times that never run backwards: a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, "Faster
// Algorithms for the Shortest Path Problem", JACM 1990) with digits of 6 bits. An entry lies in the bucket of
// the highest digit in which its time differs from the last time popped, by its value of that digit; when a
// bucket comes up, its entries move to lower digits, at most once for each digit. Entries of one time always
// lie in one bucket in the order in which they came, so that equal times come out first in, first out without
// being compared. tests/bench/bench_engine.cpp holds it against other queues.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/diagnostic.hpp"

namespace stepcast::sim {

/// `Entry` has a member `time`: a count of ticks, at least 0.
template <class Entry>
class RadixQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The time of the entries that came out last; nothing earlier may be pushed.
  [[nodiscard]] std::int64_t last() const { return static_cast<std::int64_t>(last_); }

  void push(const Entry& entry) {
    const auto time = static_cast<std::uint64_t>(entry.time);
    STEPCAST_CHECK(entry.time >= 0 && time >= last_, "time never runs backwards");
    ++size_;
    place(entry, time);
  }

  /// Moves all entries of the least time into `out`, which is empty, in the order in which they were pushed.
  void pop_all(std::vector<Entry>& out) {
    STEPCAST_CHECK(size_ > 0 && out.empty(), "there is an entry, and room for it");
    if (now_.empty()) advance();
    size_ -= now_.size();
    out.swap(now_);
  }

  /// The least time, without moving towards it; an entry is there.
  [[nodiscard]] std::int64_t next_time() const {
    STEPCAST_CHECK(size_ > 0, "an entry is there");
    return now_.empty() ? static_cast<std::int64_t>(least_in(next_bucket())) : last();
  }

  /// Drops the entries for which `dead` holds; the others keep their order.
  template <class Dead>
  void erase_if(const Dead& dead) {
    size_ = 0;
    const auto sift = [&](std::vector<Entry>& entries) {
      std::erase_if(entries, dead);
      size_ += entries.size();
    };
    sift(now_);
    for (unsigned digit = 0; digit < kDigits; ++digit) {
      for (std::uint64_t rest = used_[digit]; rest != 0; rest &= rest - 1) {
        const auto value = static_cast<unsigned>(std::countr_zero(rest));
        sift(buckets_[digit][value]);
        if (buckets_[digit][value].empty()) used_[digit] &= ~(std::uint64_t{1} << value);
      }
    }
  }

  /// Goes back to a time; only an empty queue can.
  void restart(std::int64_t time) {
    STEPCAST_CHECK(size_ == 0 && time >= 0, "only an empty queue goes back");
    last_ = static_cast<std::uint64_t>(time);
  }

 private:
  static constexpr unsigned kDigitBits = 6;
  static constexpr unsigned kDigits = 11;             // 66 bits
  static constexpr std::size_t kKeptCapacity = 1024;  ///< of an empty bucket: there are hundreds of them
  static constexpr std::uint64_t kMask = (1U << kDigitBits) - 1;

  void place(const Entry& entry, std::uint64_t time) {
    const std::uint64_t differs = time ^ last_;
    if (differs == 0) {
      now_.push_back(entry);
      return;
    }
    const auto digit = static_cast<unsigned>(63 - std::countl_zero(differs)) / kDigitBits;
    const std::uint64_t value = (time >> (digit * kDigitBits)) & kMask;
    buckets_[digit][value].push_back(entry);
    used_[digit] |= std::uint64_t{1} << value;
  }

  struct Place {
    unsigned digit;
    unsigned value;
  };

  /// The bucket with the least times.
  [[nodiscard]] Place next_bucket() const {
    unsigned digit = 0;
    while (used_[digit] == 0) ++digit;
    return {digit, static_cast<unsigned>(std::countr_zero(used_[digit]))};
  }

  [[nodiscard]] std::uint64_t least_in(Place place) const {
    const std::vector<Entry>& bucket = buckets_[place.digit][place.value];
    auto least = static_cast<std::uint64_t>(bucket.front().time);
    if (place.digit == 0) return least;  // all of one time
    for (const Entry& entry : bucket) least = std::min(least, static_cast<std::uint64_t>(entry.time));
    return least;
  }

  /// Brings the entries of the least time into now_.
  void advance() {
    const Place next = next_bucket();
    std::vector<Entry>& bucket = buckets_[next.digit][next.value];
    last_ = least_in(next);
    used_[next.digit] &= used_[next.digit] - 1;
    if (next.digit == 0) {
      now_.swap(bucket);
      return;
    }
    for (const Entry& entry : bucket) place(entry, static_cast<std::uint64_t>(entry.time));
    bucket.clear();
    if (bucket.capacity() > kKeptCapacity) std::vector<Entry>().swap(bucket);
  }

  std::array<std::array<std::vector<Entry>, 1U << kDigitBits>, kDigits> buckets_;
  std::array<std::uint64_t, kDigits> used_{};  ///< which buckets hold something
  std::vector<Entry> now_;                     ///< entries of the time last_
  std::uint64_t last_ = 0;
  std::size_t size_ = 0;
};

}  // namespace stepcast::sim
