#include <cmath>
#include <random>
#include <string>

#include "base/units.hpp"
#include "tests/catch.hpp"

using namespace stepcast;

namespace {

double parsed(std::string_view text, Dim dim) {
  const auto result = parse_quantity(text, dim);
  if (const auto* problem = std::get_if<UnitProblem>(&result)) FAIL(problem->message);
  return std::get<double>(result);
}

UnitProblem problem_of(std::string_view text, Dim dim) {
  const auto result = parse_quantity(text, dim);
  if (!std::holds_alternative<UnitProblem>(result)) FAIL("'" << text << "' was accepted");
  return std::get<UnitProblem>(result);
}

}  // namespace

TEST_CASE("decimal and binary prefixes, bits and bytes are never confused", "[units]") {
  CHECK(parsed("80 GB", kByteDim) == 80e9);
  CHECK(parsed("80 GiB", kByteDim) == 80.0 * 1024 * 1024 * 1024);
  CHECK(parsed("81920 MiB", kByteDim) == parsed("80 GiB", kByteDim));
  CHECK(parsed("400 Gb/s", Bandwidth::dim) == parsed("50 GB/s", Bandwidth::dim));
  CHECK(parsed("8 b", kByteDim) == 1.0);
  CHECK(parsed("110 kB", kByteDim) == 110e3);
}

TEST_CASE("every kind of quantity of the formats is read", "[units]") {
  CHECK(parsed("989.4 TFLOP/s", FlopRate::dim) == 989.4e12);
  CHECK(parsed("624 TOP/s", FlopRate::dim) == 624e12);
  CHECK_THAT(parsed("3.5 us", kSecondDim), WithinRel(3.5e-6, 1e-15));
  CHECK(parsed("1 h", kSecondDim) == 3600.0);
  CHECK(parsed("12 month", kSecondDim) == parsed("1 year", kSecondDim));
  CHECK(parsed("2.5 kWh", kJouleDim) == 9e6);
  CHECK(parsed("700 W", Watts::dim) == 700.0);
  CHECK(parsed("1410 MHz", Frequency::dim) == 1.41e9);
  CHECK(parsed("400 sample/s", Frequency::dim) == 400.0);
  CHECK_THAT(parsed("2.5 USD/h", UsdPerTime::dim), WithinRel(2.5 / 3600, 1e-15));
  CHECK_THAT(parsed("0.12 USD/kWh", UsdPerEnergy::dim), WithinRel(0.12 / 3.6e6, 1e-15));
  CHECK_THAT(parsed("0.145 USD/GB/month", UsdPerByteTime::dim), WithinRel(0.145 / 1e9 / 2629800, 1e-12));
  CHECK(parsed("-3 s", kSecondDim) == -3.0);
  CHECK(parsed("1e-3 s", kSecondDim) == 1e-3);
  CHECK(parsed("600GB/s", Bandwidth::dim) == 600e9);
}

TEST_CASE("what is no quantity is named, with what would be right", "[units]") {
  const auto says = [](std::string_view text, Dim dim, const std::string& message, const std::string& hint) {
    const UnitProblem p = problem_of(text, dim);
    CHECK_THAT(p.message, ContainsSubstring(message));
    CHECK_THAT(p.hint, ContainsSubstring(hint));
  };
  says("600", Bandwidth::dim, "missing unit", "GB/s, GiB/s, Gb/s, TB/s");
  says("600 GB", Bandwidth::dim, "is a data size, not a bandwidth", "GB/s");
  says("600 GBps", Bandwidth::dim, "unknown unit 'GBps'", "write GB/s");
  says("989 TFLOPS", FlopRate::dim, "unknown unit", "write TFLOP/s");
  says("80 gib", kByteDim, "unknown unit", "GiB");
  says("3,5 us", kSecondDim, "is not a number", "decimal point");
  says("1_000 s", kSecondDim, "is not a number", "without separators");
  says("010 s", kSecondDim, "looks octal", "write 10");
  says(".nan", kSecondDim, "not a finite number", "finite");
  says("1e999 s", kSecondDim, "beyond what a number here can hold", "");
  says("1e-999 s", kSecondDim, "beyond what a number here can hold", "write 0");
  says("900 gb/s", Bandwidth::dim, "unknown unit", "write GB/s or Gb/s");
  says("900 GB / s", Bandwidth::dim, "unknown unit", "write GB/s");
  says("fast", Bandwidth::dim, "not a number", "one of: GB/s");
  says("", kSecondDim, "empty", "");
  says("0x10 s", kSecondDim, "unknown unit 'x10 s'", "");
  says("5 CNY", Usd::dim, "is in CNY, not in USD", "dated rate");
  says("5 USD/CNY", Usd::dim, "unknown unit", "");
  says("5 GB/", kByteDim, "unknown unit", "");
  says("GB", kByteDim, "not a number", "");
}

TEST_CASE("numbers are plain decimals", "[units]") {
  CHECK(std::get<double>(parse_number("2e12")) == 2e12);
  CHECK(std::get<double>(parse_number("-0.5")) == -0.5);
  CHECK(std::get<double>(parse_number("0")) == 0.0);
  for (const char* text :
       {"", "+1", "1.", ".5", "1e", "0x1", "nan", "inf", "1 2", "00", "1.5.2", "1e400", "--1"}) {
    CAPTURE(text);
    CHECK(std::holds_alternative<UnitProblem>(parse_number(text)));
  }
}

TEST_CASE("text and value round-trip bit for bit", "[units][property]") {
  const Dim dims[] = {kByteDim,        kFlopDim,
                      kSecondDim,      kJouleDim,
                      Bandwidth::dim,  FlopRate::dim,
                      Watts::dim,      Frequency::dim,
                      Intensity::dim,  Usd::dim,
                      UsdPerTime::dim, UsdPerEnergy::dim,
                      UsdPerByte::dim, UsdPerByteTime::dim,
                      Eur::dim,        Dim{.byte = 1, .second = 1 - 2, .joule = -1}};
  std::mt19937_64 random(20261130);
  std::uniform_real_distribution<double> exponent(-15, 20);
  for (int i = 0; i < 4000; ++i) {
    const Dim dim = dims[static_cast<std::size_t>(i) % std::size(dims)];
    const double value = std::pow(10.0, exponent(random)) * (i % 7 == 0 ? -1 : 1);
    const std::string text = to_text(AnyQuantity{value, dim});
    CAPTURE(value, text);
    CHECK(parsed(text, dim) == value);
  }
  CHECK(to_text(Bandwidth(0.0)) == "0 B/s");
}

TEST_CASE("text uses the unit that reads best", "[units]") {
  CHECK(to_text(600.0_GBps) == "600 GB/s");
  CHECK(to_text(81920.0_MiB) == "80 GiB");
  CHECK(to_text(80.0_GB) == "80 GB");
  CHECK(to_text(3.5_us) == "3.5 us");
  CHECK(to_text(1.0_TBps) == "1 TB/s");
  CHECK(to_short_text(Seconds(0.123456)) == "123.5 ms");
  CHECK(to_short_text(Usd(149000.0)) == "149000 USD");
  CHECK(to_short_text(UsdPerEnergy(0.12 / 3.6e6)) == "0.12 USD/kWh");
}
