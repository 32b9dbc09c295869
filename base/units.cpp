#include "base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"

namespace stepcast {
inline namespace base {
namespace {

struct Atom {
  std::string_view symbol;
  Dim dim;
  double scale;
};

constexpr double kKi = 1024.0;
constexpr double kHour = 3600.0;
constexpr double kDay = 24 * kHour;
constexpr double kYear = 365.25 * kDay;
constexpr Dim kPerSecond = Frequency::dim;
constexpr Dim kWattDim = Watts::dim;

// Binary prefixes only for bytes; a bit is an eighth of a byte. A month is a twelfth of a year of 365.25
// days.
constexpr std::array kAtoms = {
    Atom{"B", kByteDim, 1},
    Atom{"kB", kByteDim, 1e3},
    Atom{"MB", kByteDim, 1e6},
    Atom{"GB", kByteDim, 1e9},
    Atom{"TB", kByteDim, 1e12},
    Atom{"PB", kByteDim, 1e15},
    Atom{"KiB", kByteDim, kKi},
    Atom{"MiB", kByteDim, kKi* kKi},
    Atom{"GiB", kByteDim, kKi* kKi* kKi},
    Atom{"TiB", kByteDim, kKi* kKi* kKi* kKi},
    Atom{"PiB", kByteDim, kKi* kKi* kKi* kKi* kKi},
    Atom{"b", kByteDim, 0.125},
    Atom{"kb", kByteDim, 125},
    Atom{"Mb", kByteDim, 1.25e5},
    Atom{"Gb", kByteDim, 1.25e8},
    Atom{"Tb", kByteDim, 1.25e11},
    Atom{"FLOP", kFlopDim, 1},
    Atom{"kFLOP", kFlopDim, 1e3},
    Atom{"MFLOP", kFlopDim, 1e6},
    Atom{"GFLOP", kFlopDim, 1e9},
    Atom{"TFLOP", kFlopDim, 1e12},
    Atom{"PFLOP", kFlopDim, 1e15},
    Atom{"EFLOP", kFlopDim, 1e18},
    Atom{"GOP", kFlopDim, 1e9},
    Atom{"TOP", kFlopDim, 1e12},
    Atom{"POP", kFlopDim, 1e15},
    Atom{"ps", kSecondDim, 1e-12},
    Atom{"ns", kSecondDim, 1e-9},
    Atom{"us", kSecondDim, 1e-6},
    Atom{"ms", kSecondDim, 1e-3},
    Atom{"s", kSecondDim, 1},
    Atom{"min", kSecondDim, 60},
    Atom{"h", kSecondDim, kHour},
    Atom{"day", kSecondDim, kDay},
    Atom{"week", kSecondDim, 7 * kDay},
    Atom{"month", kSecondDim, kYear / 12},
    Atom{"year", kSecondDim, kYear},
    Atom{"J", kJouleDim, 1},
    Atom{"kJ", kJouleDim, 1e3},
    Atom{"MJ", kJouleDim, 1e6},
    Atom{"GJ", kJouleDim, 1e9},
    Atom{"Wh", kJouleDim, kHour},
    Atom{"kWh", kJouleDim, 1e3 * kHour},
    Atom{"MWh", kJouleDim, 1e6 * kHour},
    Atom{"GWh", kJouleDim, 1e9 * kHour},
    Atom{"W", kWattDim, 1},
    Atom{"kW", kWattDim, 1e3},
    Atom{"MW", kWattDim, 1e6},
    Atom{"GW", kWattDim, 1e9},
    Atom{"Hz", kPerSecond, 1},
    Atom{"kHz", kPerSecond, 1e3},
    Atom{"MHz", kPerSecond, 1e6},
    Atom{"GHz", kPerSecond, 1e9},
    Atom{"sample", Dim{}, 1},
    Atom{"token", Dim{}, 1},
    Atom{"op", Dim{}, 1},
    Atom{"USD", money_dim(Currency::usd), 1},
    Atom{"EUR", money_dim(Currency::eur), 1},
    Atom{"GBP", money_dim(Currency::gbp), 1},
    Atom{"CNY", money_dim(Currency::cny), 1},
    Atom{"JPY", money_dim(Currency::jpy), 1},
    Atom{"INR", money_dim(Currency::inr), 1},
};

// Spellings that people use; each has one form here.
struct Spelling {
  std::string_view wrong;
  std::string_view right;
};
constexpr std::array kSpellings = {
    Spelling{"GBps", "GB/s"},
    Spelling{"TBps", "TB/s"},
    Spelling{"MBps", "MB/s"},
    Spelling{"Gbps", "Gb/s"},
    Spelling{"Mbps", "Mb/s"},
    Spelling{"Tbps", "Tb/s"},
    Spelling{"Gbit/s", "Gb/s"},
    Spelling{"Gbit", "Gb"},
    Spelling{"GT/s", "GB/s (GT/s counts transfers, not bytes)"},
    Spelling{"TFLOPS", "TFLOP/s"},
    Spelling{"TFLOPs", "TFLOP/s"},
    Spelling{"TFLOPS/s", "TFLOP/s"},
    Spelling{"TFlops", "TFLOP/s"},
    Spelling{"GFLOPS", "GFLOP/s"},
    Spelling{"PFLOPS", "PFLOP/s"},
    Spelling{"TOPS", "TOP/s"},
    Spelling{"\xc2\xb5s", "us"},
    Spelling{"\xce\xbcs", "us"},
    Spelling{"sec", "s"},
    Spelling{"second", "s"},
    Spelling{"seconds", "s"},
    Spelling{"hour", "h"},
    Spelling{"hours", "h"},
    Spelling{"hr", "h"},
    Spelling{"d", "day"},
    Spelling{"days", "day"},
    Spelling{"months", "month"},
    Spelling{"years", "year"},
    Spelling{"K", "kB or KiB"},
    Spelling{"M", "MB or MiB"},
    Spelling{"G", "GB or GiB"},
    Spelling{"T", "TB or TiB"},
    Spelling{"KB", "kB (1000 bytes) or KiB (1024 bytes)"},
    Spelling{"gb", "GB (bytes) or Gb (bits)"},
    Spelling{"mb", "MB (bytes) or Mb (bits)"},
    Spelling{"gbps", "GB/s (bytes) or Gb/s (bits)"},
    Spelling{"samples/s", "sample/s"},
    Spelling{"tokens/s", "token/s"},
    Spelling{"ops/s", "op/s"},
    Spelling{"IOPS", "op/s"},
    Spelling{"$", "USD"},
    Spelling{"$/h", "USD/h"},
    Spelling{"RMB", "CNY"},
    Spelling{"watt", "W"},
    Spelling{"watts", "W"},
};

/// The dimensions that people write, with the units to offer (readable ones, smallest first).
struct DimRow {
  Dim dim;
  std::string_view name;
  std::string_view suggestions;
  std::string_view ladder;  ///< units for printing, space separated, ascending
};
constexpr std::array kDims = {
    DimRow{kByteDim, "a data size", "GB, GiB, MB, MiB, TB", "B kB MB GB TB PB"},
    DimRow{kFlopDim, "an amount of work", "GFLOP, TFLOP, PFLOP", "FLOP kFLOP MFLOP GFLOP TFLOP PFLOP EFLOP"},
    DimRow{kSecondDim, "a time", "us, ms, s, min, h, day", "ps ns us ms s h day"},
    DimRow{kJouleDim, "an energy", "kWh, MWh, J, kJ", "J kJ kWh MWh GWh"},
    DimRow{Bandwidth::dim, "a bandwidth", "GB/s, GiB/s, Gb/s, TB/s", "B/s kB/s MB/s GB/s TB/s PB/s"},
    DimRow{FlopRate::dim, "a compute rate", "TFLOP/s, GFLOP/s, PFLOP/s, TOP/s",
           "FLOP/s GFLOP/s TFLOP/s PFLOP/s EFLOP/s"},
    DimRow{Frequency::dim, "a frequency or rate of events", "MHz, GHz, sample/s, token/s, op/s",
           "Hz kHz MHz GHz"},
    DimRow{Watts::dim, "a power", "W, kW, MW", "W kW MW GW"},
    DimRow{Intensity::dim, "an arithmetic intensity", "FLOP/B", "FLOP/B"},
    DimRow{Usd::dim, "a price in USD", "USD", "USD"},
    DimRow{UsdPerTime::dim, "a price in USD per time", "USD/h, USD/month, USD/year", "USD/h"},
    DimRow{UsdPerEnergy::dim, "a price in USD per energy", "USD/kWh, USD/MWh", "USD/kWh"},
    DimRow{UsdPerByte::dim, "a price in USD per data", "USD/GB, USD/TB", "USD/GB"},
    DimRow{UsdPerByteTime::dim, "a price in USD per data and time", "USD/GB/month, USD/TB/month",
           "USD/GB/month"},
};

const DimRow* find_dim(Dim dim) {
  const auto* row = std::find_if(kDims.begin(), kDims.end(), [&](const DimRow& r) { return r.dim == dim; });
  return row == kDims.end() ? nullptr : row;
}

const Atom* find_atom(std::string_view symbol) {
  const auto* atom =
      std::find_if(kAtoms.begin(), kAtoms.end(), [&](const Atom& a) { return a.symbol == symbol; });
  return atom == kAtoms.end() ? nullptr : atom;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of the decimal number that `text` begins with (0 if none): -? digits [. digits] [e [+-] digits].
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > start;
  };
  if (i < text.size() && text[i] == '-') ++i;
  if (!digits()) return 0;
  if (i + 1 < text.size() && text[i] == '.' && is_digit(text[i + 1])) {
    ++i;
    digits();
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const std::size_t before = i;
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) i = before;  // "3 eV": no exponent
  }
  return i;
}

/// The scale and dimension of "USD/GB/month": the first atom over all that follow.
std::optional<AnyQuantity> parse_unit(std::string_view unit) {
  AnyQuantity result{1.0, Dim{}};
  for (int sign = 1;; sign = -1) {
    const std::size_t slash = unit.find('/');
    const Atom* atom = find_atom(unit.substr(0, slash));
    if (atom == nullptr) return std::nullopt;
    if (result.dim.money != 0 && atom->dim.money != 0 && result.dim.currency != atom->dim.currency) {
      return std::nullopt;
    }
    result.dim = combine(result.dim, atom->dim, sign);
    result.base = sign > 0 ? result.base * atom->scale : result.base / atom->scale;
    if (slash == std::string_view::npos) return result;
    unit.remove_prefix(slash + 1);
  }
}

/// What a person may have meant by a unit that is none; empty where only the expected dimension can tell.
std::string unit_hint(std::string_view unit) {
  for (const Spelling& s : kSpellings) {
    if (s.wrong == unit) return fmt::format("write {}", s.right);
  }
  std::string joined(unit);
  std::erase(joined, ' ');
  return joined != unit && parse_unit(joined) ? fmt::format("write {}", joined) : std::string();
}

UnitProblem number_problem(std::string_view text) {
  const std::string quoted = fmt::format("'{}'", text);
  if (text.empty()) return UnitProblem{"empty", "write a number"};
  const std::string lower = to_lower(text);
  if (lower == ".nan" || lower == "nan" || lower == ".inf" || lower == "-.inf" || lower == "inf" ||
      lower == "-inf" || lower == "+.inf") {
    return UnitProblem{quoted + " is not a finite number", "write a finite decimal number"};
  }
  if (text.find(',') != std::string_view::npos || text.find('_') != std::string_view::npos) {
    return UnitProblem{quoted + " is not a number", "write digits without separators, with a decimal point"};
  }
  if (lower.starts_with("0x") || lower.starts_with("0o") || lower.starts_with("0b")) {
    return UnitProblem{quoted + " is not a decimal number", "write it in decimal"};
  }
  return UnitProblem{quoted + " is not a number", {}};
}

/// The problem with a hint where it has none.
UnitProblem with_hint(UnitProblem problem, std::string hint) {
  if (problem.hint.empty()) problem.hint = std::move(hint);
  return problem;
}

/// "nearest unit: GiB", or the two that differ from `unit` only in case ("GB/s or Gb/s"); empty where none is
/// near.
std::string nearest_unit(std::string_view unit, Dim expected) {
  const DimRow* row = find_dim(expected);
  if (row == nullptr) return {};
  std::vector<std::string> units;
  std::string all = fmt::format("{} {} ", row->suggestions, row->ladder);
  std::erase(all, ',');
  for (std::size_t end = 0; (end = all.find(' ')) != std::string::npos; all.erase(0, end + 1)) {
    std::string one = all.substr(0, end);
    if (std::find(units.begin(), units.end(), one) == units.end()) units.push_back(std::move(one));
  }
  std::vector<std::string> same;
  std::copy_if(units.begin(), units.end(), std::back_inserter(same),
               [&](const std::string& u) { return to_lower(u) == to_lower(unit); });
  if (!same.empty()) return "write " + join(same, " or ");
  const std::string near = nearest(unit, units);
  return near.empty() ? std::string() : "nearest unit: " + near;
}

/// The scale of one of our own unit texts.
double scale_of(std::string_view unit) {
  const auto parsed = parse_unit(unit);
  return parsed ? parsed->base : 1.0;  // only the made-up units of base_unit() do not parse, such as B*B
}

/// The unit of the ladder in which the value is at least 1 and smallest so; the first where all are too
/// large.
std::string_view readable_unit(double base, std::string_view ladder) {
  std::string_view best = ladder.substr(0, ladder.find(' '));
  for (std::string_view rest = ladder; !rest.empty();) {
    const std::string_view unit = rest.substr(0, rest.find(' '));
    if (std::abs(base) >= scale_of(unit)) best = unit;
    rest.remove_prefix(std::min(rest.size(), unit.size() + 1));
  }
  return best;
}

/// The unit of scale 1 of any dimension: "USD/B/s".
std::string base_unit(Dim dim) {
  std::string over;
  std::string under;
  const auto put = [&](int exponent, std::string_view symbol) {
    for (int i = 0; i < exponent; ++i) over += (over.empty() ? "" : "*") + std::string(symbol);
    for (int i = 0; i < -exponent; ++i) under += "/" + std::string(symbol);
  };
  for (const Atom& a : kAtoms) {
    if (dim.money != 0 && a.dim == money_dim(dim.currency)) put(dim.money, a.symbol);
  }
  put(dim.byte, "B");
  put(dim.flop, "FLOP");
  put(dim.joule, "J");
  put(dim.second, "s");
  return (over.empty() ? "op" : over) + under;
}

/// The unit to print a value in.
std::string unit_for(AnyQuantity quantity) {
  const auto [base, dim] = quantity;
  if (dim == kByteDim && base >= kKi && std::fmod(base, 1e6) != 0.0 && std::fmod(base, kKi) == 0.0) {
    return std::string(readable_unit(base, "KiB MiB GiB TiB"));  // a power-of-two size reads better so
  }
  const DimRow* row = find_dim(dim);
  return row != nullptr ? std::string(readable_unit(base, row->ladder)) : base_unit(dim);
}

}  // namespace

