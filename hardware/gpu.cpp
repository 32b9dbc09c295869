#include "hardware/gpu.hpp"

#include <array>
#include <cmath>

#include <fmt/core.h>

#include "base/units.hpp"
#include "hardware/catalog.hpp"
#include "hardware/link.hpp"

namespace stepcast::hardware {
namespace {

#define ROW(E, name) \
  EnumName<E> { #name, E::name }
constexpr std::array kGenerations = {
    ROW(Generation, kepler),  ROW(Generation, pascal),    ROW(Generation, volta),
    ROW(Generation, turing),  ROW(Generation, ampere),    ROW(Generation, ada),
    ROW(Generation, hopper),  ROW(Generation, blackwell), ROW(Generation, blackwell_ultra),
    ROW(Generation, cdna2),   ROW(Generation, cdna3),     ROW(Generation, cdna4),
    ROW(Generation, rdna3),   ROW(Generation, gaudi2),    ROW(Generation, gaudi3),
    ROW(Generation, ipu),     ROW(Generation, tpu_v4),    ROW(Generation, tpu_v5e),
    ROW(Generation, tpu_v5p), ROW(Generation, tpu_v6e)};
constexpr std::array kRates = {
    ROW(RateKind, fp64_vector),       ROW(RateKind, fp64_tensor),       ROW(RateKind, fp32_vector),
    ROW(RateKind, fp32_tensor),       ROW(RateKind, fp16_vector),       ROW(RateKind, bf16_vector),
    ROW(RateKind, tf32_tensor),       ROW(RateKind, fp16_tensor_acc32), ROW(RateKind, fp16_tensor_acc16),
    ROW(RateKind, bf16_tensor_acc32), ROW(RateKind, fp8_tensor),        ROW(RateKind, fp8_tensor_acc32),
    ROW(RateKind, fp8_tensor_acc16),  ROW(RateKind, fp6_tensor),        ROW(RateKind, fp4_tensor),
    ROW(RateKind, int8_tensor),       ROW(RateKind, int4_tensor)};
constexpr std::array kAccumulate = {ROW(AccumulateRate, full), ROW(AccumulateRate, half)};
#undef ROW
constexpr std::array kGemmDtypes = {"fp32", "tf32", "bf16", "fp16", "fp8", "fp4", "int8"};
constexpr std::array kCopies = {"peer_copy", "peer_copy_both", "host_to_device", "device_to_host"};

void read_rates(MapReader& m, Rates& rates) {
  for (const auto& row : kRates) {
    if (const auto rate = m.find(row.name)) read(*rate, rates[row.value], kPositive);
  }
  if (rates.empty()) m.self().error("no rate", "give at least one, such as bf16_tensor_acc32: 312 TFLOP/s");
}

}  // namespace

std::span<const EnumName<Generation>> enum_names(Generation) { return kGenerations; }
std::span<const EnumName<RateKind>> enum_names(RateKind) { return kRates; }
std::span<const EnumName<AccumulateRate>> enum_names(AccumulateRate) { return kAccumulate; }

// The parts of a GPU: static, not in the unnamed namespace, where argument-dependent lookup would not see
// them.

static void read(const Reader& r, GpuUnits& units) {
  r.map([&](MapReader& m) {
    m.required("kind", units.kind);
    m.optional("count", units.count, kAtLeastOne);
    m.optional("fp32_lanes", units.fp32_lanes, kAtLeastOne);
    m.optional("tensor_cores", units.tensor_cores, kAtLeastOne);
    m.optional("boost_clock", units.boost_clock, kPositive);
    m.optional("base_clock", units.base_clock, kPositive);
    m.optional("tensor_clock", units.tensor_clock, kPositive);
    m.optional("source", units.source);
  });
}

static void read(const Reader& r, GpuMemory& memory) {
  r.map([&](MapReader& m) {
    m.required("type", memory.type);
    m.required("marketing", memory.marketing, kPositive);
    m.optional("usable", memory.usable, kPositive);
    m.required("bandwidth", memory.bandwidth, kPositive);
    m.optional("l2", memory.l2, kPositive);
    m.optional("last_level", memory.last_level, kPositive);
    m.optional("source", memory.source);
    if (!memory.usable && m.has("marketing")) {
      r.warning(fmt::format("the usable capacity is not known; the label, {}, stands in for it",
                            to_short_text(memory.marketing)),
                "add `usable:` with what the driver reports");
    }
  });
}

static void read(const Reader& r, GpuLink& link) {
  r.map([&](MapReader& m) {
    m.required("link", link.link);
    m.required("count", link.count, kAtLeastOne);
    m.required("per_direction", link.per_direction, kPositive);
    m.required("both_directions", link.both_directions, kPositive);
    m.optional("reach", link.reach);
    m.optional("source", link.source);
  });
}

static void read(const Reader& r, HostLink& link) {
  r.map([&](MapReader& m) {
    m.required("link", link.link);
    m.required("per_direction", link.per_direction, kPositive);
    m.required("peer_access", link.peer_access);
    m.optional("source", link.source);
  });
}

static void read(const Reader& r, GpuPower& power) {
  r.map([&](MapReader& m) {
    m.required("limit", power.limit, kPositive);
    m.optional("idle", power.idle);
    if (power.idle && *power.idle > power.limit)
      m.error_at("idle", "idle draws more than the limit", "mend one of them");
    m.optional("source", power.source);
  });
}

static void read(const Reader& r, GpuMeasured& measured) {
  r.map([&](MapReader& m) {
    for (const char* dtype : kGemmDtypes) {
      if (const auto rate = m.find(fmt::format("gemm_{}", dtype)))
        read(*rate, measured.gemm[dtype], kPositive);
    }
    for (const char* copy : kCopies) {
      if (const auto rate = m.find(copy)) read(*rate, measured.copies[copy], kPositive);
    }
    m.optional("source", measured.source);
  });
}

void read(const Reader& r, GpuSpec& gpu) {
  r.map([&](MapReader& m) {
    m.required("gpu", gpu.id);
    m.required("name", gpu.name);
    m.required("vendor", gpu.vendor);
    m.required("generation", gpu.generation);
    m.optional("chip", gpu.chip);
    m.optional("compute_capability", gpu.compute_capability);
    m.optional("released", gpu.released);
    m.optional("form_factor", gpu.form_factor);
    m.optional("devices", gpu.devices, kAtLeastOne);
    m.optional("units", gpu.units);
    if (const auto dense = m.need("dense")) {
      dense->map([&](MapReader& g) {
        read_rates(g, gpu.dense);
        g.optional("fp32_accumulate", gpu.fp32_accumulate);
        g.optional("unpublished", gpu.unpublished);
        g.optional("source", gpu.dense_source);
      });
    }
    if (const auto sparse = m.find("sparse_2to4")) {
      sparse->map([&](MapReader& g) {
        read_rates(g, gpu.sparse);
        g.optional("source", gpu.sparse_source);
      });
    }
    m.required("memory", gpu.memory);
    m.optional("gpu_link", gpu.gpu_link);
    m.optional("host_link", gpu.host_link);
    m.optional("power", gpu.power);
    m.optional("measured", gpu.measured);
    m.optional("notes", gpu.notes);
  });
}

void check_consistent(const Reader& r, const GpuSpec& gpu, const Catalog& catalog) {
  const auto at = [&](std::string_view key) {
    const YamlEntry* entry = r.node().find(key);
    return entry == nullptr ? r : Reader(entry->value, std::string(key), r.problems());
  };
  const auto link = [&](const std::string& id, const Reader& where) {
    LinkSpec spec;
    YamlNode name = where.node();
    name.kind = YamlNode::Kind::scalar;
    name.scalar = id;
    read_reference(Reader(name, where.path() + ".link", r.problems()), Kind::link, catalog, spec);
    return spec.per_direction;
  };
  const auto differ = [](Bandwidth a, Bandwidth b) { return std::abs(a / b - 1.0) > 1e-3; };
  if (gpu.gpu_link) {
    const Reader where = at("gpu_link");
    const Bandwidth sum = link(gpu.gpu_link->link, where) * gpu.gpu_link->count;
    if (sum > Bandwidth() && differ(gpu.gpu_link->per_direction, sum)) {
      where.error(fmt::format("{} x {} is {} per direction, not {}", gpu.gpu_link->count, gpu.gpu_link->link,
                              to_short_text(sum), to_short_text(gpu.gpu_link->per_direction)),
                  "mend the count, the link or the total");
    }
    if (differ(gpu.gpu_link->both_directions, 2.0 * gpu.gpu_link->per_direction)) {
      where.error("both directions are not twice one direction", "mend one of them");
    }
  }
  if (gpu.host_link) {
    const Reader where = at("host_link");
    const Bandwidth rate = link(gpu.host_link->link, where);
    if (rate > Bandwidth() && differ(gpu.host_link->per_direction, rate)) {
      where.error(fmt::format("{} is {} per direction, not {}", gpu.host_link->link, to_short_text(rate),
                              to_short_text(gpu.host_link->per_direction)),
                  "mend the link or the rate");
    }
  }
  constexpr double kGibPerGb = 1.073741824;  // vendors' GB are often GiB
  if (gpu.memory.usable && *gpu.memory.usable > gpu.memory.marketing * (kGibPerGb * 1.001)) {
    at("memory").error(fmt::format("usable {} is more than the label, {}", to_short_text(*gpu.memory.usable),
                                   to_short_text(gpu.memory.marketing)),
                       "mend one of them");
  }
}

GpuSpec per_device(GpuSpec gpu) {
  const double n = gpu.devices;
  const auto share = [&](auto& quantity) { quantity /= n; };
  const auto share_optional = [&](auto& quantity) {
    if (quantity) *quantity /= n;
  };
  for (auto& [kind, rate] : gpu.dense) share(rate);
  for (auto& [kind, rate] : gpu.sparse) share(rate);
  share(gpu.memory.marketing);
  share_optional(gpu.memory.usable);
  share(gpu.memory.bandwidth);
  share_optional(gpu.memory.l2);
  share_optional(gpu.memory.last_level);
  if (gpu.power) {
    share(gpu.power->limit);
    share_optional(gpu.power->idle);
  }
  if (gpu.units) {
    for (auto* count : {&gpu.units->count, &gpu.units->fp32_lanes, &gpu.units->tensor_cores}) {
      if (*count) **count /= gpu.devices;
    }
  }
  gpu.devices = 1;
  return gpu;
}

}  // namespace stepcast::hardware
