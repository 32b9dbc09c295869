#pragma once

// What hardware, power and traffic cost: dated quotes, each with its terms.

#include <span>
#include <string>
#include <vector>

#include "hardware/source.hpp"

namespace stepcast::hardware {

enum class PriceOf { gpu, system, electricity, egress };
std::span<const EnumName<PriceOf>> enum_names(PriceOf);

enum class Terms {
  purchase,
  on_demand,
  spot,
  reserved_1y,
  reserved_3y,
  capacity_block,
  industrial,
  commercial,
  egress
};
std::span<const EnumName<Terms>> enum_names(Terms);

/// The dimension of a price under these terms: USD, USD/h, USD/kWh or USD/GB.
Dim price_dim(Terms terms);

struct Quote {
  Terms terms = Terms::purchase;
  std::string provider;  ///< who sells; for electricity empty
  std::string region;    ///< electricity: where
  /// Base units of price_dim(terms), per GPU or per system.
  Range<double> price;
  Date date;  ///< when the price held
  Sources source;
};

struct PriceSpec {
  std::string id;  ///< of the GPU or system, or the thing itself (electricity, egress)
  PriceOf of = PriceOf::gpu;
  std::vector<Quote> quotes;
  std::string notes;
};

void read(const Reader& r, PriceSpec& price);

}  // namespace stepcast::hardware
