#include "tools/report/table.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace stepcast::tools {
namespace {

/// Cells as wide as their characters, not their bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

template <class Row, class ToText>
std::string csv_line(const Row& row, const ToText& text) {
  std::string line;
  for (const auto& cell : row) line += csv_cell(text(cell)) + ",";
  if (!line.empty()) line.back() = '\n';
  return line;
}

}  // namespace

std::string number_text(double value) { return fmt::format("{}", value); }

std::string to_plain(const Table& table) {
  std::vector<std::vector<std::string>> lines(1);
  std::vector<bool> numeric;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    lines[0].push_back(table.columns[i].heading);
    numeric.push_back(!table.rows.empty() &&
                      std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
                        return row[i].number.has_value() || row[i].text.empty();
                      }));
  }
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back(printable(cell.text));
  }
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  const bool headed =
      std::any_of(lines[0].begin(), lines[0].end(), [](const std::string& h) { return !h.empty(); });
  std::string out;
  for (std::size_t n = headed ? 0 : 1; n < lines.size(); ++n) {
    std::string text;
    for (std::size_t i = 0; i < lines[n].size(); ++i) {
      const std::string gap(widths[i] - width(lines[n][i]), ' ');
      text += (i > 0 ? "  " : "") + (numeric[i] ? gap + lines[n][i] : lines[n][i] + gap);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::string to_csv(const Table& table) {
  std::string out = csv_line(table.columns, [](const Column& c) { return c.key; });
  for (const auto& row : table.rows) {
    out += csv_line(row, [](const Cell& c) { return c.number ? number_text(*c.number) : c.text; });
  }
  return out;
}

std::string to_json(const Table& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& row : table.rows) {
    nlohmann::json object;
    for (std::size_t i = 0; i < row.size(); ++i) {
      nlohmann::json& value = object[table.columns[i].key];
      if (row[i].number) {
        value = *row[i].number;
      } else if (!row[i].text.empty()) {
        value = row[i].text;
      }
    }
    rows.push_back(std::move(object));
  }
  const nlohmann::json all = {{"schema_version", 1}, {"rows", rows}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stepcast::tools
