#include <type_traits>

#include "base/id.hpp"
#include "base/quantity.hpp"
#include "tests/catch.hpp"

using namespace stepcast;

TEST_CASE("products and quotients carry their dimension", "[quantity]") {
  static_assert(std::is_same_v<decltype(1_GB / 1_s), Bandwidth>);
  static_assert(std::is_same_v<decltype(1_GB / 1_GBps), Seconds>);
  static_assert(std::is_same_v<decltype(Flops(1e12) / 1_s), FlopRate>);
  static_assert(std::is_same_v<decltype(Flops(1e12) / 1_GB), Intensity>);
  static_assert(std::is_same_v<decltype(1_W * 1_s), Joules>);
  static_assert(std::is_same_v<decltype(1.0 / 1_s), Frequency>);
  static_assert(std::is_same_v<decltype(1_USD / 1_kWh), UsdPerEnergy>);
  static_assert(std::is_same_v<decltype(1_USD / 1_USD), double>);

  // 1 GiB over 450 GB/s behind a latency of 3.5 us
  const Seconds t = 3.5_us + 1_GiB / 450.0_GBps;
  CHECK_THAT(t.base(), WithinRel(3.5e-6 + 1073741824.0 / 450e9, 1e-15));
  CHECK(400.0_Gbps == 50.0_GBps);
  CHECK(1_kWh == Joules(3.6e6));
}

TEST_CASE("money goes with its currency", "[quantity]") {
  static_assert(!std::is_same_v<Usd, Cny>);
  // 0.12 USD/kWh for 10.2 kW over an hour
  const Usd cost = UsdPerEnergy(0.12 / 3.6e6) * (10.2_kW * 3600_s);
  CHECK_THAT(cost.base(), WithinRel(0.12 * 10.2, 1e-12));
  // money over money of the same currency cancels, and the currency goes with it
  static_assert(decltype((3_USD / 1_s) / 2_USD)::dim == Frequency::dim);
}

TEST_CASE("ids of different kinds are different types", "[id]") {
  struct LinkTag;
  struct FlowTag;
  using LinkId = Id<LinkTag>;
  static_assert(!std::is_convertible_v<LinkId, Id<FlowTag>>);
  static_assert(!std::is_convertible_v<int, LinkId>);
  CHECK(LinkId(3).index() == 3);
  CHECK(LinkId(2) < LinkId(3));
}
