#include "hardware/price.hpp"

#include <array>

#include <fmt/core.h>

namespace stepcast::hardware {
namespace {

constexpr std::array kPriceOf = {
    EnumName<PriceOf>{"gpu", PriceOf::gpu}, EnumName<PriceOf>{"system", PriceOf::system},
    EnumName<PriceOf>{"electricity", PriceOf::electricity}, EnumName<PriceOf>{"egress", PriceOf::egress}};
constexpr std::array kTerms = {EnumName<Terms>{"purchase", Terms::purchase},
                               EnumName<Terms>{"on_demand", Terms::on_demand},
                               EnumName<Terms>{"spot", Terms::spot},
                               EnumName<Terms>{"reserved_1y", Terms::reserved_1y},
                               EnumName<Terms>{"reserved_3y", Terms::reserved_3y},
                               EnumName<Terms>{"capacity_block", Terms::capacity_block},
                               EnumName<Terms>{"industrial", Terms::industrial},
                               EnumName<Terms>{"commercial", Terms::commercial},
                               EnumName<Terms>{"egress", Terms::egress}};

/// What is priced under which terms.
PriceOf priced(Terms terms, PriceOf hardware) {
  switch (terms) {
    case Terms::industrial:
    case Terms::commercial: return PriceOf::electricity;
    case Terms::egress: return PriceOf::egress;
    case Terms::purchase:
    case Terms::on_demand:
    case Terms::spot:
    case Terms::reserved_1y:
    case Terms::reserved_3y:
    case Terms::capacity_block: break;
  }
  return hardware == PriceOf::system ? PriceOf::system : PriceOf::gpu;
}

template <Dim D>
Range<double> read_price(const Reader& r) {
  Range<Quantity<D>> price;
  read(r, price,
       D == UsdPerByte::dim ? kNonNegative : kPositive);  // some providers let traffic out for nothing
  const auto typical = price.typical ? std::optional(price.typical->base()) : std::nullopt;
  return {price.low.base(), typical, price.high.base()};
}

Range<double> read_price(const Reader& r, Terms terms) {
  const Dim dim = price_dim(terms);
  if (dim == Usd::dim) return read_price<Usd::dim>(r);
  if (dim == UsdPerTime::dim) return read_price<UsdPerTime::dim>(r);
  if (dim == UsdPerEnergy::dim) return read_price<UsdPerEnergy::dim>(r);
  return read_price<UsdPerByte::dim>(r);
}

void read_quote(const Reader& r, PriceOf of, Quote& quote) {
  r.map([&](MapReader& m) {
    const std::size_t errors = r.problems().error_count();
    m.required("terms", quote.terms);
    const bool terms_known = r.problems().error_count() == errors;
    if (terms_known && priced(quote.terms, of) != of) {
      m.error_at("terms", fmt::format("{} is not a way to price {}", enum_name(quote.terms), enum_name(of)),
                 of == PriceOf::electricity ? "write industrial or commercial"
                 : of == PriceOf::egress    ? "write egress"
                                            : "write purchase, on_demand, spot, reserved_1y, ...");
    }
    const auto price = m.need("price");
    if (price && terms_known) quote.price = read_price(*price, quote.terms);
    m.optional("provider", quote.provider);
    m.optional("region", quote.region);
    m.required("date", quote.date);
    m.optional("source", quote.source);
    if (of == PriceOf::electricity && quote.region.empty())
      r.error("missing key 'region'", "say where the rate holds");
  });
}

}  // namespace

std::span<const EnumName<PriceOf>> enum_names(PriceOf) { return kPriceOf; }
std::span<const EnumName<Terms>> enum_names(Terms) { return kTerms; }

Dim price_dim(Terms terms) {
  switch (terms) {
    case Terms::purchase: return Usd::dim;
    case Terms::industrial:
    case Terms::commercial: return UsdPerEnergy::dim;
    case Terms::egress: return UsdPerByte::dim;
    case Terms::on_demand:
    case Terms::spot:
    case Terms::reserved_1y:
    case Terms::reserved_3y:
    case Terms::capacity_block: break;
  }
  return UsdPerTime::dim;
}

void read(const Reader& r, PriceSpec& price) {
  r.map([&](MapReader& m) {
    m.required("price", price.id);
    const std::size_t errors = r.problems().error_count();
    m.required("of", price.of);
    const bool of_known = r.problems().error_count() == errors;
    if (const auto quotes = m.need("quotes"); quotes && of_known) {
      for (const Reader& row : quotes->list()) read_quote(row, price.of, price.quotes.emplace_back());
    }
    if (price.quotes.empty() && of_known && m.has("quotes"))
      m.error_at("quotes", "no quotes", "add at least one");
    m.optional("notes", price.notes);
  });
}

}  // namespace stepcast::hardware
