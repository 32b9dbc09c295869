#include "base/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <variant>

#include <fmt/core.h>

#include "base/units.hpp"

namespace stepcast {
inline namespace base {
namespace {

constexpr double kTooLargeToBeExact = 9007199254740992.0;  // 2^53: from here a double skips integers

std::string_view kind_name(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::scalar: return "a single value";
    case YamlNode::Kind::sequence: return "a list";
    case YamlNode::Kind::map: return "a map";
  }
  return "nothing";
}

std::string bound_text(double value, std::optional<Dim> dim) {
  return dim ? to_short_text(AnyQuantity{value, *dim}) : fmt::format("{}", value);
}

std::string range_text(Bounds b, std::optional<Dim> dim) {
  const std::string low = bound_text(b.low, dim);
  if (std::isinf(b.high)) return fmt::format("{} {}", b.low_excluded ? "more than" : "at least", low);
  if (std::isinf(b.low)) return fmt::format("at most {}", bound_text(b.high, dim));
  if (b.low_excluded) return fmt::format("more than {} and at most {}", low, bound_text(b.high, dim));
  return fmt::format("{} to {}", low, bound_text(b.high, dim));
}

std::string child_path(const std::string& parent, std::string_view key) {
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int to_int(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::optional<Date> parse_date(std::string_view text) {
  const auto well_formed = [&] {
    return (text.size() == 4 || text.size() == 7 || text.size() == 10) && all_digits(text.substr(0, 4)) &&
           (text.size() < 7 || (text[4] == '-' && all_digits(text.substr(5, 2)))) &&
           (text.size() < 10 || (text[7] == '-' && all_digits(text.substr(8, 2))));
  };
  if (!well_formed()) return std::nullopt;
  Date date{to_int(text.substr(0, 4)), 0, 0};
  if (text.size() >= 7) date.month = to_int(text.substr(5, 2));
  if (text.size() >= 10) date.day = to_int(text.substr(8, 2));
  const bool month_ok = text.size() < 7 || (date.month >= 1 && date.month <= 12);
  constexpr std::array kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool day_ok = text.size() < 10 || (month_ok && date.day >= 1 &&
                                           date.day <= kDays[static_cast<std::size_t>(date.month - 1)]);
  if (date.year < 1900 || date.year > 2100 || !month_ok || !day_ok) return std::nullopt;
  return date;
}

}  // namespace

std::string to_text(Date date) {
  if (date.day != 0) return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
  if (date.month != 0) return fmt::format("{:04}-{:02}", date.year, date.month);
  return fmt::format("{:04}", date.year);
}

void Reader::error(std::string message, std::string hint) const {
  problems_->add({Severity::error, node_->where(), path_, std::move(message), std::move(hint)});
}

void Reader::warning(std::string message, std::string hint) const {
  problems_->add({Severity::warning, node_->where(), path_, std::move(message), std::move(hint)});
}

std::vector<Reader> Reader::list() const {
  std::vector<Reader> readers;
  if (!is_list()) {
    error(fmt::format("a list is expected, not {}", kind_name(node_->kind)), "write [a, b]");
    return readers;
  }
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    readers.emplace_back(node_->items[i], fmt::format("{}[{}]", path_, i), *problems_);
  }
  return readers;
}

void Reader::map(const std::function<void(MapReader&)>& fields) const {
  if (!is_map()) {
    error(fmt::format("a map is expected, not {}", kind_name(node_->kind)), "write {key: value}");
    return;
  }
  MapReader reader(*this);
  fields(reader);
  reader.report_unknown_keys();
}

const std::string* Reader::scalar(std::string_view wanted) const {
  if (node_->kind == YamlNode::Kind::scalar) return &node_->scalar;
  error(fmt::format("{} is expected, not {}", wanted, kind_name(node_->kind)),
        node_->kind == YamlNode::Kind::null ? "write a value or remove the key" : "write a single value");
  return nullptr;
}

std::optional<std::string> Reader::text() const {
  const std::string* value = scalar("text");
  if (value == nullptr) return std::nullopt;
  if (!value->empty()) return *value;
  error("empty text", "write something or remove the key");
  return std::nullopt;
}

std::optional<bool> Reader::boolean() const {
  const std::string* value = scalar("true or false");
  if (value == nullptr) return std::nullopt;
  if (!node_->quoted && (*value == "true" || *value == "false")) return *value == "true";
  error(fmt::format("'{}' is neither true nor false", *value), "write true or false, without quotes");
  return std::nullopt;
}

std::optional<double> Reader::checked(double value, Bounds b, std::optional<Dim> dim) const {
  const bool low_ok = b.low_excluded ? value > b.low : value >= b.low;
  if (low_ok && value <= b.high) return value;
  error(fmt::format("'{}' is out of range", node_->scalar), fmt::format("write {}", range_text(b, dim)));
  return std::nullopt;
}

std::optional<double> Reader::number(Bounds bounds) const {
  const std::string* value = scalar("a number");
  if (value == nullptr) return std::nullopt;
  if (node_->quoted) {
    error(fmt::format("\"{}\" is text, not a number", *value), "remove the quotes");
    return std::nullopt;
  }
  const auto parsed = parse_number(*value);
  if (const double* number = std::get_if<double>(&parsed)) return checked(*number, bounds, std::nullopt);
  const auto any = parse_any_quantity(*value);
  if (std::holds_alternative<AnyQuantity>(any)) {
    error(fmt::format("'{}' has a unit; a bare number is expected", *value), "remove the unit");
  } else {
    const auto& problem = std::get<UnitProblem>(parsed);
    error(problem.message, problem.hint);
  }
  return std::nullopt;
}

std::optional<std::int64_t> Reader::integer(Bounds bounds) const {
  const std::optional<double> value = number(bounds);
  if (!value) return std::nullopt;
  if (std::abs(*value) >= kTooLargeToBeExact) {
    error(fmt::format("'{}' is too large for a count", node_->scalar), "write less than 2^53");
    return std::nullopt;
  }
  if (std::floor(*value) == *value) return static_cast<std::int64_t>(*value);
  error(fmt::format("'{}' is not a whole number", node_->scalar), "write a whole number");
  return std::nullopt;
}

std::optional<double> Reader::quantity(Dim dim, Bounds bounds) const {
  const std::string* value = scalar(dim_name(dim));
  if (value == nullptr) return std::nullopt;
  if (node_->quoted) {
    error(fmt::format("\"{}\" is text, not a quantity", *value), "remove the quotes");
    return std::nullopt;
  }
  const auto parsed = parse_quantity(*value, dim);
  if (const double* base = std::get_if<double>(&parsed)) return checked(*base, bounds, dim);
  const auto& problem = std::get<UnitProblem>(parsed);
  error(problem.message, problem.hint);
  return std::nullopt;
}

std::optional<Date> Reader::date() const {
  const std::string* value = scalar("a date");
  if (value == nullptr) return std::nullopt;
  const std::optional<Date> date = parse_date(*value);
  if (!date) error(fmt::format("'{}' is not a date", *value), "write YYYY, YYYY-MM or YYYY-MM-DD");
  return date;
}

std::optional<std::size_t> Reader::choice(std::span<const std::string> names) const {
  const std::string all = join(names);
  const std::string* value = scalar("one of " + all);
  if (value == nullptr) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), *value);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string near = nearest(*value, names);
  error(fmt::format("unknown value '{}'", *value),
        near.empty() ? "write one of: " + all : fmt::format("did you mean {}? One of: {}", near, all));
  return std::nullopt;
}

