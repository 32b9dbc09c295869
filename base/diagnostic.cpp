#include "base/diagnostic.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"

namespace stepcast {
inline namespace base {
namespace {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

std::string all_text(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += (text.empty() ? "" : "\n") + to_text(d);
  return text;
}

}  // namespace

std::string to_text(const Diagnostic& d) {
  std::string text = d.where.file;
  if (d.where.line > 0) text += fmt::format(":{}:{}", d.where.line, d.where.column);
  if (!text.empty()) text += ": ";
  text += fmt::format("{}: ", severity_name(d.severity));
  if (!d.path.empty()) text += d.path + ": ";
  text += d.message;
  if (!d.hint.empty()) text += "; " + d.hint;
  return printable(text);
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++errors_;
  list_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> list = list_;
  std::stable_sort(list.begin(), list.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.where < b.where; });
  std::vector<Diagnostic> unique;
  for (Diagnostic& d : list) {
    bool seen = false;
    for (auto it = unique.rbegin(); it != unique.rend() && it->where == d.where && !seen; ++it)
      seen = *it == d;
    if (!seen) unique.push_back(std::move(d));
  }
  return unique;
}

void Diagnostics::throw_if_errors() const {
  if (has_errors()) throw InputError(sorted());
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(all_text(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void fail_check(std::string_view condition, std::string_view message, const char* file, int line) {
  throw InternalError(fmt::format("{}:{}: {} ({})", file, line, message, condition));
}

}  // namespace base
}  // namespace stepcast
