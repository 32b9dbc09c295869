// The unit parser: whatever it accepts, it prints so that it reads the same bits again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/units.hpp"

using namespace stepcast;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parse_any_quantity(text);
  if (const auto* quantity = std::get_if<AnyQuantity>(&parsed)) {
    const auto again = parse_quantity(to_text(*quantity), quantity->dim);
    const double* base = std::get_if<double>(&again);
    const bool known = suggested_units(quantity->dim).find('*') == std::string::npos;
    if (known && (base == nullptr || *base != quantity->base)) std::abort();
  }
  static_cast<void>(parse_number(text));
  return 0;
}
