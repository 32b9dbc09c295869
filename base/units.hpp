#pragma once

// Quantities as text: "600 GB/s", "80 GiB", "989 TFLOP/s", "0.12 USD/kWh". GB is 1e9 bytes, GiB is 2^30, b is
// a bit; nothing is guessed. A bare number is not a quantity.

#include <string>
#include <string_view>
#include <variant>

#include "base/quantity.hpp"

namespace stepcast {
inline namespace base {

/// Why a text is not the quantity that was asked for, and what would be right.
struct UnitProblem {
  std::string message;
  std::string hint;
};

/// A number and its dimension, both known only at run time.
struct AnyQuantity {
  double base = 0.0;
  Dim dim;
};

std::variant<AnyQuantity, UnitProblem> parse_any_quantity(std::string_view text);

/// As parse_any_quantity, but any other dimension than `expected` is a problem too.
std::variant<double, UnitProblem> parse_quantity(std::string_view text, Dim expected);

/// "2039" and "GB/s" of "2039 GB/s"; the second is empty where the text is no quantity.
struct NumberAndUnit {
  std::string_view number;
  std::string_view unit;
};
NumberAndUnit split_quantity(std::string_view text);

/// A plain decimal number ("3", "-0.5", "2e12"): no nan, inf, hexadecimal, leading zero or leading plus.
std::variant<double, UnitProblem> parse_number(std::string_view text);

/// Text that parse_quantity turns into the same bits again, in the most readable unit. (A dimension with a
/// unit twice in its numerator, such as B*B, prints but does not parse.)
std::string to_text(AnyQuantity quantity);

template <Dim D>
std::string to_text(Quantity<D> quantity) {
  return to_text(AnyQuantity{quantity.base(), D});
}

/// Text for people, in the most readable unit: four significant digits, all digits of the whole part.
std::string to_short_text(AnyQuantity quantity);

template <Dim D>
std::string to_short_text(Quantity<D> quantity) {
  return to_short_text(AnyQuantity{quantity.base(), D});
}

/// With its article: "a bandwidth", "an amount of work".
std::string dim_name(Dim dim);

/// Units to suggest for a dimension, the usual ones first: "GB/s, GiB/s, Gb/s, TB/s".
std::string suggested_units(Dim dim);

}  // namespace base
}  // namespace stepcast