std::variant<double, UnitProblem> parse_number(std::string_view text) {
  if (number_length(text) != text.size() || text.empty()) {
    return with_hint(number_problem(text), "write a decimal number such as 3 or 0.5");
  }
  const std::string_view digits = text.front() == '-' ? text.substr(1) : text;
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) {
    std::size_t zeros = 0;
    while (zeros + 1 < digits.size() && digits[zeros] == '0' && is_digit(digits[zeros + 1])) ++zeros;
    return UnitProblem{fmt::format("'{}' looks octal", text),
                       fmt::format("write {}{}", text.front() == '-' ? "-" : "", digits.substr(zeros))};
  }
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return UnitProblem{fmt::format("'{}' is beyond what a number here can hold", text),
                       "write 0, or a size between 1e-300 and 1e300"};
  }
  return value;
}

std::variant<AnyQuantity, UnitProblem> parse_any_quantity(std::string_view text) {
  text = trim(text);
  const std::size_t length = number_length(text);
  if (length == 0) return number_problem(text);
  const auto number = parse_number(text.substr(0, length));
  if (const auto* problem = std::get_if<UnitProblem>(&number)) return *problem;
  const std::string_view unit = trim(text.substr(length));
  if (unit.empty()) return UnitProblem{fmt::format("'{}': missing unit", text), {}};
  if (unit.front() == '.' || unit.front() == ',' || unit.front() == '_' || is_digit(unit.front())) {
    return number_problem(text);
  }
  const auto scale = parse_unit(unit);
  if (!scale) return UnitProblem{fmt::format("unknown unit '{}'", unit), unit_hint(unit)};
  const double base = std::get<double>(number) * scale->base;
  if (!std::isfinite(base)) return UnitProblem{fmt::format("'{}' is out of range", text), "write less"};
  return AnyQuantity{base, scale->dim};
}

