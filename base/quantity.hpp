#pragma once

// A number with its physical dimension in the type, held in base units: byte, FLOP, second, joule, and one
// unit of a currency. Sums of unlike dimensions do not compile; products and quotients get the right
// dimension, and a dimensionless one is a plain double. Two currencies never meet in one expression.
// Doubles hold byte counts exactly below 2^53 (9 PB). Text forms ("600 GB/s") are in base/units.hpp.

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace stepcast {
inline namespace base {

enum class Currency : std::uint8_t { none, usd, eur, gbp, cny, jpy, inr };

/// Exponents of the base dimensions; `currency` says whose money, and is none where `money` is 0.
struct Dim {
  int byte = 0;
  int flop = 0;
  int second = 0;
  int joule = 0;
  int money = 0;
  Currency currency = Currency::none;

  constexpr bool operator==(const Dim&) const = default;
};

/// The dimension of a product (sign = 1) or a quotient (sign = -1).
constexpr Dim combine(Dim a, Dim b, int sign) {
  if (a.money != 0 && b.money != 0 && a.currency != b.currency) {
    throw std::logic_error("two currencies in one expression");  // in a constant expression: does not compile
  }
  const int money = a.money + sign * b.money;
  const Currency currency = a.money != 0 ? a.currency : b.currency;
  return {a.byte + sign * b.byte,
          a.flop + sign * b.flop,
          a.second + sign * b.second,
          a.joule + sign * b.joule,
          money,
          money != 0 ? currency : Currency::none};
}

template <Dim D>
class Quantity {
 public:
  static constexpr Dim dim = D;

  constexpr Quantity() = default;
  explicit constexpr Quantity(double base) : base_(base) {}

  /// The value in base units (byte, FLOP, second, joule, currency unit).
  [[nodiscard]] constexpr double base() const { return base_; }

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity operator-() const { return Quantity(-base_); }
  constexpr Quantity& operator+=(Quantity other) { return base_ += other.base_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return base_ -= other.base_, *this; }
  constexpr Quantity& operator*=(double factor) { return base_ *= factor, *this; }
  constexpr Quantity& operator/=(double divisor) { return base_ /= divisor, *this; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.base_ + b.base_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.base_ - b.base_); }
  friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity(a.base_ * factor); }
  friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity(factor * a.base_); }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity(a.base_ / divisor); }

 private:
  double base_ = 0.0;
};

/// Quantity<D>, or double where D has no dimension.
template <Dim D>
using QuantityOrDouble = std::conditional_t<D == Dim{}, double, Quantity<D>>;

template <Dim A, Dim B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
  return QuantityOrDouble<combine(A, B, 1)>(a.base() * b.base());
}

template <Dim A, Dim B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
  return QuantityOrDouble<combine(A, B, -1)>(a.base() / b.base());
}

template <Dim D>
constexpr auto operator/(double numerator, Quantity<D> a) {
  return Quantity<combine(Dim{}, D, -1)>(numerator / a.base());
}

inline constexpr Dim kByteDim{.byte = 1};
inline constexpr Dim kFlopDim{.flop = 1};
inline constexpr Dim kSecondDim{.second = 1};
inline constexpr Dim kJouleDim{.joule = 1};

constexpr Dim money_dim(Currency currency) { return {.money = 1, .currency = currency}; }
constexpr Dim per(Dim a, Dim b) { return combine(a, b, -1); }

using Bytes = Quantity<kByteDim>;
using Flops = Quantity<kFlopDim>;
using Seconds = Quantity<kSecondDim>;
using Joules = Quantity<kJouleDim>;
using Frequency = Quantity<per(Dim{}, kSecondDim)>;  ///< also counts per second: operations, samples, tokens
using Bandwidth = Quantity<per(kByteDim, kSecondDim)>;
using FlopRate = Quantity<per(kFlopDim, kSecondDim)>;
using Intensity = Quantity<per(kFlopDim, kByteDim)>;
using Watts = Quantity<per(kJouleDim, kSecondDim)>;

template <Currency C>
using Money = Quantity<money_dim(C)>;
using Usd = Money<Currency::usd>;
using Eur = Money<Currency::eur>;
using Cny = Money<Currency::cny>;
using UsdPerTime = Quantity<per(Usd::dim, kSecondDim)>;
using UsdPerEnergy = Quantity<per(Usd::dim, kJouleDim)>;
using UsdPerByte = Quantity<per(Usd::dim, kByteDim)>;
using UsdPerByteTime = Quantity<per(per(Usd::dim, kByteDim), kSecondDim)>;

inline namespace literals {

#define STEPCAST_LITERAL(suffix, Type, scale)                                                          \
  constexpr Type operator""_##suffix(long double v) { return Type(static_cast<double>(v) * (scale)); } \
  constexpr Type operator""_##suffix(unsigned long long v) { return Type(static_cast<double>(v) * (scale)); }

STEPCAST_LITERAL(GB, Bytes, 1e9)
STEPCAST_LITERAL(MiB, Bytes, 1048576.0)
STEPCAST_LITERAL(GiB, Bytes, 1073741824.0)
STEPCAST_LITERAL(s, Seconds, 1.0)
STEPCAST_LITERAL(us, Seconds, 1e-6)
STEPCAST_LITERAL(GBps, Bandwidth, 1e9)
STEPCAST_LITERAL(TBps, Bandwidth, 1e12)
STEPCAST_LITERAL(Gbps, Bandwidth, 1.25e8)
STEPCAST_LITERAL(W, Watts, 1.0)
STEPCAST_LITERAL(kW, Watts, 1e3)
STEPCAST_LITERAL(kWh, Joules, 3.6e6)
STEPCAST_LITERAL(USD, Usd, 1.0)
STEPCAST_LITERAL(CNY, Cny, 1.0)

#undef STEPCAST_LITERAL

}  // namespace literals
}  // namespace base
}  // namespace stepcast
