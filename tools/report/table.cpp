#include "tools/report/table.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

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

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

template <class Cell>
std::string line(const std::vector<std::string>& cells, std::string_view separator, const Cell& cell) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += separator;
    out += cell(cells[i]);
  }
  return out;
}

}  // namespace

std::string to_plain(const Table& table) {
  std::vector<std::size_t> widths(table.columns.size(), 0);
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width(cells[i]));
  };
  widen(table.columns);
  for (const auto& row : table.rows) widen(row);
  std::string out;
  const auto put = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string gap(widths[i] - width(cells[i]), ' ');
      const bool right = i < table.right.size() && table.right[i];
      text += (i > 0 ? "  " : "") + (right ? gap + cells[i] : cells[i] + gap);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  if (std::any_of(table.columns.begin(), table.columns.end(), [](const auto& c) { return !c.empty(); })) {
    put(table.columns);
  }
  for (const auto& row : table.rows) put(row);
  return out;
}

std::string to_csv(const Table& table) {
  std::string out = line(table.columns, ",", csv_cell) + "\n";
  for (const auto& row : table.rows) out += line(row, ",", csv_cell) + "\n";
  return out;
}

std::string to_markdown(const Table& table) {
  std::string out = fmt::format("| {} |\n|", line(table.columns, " | ", markdown_cell));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out += i < table.right.size() && table.right[i] ? " ---: |" : " --- |";
  }
  out += "\n";
  for (const auto& row : table.rows) out += fmt::format("| {} |\n", line(row, " | ", markdown_cell));
  return out;
}

}  // namespace stepcast::tools
