#pragma once

// An accelerator as its maker publishes it: peaks, memory, links, power. Peaks are the dense ones; rates with
// 2:4 sparsity stand apart and training does not use them. Where software sees several devices in one module
// (MI250X: two), `devices` says so: the links are those of one device, all other numbers are the module's,
// and per_device() gives one device.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hardware/source.hpp"

namespace stepcast::hardware {

/// Whose measured efficiencies a part takes.
enum class Generation {
  kepler,
  pascal,
  volta,
  turing,
  ampere,
  ada,
  hopper,
  blackwell,
  blackwell_ultra,  // NVIDIA
  cdna2,
  cdna3,
  cdna4,
  rdna3,  // AMD
  gaudi2,
  gaudi3,
  ipu,
  tpu_v4,
  tpu_v5e,
  tpu_v5p,
  tpu_v6e,
};
std::span<const EnumName<Generation>> enum_names(Generation);

/// Input type, unit, and accumulator where the rate depends on it.
enum class RateKind {
  fp64_vector,
  fp64_tensor,
  fp32_vector,
  fp32_tensor,
  fp16_vector,
  bf16_vector,
  tf32_tensor,
  fp16_tensor_acc32,
  fp16_tensor_acc16,
  bf16_tensor_acc32,
  fp8_tensor,
  fp8_tensor_acc32,
  fp8_tensor_acc16,
  fp6_tensor,
  fp4_tensor,
  int8_tensor,
  int4_tensor,
};
std::span<const EnumName<RateKind>> enum_names(RateKind);
using Rates = std::map<RateKind, FlopRate>;

/// Tensor rate with fp32 accumulation relative to fp16 accumulation.
enum class AccumulateRate { full, half };
std::span<const EnumName<AccumulateRate>> enum_names(AccumulateRate);

struct GpuUnits {
  std::string kind;          ///< SM, CU, TPC, ...
  std::optional<int> count;  ///< absent where nobody published it
  std::optional<int> fp32_lanes;
  std::optional<int> tensor_cores;  ///< or whatever the vendor calls its matrix units
  std::optional<Frequency> boost_clock;
  std::optional<Frequency> base_clock;
  std::optional<Frequency>
      tensor_clock;  ///< what the tensor peaks assume, where it differs from the boost clock
  Sources source;
};

struct GpuMemory {
  std::string type;
  Bytes marketing;              ///< the label; never used as a capacity where `usable` is known
  std::optional<Bytes> usable;  ///< what the driver reports
  Bandwidth bandwidth;
  std::optional<Bytes> l2;
  std::optional<Bytes> last_level;
  Sources source;

  [[nodiscard]] Bytes capacity() const { return usable.value_or(marketing); }
};

/// The links of one device to other GPUs, all together.
struct GpuLink {
  std::string link;  ///< id in the catalogue's links
  int count = 0;
  Bandwidth per_direction;    ///< sum over the links, one direction
  Bandwidth both_directions;  ///< the vendor's headline
  std::string reach;
  Sources source;
};

struct HostLink {
  std::string link;
  Bandwidth per_direction;
  bool peer_access = false;  ///< whether the stock driver allows peer-to-peer over PCIe
  Sources source;
};

struct GpuPower {
  Watts limit;
  std::optional<Watts> idle;
  Sources source;
};

/// Best rates that people measured and published.
struct GpuMeasured {
  std::map<std::string, FlopRate> gemm;     ///< by dtype: fp32, tf32, bf16, fp16, fp8, fp4, int8
  std::map<std::string, Bandwidth> copies;  ///< peer_copy, peer_copy_both, host_to_device, device_to_host
  Sources source;
};

struct GpuSpec {
  std::string id;
  std::string name;
  std::string vendor;
  Generation generation = Generation::ampere;
  std::string chip;
  std::string compute_capability;
  std::optional<Date> released;
  std::string form_factor;
  int devices = 1;
  std::optional<GpuUnits> units;
  Rates dense;
  AccumulateRate fp32_accumulate = AccumulateRate::full;
  std::vector<RateKind> unpublished;  ///< supported, but no rate is known
  Sources dense_source;
  Rates sparse;  ///< 2:4 structured sparsity; empty: not supported
  Sources sparse_source;
  GpuMemory memory;
  std::optional<GpuLink> gpu_link;
  std::optional<HostLink> host_link;
  std::optional<GpuPower> power;
  std::optional<GpuMeasured> measured;
  std::string notes;
};

/// Warns where the usable capacity is not known and the vendor's label stands in for it.
void read(const Reader& r, GpuSpec& gpu);

class Catalog;
/// What a GPU file says twice must agree: its link totals with the links named, usable memory with the label.
void check_consistent(const Reader& r, const GpuSpec& gpu, const Catalog& catalog);

/// One device of a module.
GpuSpec per_device(GpuSpec gpu);

}  // namespace stepcast::hardware