Reader MapReader::child(const YamlEntry& entry) const {
  return {entry.value, child_path(map_.path(), entry.key.scalar), map_.problems()};
}

std::optional<Reader> MapReader::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  const YamlEntry* entry = map_.node().find(key);
  if (entry == nullptr) return std::nullopt;
  return child(*entry);
}

std::optional<Reader> MapReader::need(std::string_view key) {
  auto reader = find(key);
  if (!reader) map_.error(fmt::format("missing key '{}'", key), fmt::format("add `{}: ...`", key));
  return reader;
}

void MapReader::error_at(std::string_view key, std::string message, std::string hint) const {
  const YamlEntry* entry = map_.node().find(key);
  if (entry == nullptr) return map_.error(std::move(message), std::move(hint));
  child(*entry).error(std::move(message), std::move(hint));
}

void MapReader::report_unknown_keys() const {
  constexpr int kEnough = 50;  // a file with more is of another kind
  int unknown = 0;
  for (const YamlEntry& entry : map_.node().entries) {
    const std::string& key = entry.key.scalar;
    if (std::find(known_.begin(), known_.end(), key) != known_.end() || ++unknown > kEnough) continue;
    const std::string near = nearest(key, known_);
    const std::string hint =
        near.empty() ? "known keys: " + join(known_) : fmt::format("did you mean '{}'?", near);
    map_.problems().add(
        {Severity::error, entry.key.where(), map_.path(), fmt::format("unknown key '{}'", key), hint});
  }
  if (unknown > kEnough) {
    map_.error(fmt::format("{} more unknown keys", unknown - kEnough), "known keys: " + join(known_));
  }
}

}  // namespace base
}  // namespace stepcast
