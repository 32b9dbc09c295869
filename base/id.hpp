#pragma once

// An index into a vector of one kind of thing. Ids of different kinds do not mix, and an id is not a number:
//   struct LinkTag;  using LinkId = Id<LinkTag>;

#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/diagnostic.hpp"

namespace stepcast {
inline namespace base {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  explicit constexpr Id(std::size_t index) : value_(static_cast<std::uint32_t>(index)) {
    STEPCAST_CHECK(index <= UINT32_MAX, "an id is an index of 32 bits");
  }

  [[nodiscard]] constexpr std::size_t index() const { return value_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  std::uint32_t value_ = 0;
};

}  // namespace base
}  // namespace stepcast
