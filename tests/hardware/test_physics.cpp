// What must hold across the whole catalogue. A named exception carries its reason, and must still be one: a
// row that is no longer needed fails too.

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/units.hpp"
#include "hardware/catalog.hpp"
#include "hardware/load.hpp"
#include "hardware/node.hpp"
#include "tests/catch.hpp"

using namespace stepcast;
using namespace stepcast::hardware;

namespace {

Catalog shipped() { return Catalog({STEPCAST_CATALOG_DIR}); }

template <class Spec, class... Extra>
Spec load(const Catalog& catalog, const Entry& entry, const Extra&... extra) {
  Diagnostics problems;
  Spec spec;
  const auto tree = catalog.load(entry, problems);
  if (tree) read(Reader(*tree, {}, problems), spec, extra...);
  for (const Diagnostic& d : problems.sorted()) {
    if (d.severity == Severity::error) FAIL(to_text(d));
  }
  return spec;
}

/// Checks of |value / expected - 1| <= tolerance with named exceptions, for which it must not hold.
class RatioCheck {
 public:
  RatioCheck(double tolerance, std::map<std::string, std::string> exceptions)
      : tolerance_(tolerance), exceptions_(std::move(exceptions)), unmet_(exceptions_) {}

  void operator()(double value, double expected, const std::string& what) {
    CAPTURE(what, value, expected);
    const bool holds = std::abs(value / expected - 1.0) <= tolerance_;
    const auto exception = exceptions_.find(what);
    if (exception == exceptions_.end()) {
      CHECK(holds);
    } else {
      INFO("this exception is no longer one: " << exception->second);
      CHECK_FALSE(holds);
      unmet_.erase(what);
    }
    ++checked_;
  }

  /// Call it last: every exception was met, and enough was checked.
  void finish(int at_least) const {
    for (const auto& [what, reason] : unmet_) FAIL_CHECK("exception never met: " << what << ", " << reason);
    CHECK(checked_ >= at_least);
  }

 private:
  double tolerance_;
  std::map<std::string, std::string> exceptions_;
  std::map<std::string, std::string> unmet_;
  int checked_ = 0;
};

}  // namespace

TEST_CASE("every catalogue file loads", "[catalog]") {
  const Catalog catalog = shipped();
  Diagnostics problems;
  check_all(catalog, problems);
  for (const Diagnostic& d : problems.sorted()) {
    if (d.severity == Severity::error) FAIL_CHECK(to_text(d));
  }
  CHECK(catalog.entries(Kind::gpu).size() >= 66);
  CHECK(catalog.entries(Kind::system).size() >= 38);
}

TEST_CASE("vector FP32 peak = lanes x 2 x boost clock", "[catalog][physics]") {
  RatioCheck check(0.03,
                   {{"h20_96gb", "the vendor prints 44 TFLOP/s; 78 SM x 128 lanes x 2 x 1.98 GHz is 39.5"}});
  const Catalog catalog = shipped();
  for (const Entry& entry : catalog.entries(Kind::gpu)) {
    const auto gpu = load<GpuSpec>(catalog, entry);
    const auto peak = gpu.dense.find(RateKind::fp32_vector);
    if (!gpu.units || !gpu.units->fp32_lanes || !gpu.units->boost_clock || peak == gpu.dense.end()) continue;
    check(peak->second.base(), *gpu.units->fp32_lanes * 2.0 * gpu.units->boost_clock->base(), gpu.id);
  }
  check.finish(45);
}

TEST_CASE("2:4 sparsity doubles the dense rate", "[catalog][physics]") {
  RatioCheck check(
      0.02, {{"b300_sxm_288gb fp4_tensor", "Blackwell Ultra raised only the dense fp4 rate: 18 over 13.5"},
             {"gb300_288gb fp4_tensor", "as B300: 20 over 15 PFLOP/s"},
             {"b100_192gb fp16_tensor_acc32", "the brief rounds 3600 to 3500 TFLOP/s"},
             {"b100_192gb bf16_tensor_acc32", "as fp16"}});
  const Catalog catalog = shipped();
  for (const Entry& entry : catalog.entries(Kind::gpu)) {
    const auto gpu = load<GpuSpec>(catalog, entry);
    for (const auto& [kind, rate] : gpu.sparse) {
      const std::string what = gpu.id + " " + std::string(enum_name(kind));
      CAPTURE(what);
      REQUIRE(gpu.dense.contains(kind));
      check(rate.base(), 2.0 * gpu.dense.at(kind).base(), what);
    }
  }
  check.finish(150);
}

