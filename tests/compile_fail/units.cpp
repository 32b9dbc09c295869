// Compiled once as it is, which must work, and once for each CASE_*, which must not.

#include "base/id.hpp"
#include "base/quantity.hpp"

using namespace stepcast;

struct LinkTag;
struct FlowTag;

int main() {
  const Bytes bytes = 1.0_GB;
  const Seconds seconds = 1.0_s;
  const Usd dollars = 1.0_USD;
  const Cny yuan = 1.0_CNY;
  [[maybe_unused]] const Bandwidth bandwidth = bytes / seconds;
#if defined(CASE_bytes_plus_seconds)
  [[maybe_unused]] const auto x = bytes + seconds;
#elif defined(CASE_bandwidth_to_bytes)
  [[maybe_unused]] const Bytes x = bandwidth;
#elif defined(CASE_usd_plus_cny)
  [[maybe_unused]] const auto x = dollars + yuan;
#elif defined(CASE_usd_times_cny)
  [[maybe_unused]] const auto x = dollars * yuan;
#elif defined(CASE_double_to_bytes)
  [[maybe_unused]] const Bytes x = 1.0;
#elif defined(CASE_bytes_to_double)
  [[maybe_unused]] const double x = bytes;
#elif defined(CASE_compare_bytes_seconds)
  [[maybe_unused]] const bool x = bytes < seconds;
#elif defined(CASE_ids_mix)
  [[maybe_unused]] const Id<LinkTag> x = Id<FlowTag>(1);
#else
  return static_cast<int>(dollars.base() + yuan.base()) * 0;
#endif
}