NumberAndUnit split_quantity(std::string_view text) {
  if (!std::holds_alternative<AnyQuantity>(parse_any_quantity(text))) return {text, {}};
  text = trim(text);
  const std::size_t length = number_length(text);
  return {text.substr(0, length), trim(text.substr(length))};
}

std::variant<double, UnitProblem> parse_quantity(std::string_view text, Dim expected) {
  const auto parsed = parse_any_quantity(text);
  if (const auto* problem = std::get_if<UnitProblem>(&parsed)) {
    text = trim(text);
    const std::size_t length = number_length(text);
    const std::string near = length == 0 ? std::string() : nearest_unit(trim(text.substr(length)), expected);
    return with_hint(*problem,
                     near.empty() ? "write a number and one of: " + suggested_units(expected) : near);
  }
  const auto [base, dim] = std::get<AnyQuantity>(parsed);
  if (dim == expected) return base;
  if (dim.money != 0 && expected.money != 0 && dim.currency != expected.currency) {
    return UnitProblem{fmt::format("'{}' is in {}, not in {}", trim(text), base_unit(money_dim(dim.currency)),
                                   base_unit(money_dim(expected.currency))),
                       "convert it at a dated rate; one file keeps one currency"};
  }
  return UnitProblem{fmt::format("'{}' is {}, not {}", trim(text), dim_name(dim), dim_name(expected)),
                     "write one of: " + suggested_units(expected)};
}

