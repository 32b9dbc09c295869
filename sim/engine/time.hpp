#pragma once

// Simulated time: whole ticks of a clock since the start, in 64 bits. Steps use picoseconds (106 days fit),
// studies of months milliseconds. Leaving the range is an error, never a wrap.

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "base/quantity.hpp"

namespace stepcast::sim {

struct PicosecondClock {
  static constexpr double kTicksPerSecond = 1e12;
};
struct MillisecondClock {
  static constexpr double kTicksPerSecond = 1e3;
};

/// Simulated time beyond what the clock counts.
class TimeOverflow : public std::overflow_error {
 public:
  TimeOverflow() : std::overflow_error("simulated time leaves the range of its clock") {}
};

template <class Clock>
class Time {
 public:
  constexpr Time() = default;
  explicit constexpr Time(std::int64_t ticks) : ticks_(ticks) {}

  [[nodiscard]] constexpr std::int64_t ticks() const { return ticks_; }
  [[nodiscard]] constexpr Seconds seconds() const {
    return Seconds(static_cast<double>(ticks_) / Clock::kTicksPerSecond);
  }

  constexpr auto operator<=>(const Time&) const = default;

  friend constexpr Time operator+(Time a, Time b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a.ticks_, b.ticks_, &sum)) throw TimeOverflow();
    return Time(sum);
  }
  friend constexpr Time operator-(Time a, Time b) {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(a.ticks_, b.ticks_, &difference)) throw TimeOverflow();
    return Time(difference);
  }

 private:
  std::int64_t ticks_ = 0;
};

/// The first tick at or after a duration; a duration above a tick by no more than a millionth of one, or than
/// the rounding of a computation with doubles, counts as that tick. Throws TimeOverflow for what is not
/// finite or too long.
template <class Clock>
Time<Clock> ticks_for(Seconds duration) {
  const double exact = duration.base() * Clock::kTicksPerSecond;
  const double ticks =
      std::ceil(exact - std::max(1e-6, std::abs(exact) * 4 * std::numeric_limits<double>::epsilon()));
  if (!(std::abs(ticks) < 9.2e18)) throw TimeOverflow();
  return Time<Clock>(static_cast<std::int64_t>(ticks));
}

using SimTime = Time<PicosecondClock>;

}  // namespace stepcast::sim
