#pragma once

// Reads a located YAML tree into plain structs. Each problem is added to the Diagnostics with its place, and
// reading goes on with a default value, so that one load shows everything that is wrong; nobody uses the
// result before throw_if_errors(). A struct is read by an overload found by argument-dependent lookup:
//
//   void read(const Reader& r, GpuMemory& memory) {
//     r.map([&](MapReader& m) {
//       m.required("bandwidth", memory.bandwidth, kPositive);
//       m.optional("l2", memory.l2);
//     });                                  // unknown keys are reported here
//   }

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/yaml.hpp"

namespace stepcast {
inline namespace base {

/// What a number may be, in base units.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;
};
inline constexpr Bounds kNonNegative{.low = 0.0};
inline constexpr Bounds kPositive{.low = 0.0, .low_excluded = true};
inline constexpr Bounds kFraction{.low = 0.0, .high = 1.0, .low_excluded = true};
inline constexpr Bounds kAtLeastOne{.low = 1.0};

/// A year, a month or a day.
struct Date {
  int year = 0;
  int month = 0;  ///< 0: not stated
  int day = 0;    ///< 0: not stated

  auto operator<=>(const Date&) const = default;
};
std::string to_text(Date date);

/// low <= typical <= high; a single value is all three. Where nobody says what is typical, nothing stands in.
template <class T>
struct Range {
  T low{};
  std::optional<T> typical;
  T high{};
};

template <class E>
struct EnumName {
  std::string_view name;
  E value;
};

class MapReader;

/// A node, the key path that leads to it, and where its problems go.
class Reader {
 public:
  Reader(const YamlNode& node, std::string path, Diagnostics& problems)
      : node_(&node), path_(std::move(path)), problems_(&problems) {}

  [[nodiscard]] const YamlNode& node() const { return *node_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Diagnostics& problems() const { return *problems_; }
  [[nodiscard]] bool is_map() const { return node_->kind == YamlNode::Kind::map; }
  [[nodiscard]] bool is_list() const { return node_->kind == YamlNode::Kind::sequence; }

  void error(std::string message, std::string hint) const;
  void warning(std::string message, std::string hint) const;

  /// The elements of a list; a problem and nothing where it is not one.
  [[nodiscard]] std::vector<Reader> list() const;

  /// Calls `fields` with the map and then reports the keys that it did not ask for.
  void map(const std::function<void(MapReader&)>& fields) const;

  // One value; nothing where there is a problem with it.
  [[nodiscard]] std::optional<std::string> text() const;
  [[nodiscard]] std::optional<bool> boolean() const;
  [[nodiscard]] std::optional<std::int64_t> integer(Bounds bounds) const;
  [[nodiscard]] std::optional<double> number(Bounds bounds) const;
  [[nodiscard]] std::optional<double> quantity(Dim dim, Bounds bounds) const;
  [[nodiscard]] std::optional<Date> date() const;
  [[nodiscard]] std::optional<std::size_t> choice(std::span<const std::string> names) const;

 private:
  /// The scalar, or nullptr after reporting that `wanted` is expected.
  [[nodiscard]] const std::string* scalar(std::string_view wanted) const;
  [[nodiscard]] std::optional<double> checked(double value, Bounds bounds, std::optional<Dim> dim) const;

  const YamlNode* node_;
  std::string path_;
  Diagnostics* problems_;
};

// read(r, out) leaves `out` as it was where there is a problem.

inline void read(const Reader& r, std::string& out) { out = r.text().value_or(out); }
inline void read(const Reader& r, bool& out) { out = r.boolean().value_or(out); }
inline void read(const Reader& r, std::int64_t& out, Bounds b = kNonNegative) {
  out = r.integer(b).value_or(out);
}
inline void read(const Reader& r, double& out, Bounds b = kNonNegative) { out = r.number(b).value_or(out); }
inline void read(const Reader& r, Date& out) { out = r.date().value_or(out); }

/// A count that fits an int.
inline void read(const Reader& r, int& out, Bounds b = kNonNegative) {
  b.high = std::min(b.high, 2147483647.0);
  out = static_cast<int>(r.integer(b).value_or(out));
}

template <Dim D>
void read(const Reader& r, Quantity<D>& out, Bounds b = kNonNegative) {
  out = Quantity<D>(r.quantity(D, b).value_or(out.base()));
}

/// An enumeration with a table: `std::span<const EnumName<E>> enum_names(E)`, found by argument-dependent
/// lookup.
template <class E>
requires std::is_enum_v<E>
void read(const Reader& r, E& out) {
  if (const auto index = r.choice(names_of(enum_names(E{})))) out = enum_names(E{})[*index].value;
}

template <class E>
requires std::is_enum_v<E> std::string_view enum_name(E value) {
  const std::span<const EnumName<E>> rows = enum_names(E{});
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const EnumName<E>& r) { return r.value == value; });
  STEPCAST_CHECK(row != rows.end(), "every enumerator has a row");
  return row->name;
}

template <class T, class... Args>
void read(const Reader& r, std::optional<T>& out, const Args&... args) {
  read(r, out.emplace(), args...);
}

template <class T, class... Args>
void read(const Reader& r, std::vector<T>& out, const Args&... args) {
  for (const Reader& item : r.list()) read(item, out.emplace_back(), args...);
}

/// The keys of one map. Use it inside Reader::map().
class MapReader {
 public:
  explicit MapReader(const Reader& map) : map_(map) {}

  [[nodiscard]] const Reader& self() const { return map_; }
  [[nodiscard]] bool has(std::string_view key) const { return map_.node().find(key) != nullptr; }

  /// The value under `key`, which counts as known from now on.
  std::optional<Reader> find(std::string_view key);
  /// As find; a missing key is an error.
  std::optional<Reader> need(std::string_view key);

  template <class T, class... Args>
  void required(std::string_view key, T& out, const Args&... args) {
    if (const auto r = need(key)) read(*r, out, args...);
  }

  /// Leaves `out` as it is where the key is absent.
  template <class T, class... Args>
  void optional(std::string_view key, T& out, const Args&... args) {
    if (const auto r = find(key)) read(*r, out, args...);
  }

  /// Allows a key without reading it.
  void allow(std::string_view key) { static_cast<void>(find(key)); }

  /// An error at a key of this map.
  void error_at(std::string_view key, std::string message, std::string hint) const;

  void report_unknown_keys() const;

 private:
  [[nodiscard]] Reader child(const YamlEntry& entry) const;

  const Reader& map_;
  std::vector<std::string> known_;
};

template <class T, class... Args>
void read(const Reader& r, Range<T>& out, const Args&... args) {
  if (!r.is_map()) {
    read(r, out.low, args...);
    out.typical = out.high = out.low;
    return;
  }
  const std::size_t errors_before = r.problems().error_count();
  r.map([&](MapReader& m) {
    m.required("low", out.low, args...);
    m.optional("typical", out.typical, args...);
    m.required("high", out.high, args...);
  });
  if (r.problems().error_count() > errors_before) return;
  const T typical = out.typical.value_or(out.low);
  if (out.low > out.high || typical < out.low || typical > out.high) {
    r.error("the values of this range are out of order", "write low <= typical <= high");
  }
}

}  // namespace base
}  // namespace stepcast