TEST_CASE("the links of a GPU add up", "[catalog][physics]") {
  const Catalog catalog = shipped();
  int checked = 0;
  for (const Entry& entry : catalog.entries(Kind::gpu)) {
    const auto gpu = load<GpuSpec>(catalog, entry);
    CAPTURE(gpu.id);
    if (gpu.gpu_link) {
      const Match match = catalog.find(Kind::link, gpu.gpu_link->link);
      REQUIRE(match.entry);
      const auto link = load<LinkSpec>(catalog, *match.entry);
      CHECK_THAT(gpu.gpu_link->per_direction.base(),
                 WithinRel(gpu.gpu_link->count * link.per_direction.base(), 1e-9));
      CHECK(gpu.gpu_link->both_directions == 2.0 * gpu.gpu_link->per_direction);
      ++checked;
    }
    if (gpu.host_link) {
      const Match match = catalog.find(Kind::link, gpu.host_link->link);
      REQUIRE(match.entry);
      CHECK(load<LinkSpec>(catalog, *match.entry).per_direction == gpu.host_link->per_direction);
    }
  }
  CHECK(checked >= 30);
}

TEST_CASE("the GPU links of a system are those that its GPUs have", "[catalog][physics]") {
  const std::string why =
      "of the 8 links of a device one serves the CPU, and of every second device one the NIC";
  RatioCheck check(0.0, {{"frontier_mi250x_node", why}});
  const Catalog catalog = shipped();
  for (const Entry& entry : catalog.entries(Kind::system)) {
    const auto system = load<SystemSpec>(catalog, entry, catalog);
    if (!system.gpu.gpu_link) continue;
    std::map<int, int> links;
    for (const NodeEdge& edge : system.graph.edges) {
      if (edge.link != system.gpu.gpu_link->link) continue;
      for (const Vertex end : {edge.a, edge.b}) {
        if (end.kind == VertexKind::gpu) links[end.index] += edge.count;
      }
    }
    // a PCIe box without the optional bridges has none
    for (const auto& [index, count] : links) check(count, system.gpu.gpu_link->count, system.id);
  }
  check.finish(200);
}

TEST_CASE("usable memory is below the label but not far", "[catalog][physics]") {
  const Catalog catalog = shipped();
  int checked = 0;
  for (const Entry& entry : catalog.entries(Kind::gpu)) {
    const auto gpu = load<GpuSpec>(catalog, entry);
    if (!gpu.memory.usable) continue;
    CAPTURE(gpu.id);
    const double gib_label =
        gpu.memory.marketing.base() / 1e9 * (1.0_GiB).base();  // vendors' GB are often GiB
    CHECK(gpu.memory.usable->base() <= gib_label * 1.0001);
    CHECK(gpu.memory.usable->base() >= gib_label * 0.90);
    ++checked;
  }
  CHECK(checked >= 50);
}

TEST_CASE("a measured GEMM beats no peak", "[catalog][physics]") {
  // Cards whose clock under load is above the boost clock that the sheet prints.
  std::map<std::string, std::string> above = {{"rtx5090 bf16", "runs near 2.9 GHz, the sheet says 2.407"},
                                              {"rtx5090 fp16", "as bf16"},
                                              {"rtx3090ti bf16", "runs above the sheet's 1.86 GHz"},
                                              {"rtx3090ti fp16", "as bf16"}};
  const std::map<std::string, RateKind> peaks = {{"bf16", RateKind::bf16_tensor_acc32},
                                                 {"fp16", RateKind::fp16_tensor_acc32},
                                                 {"fp8", RateKind::fp8_tensor}};
  const Catalog catalog = shipped();
  for (const Entry& entry : catalog.entries(Kind::gpu)) {
    const auto gpu = load<GpuSpec>(catalog, entry);
    if (!gpu.measured) continue;
    for (const auto& [dtype, rate] : gpu.measured->gemm) {
      const auto peak = peaks.find(dtype);
      if (peak == peaks.end() || !gpu.dense.contains(peak->second)) continue;
      const std::string what = gpu.id + " " + dtype;
      CAPTURE(what, to_text(rate));
      CHECK((rate <= gpu.dense.at(peak->second)) == (above.erase(what) == 0));
    }
  }
  CHECK(above.empty());
}
