#pragma once

// What is wrong with a person's input: where, in which key, what, and what would be right. Problems are
// collected, so that one run shows all of them; throw_if_errors() ends the load with one InputError.
// A broken invariant of our own is an InternalError, raised by STEPCAST_CHECK.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {
inline namespace base {

/// A place in a file. Lines and columns count from 1; 0 means the file as a whole.
struct Where {
  std::string file;
  int line = 0;
  int column = 0;

  auto operator<=>(const Where&) const = default;
};

enum class Severity { error, warning, note };

struct Diagnostic {
  Severity severity = Severity::error;
  Where where;
  std::string path;     ///< the key, as in memory.bandwidth or links[2].count; may be empty
  std::string message;  ///< what is wrong
  std::string hint;     ///< what would be right; may be empty

  bool operator==(const Diagnostic&) const = default;
};

/// file:line:column: error: path: message; hint
std::string to_text(const Diagnostic& diagnostic);

class Diagnostics {
 public:
  void add(Diagnostic diagnostic);

  [[nodiscard]] bool has_errors() const { return errors_ != 0; }
  [[nodiscard]] std::size_t error_count() const { return errors_; }

  /// All of them in file order, each once.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;

  /// Throws InputError with everything collected if there is an error among it.
  void throw_if_errors() const;

 private:
  std::vector<Diagnostic> list_;
  std::size_t errors_ = 0;
};

/// Input that cannot be used. what() is the text of all diagnostics, one a line.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A bug in Stepcast, not in the input.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(std::string_view condition, std::string_view message, const char* file,
                             int line);

#define STEPCAST_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0) : ::stepcast::fail_check(#condition, message, __FILE__, __LINE__))

}  // namespace base
}  // namespace stepcast