std::string to_text(AnyQuantity quantity) {
  const std::string unit = unit_for(quantity);
  for (int digits = 6; digits <= 17; ++digits) {
    std::string text = fmt::format("{:.{}g} {}", quantity.base / scale_of(unit), digits, unit);
    const auto back = parse_any_quantity(text);
    const auto* value = std::get_if<AnyQuantity>(&back);
    if (value != nullptr && value->base == quantity.base) return text;
  }
  return fmt::format("{} {}", quantity.base, base_unit(quantity.dim));  // shortest digits, exact at scale 1
}

std::string to_short_text(AnyQuantity quantity) {
  const std::string unit = unit_for(quantity);
  const double value = quantity.base / scale_of(unit);
  return std::abs(value) >= 1000.0 ? fmt::format("{:.0f} {}", value, unit)
                                   : fmt::format("{:.4g} {}", value, unit);
}

std::string dim_name(Dim dim) {
  if (const DimRow* row = find_dim(dim)) return std::string(row->name);
  if (dim == Dim{}) return "a count";
  return "a quantity in " + base_unit(dim);
}

std::string suggested_units(Dim dim) {
  if (const DimRow* row = find_dim(dim)) return std::string(row->suggestions);
  return base_unit(dim);
}

}  // namespace base
}  // namespace stepcast
