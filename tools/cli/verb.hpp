#pragma once

// The command line as data: one row for each verb. The row feeds `help`, --help, completion and the tests.

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/catalog.hpp"

namespace stepcast::tools {

enum ExitCode {
  kDone = 0,
  kInternalError = 1,
  kUsageError = 2,
  kInvalidInput = 3,
  kDoesNotFit = 4,
  kThresholdFailed = 5,
  kCannotWrite = 6,
};

struct Option {
  std::string_view name;   ///< without dashes
  std::string_view value;  ///< what stands behind it, as in DIR; empty: a flag
  std::string_view help;
};

/// One call of a verb, options checked against its row.
struct Invocation {
  std::vector<std::string> positionals;
  std::map<std::string, std::vector<std::string>, std::less<>> options;
  std::string format;  ///< one of the verb's

  [[nodiscard]] bool has(std::string_view name) const { return options.contains(name); }
  /// The last value given, or `otherwise`.
  [[nodiscard]] std::string get(std::string_view name, std::string_view otherwise) const;
};

struct Verb {
  std::string_view name;
  std::string_view group;        ///< the heading it stands under in `help`
  std::string_view summary;      ///< the question that it answers
  std::string_view positionals;  ///< "KIND NAME"
  std::size_t min_positionals;
  std::size_t max_positionals;
  std::span<const std::string_view> examples;
  std::span<const std::string_view> formats;  ///< of --format, the default first
  std::span<const Option> options;            ///< beside those that every verb has
  int (*run)(const Invocation& call);
};
std::span<const Verb> verbs();

/// --catalog, --format, --output, --help
std::span<const Option> common_options();

/// A call that the command line does not allow; ends with exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A result that could not be written; ends with exit code 6.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The row of a verb; a usage error that names the nearest one otherwise.
const Verb& find_verb(const std::string& word);

/// Checks `args` (without program and verb) against the row.
Invocation parse_arguments(const Verb& verb, const std::vector<std::string>& args);

/// One screen: examples, what it does, options.
std::string help_text(const Verb& verb);
/// All verbs by question.
std::string overview_text();

/// The catalogue of this call: --catalog, then STEPCAST_CATALOG (separated by ':'), then the shipped one.
hardware::Catalog open_catalog(const Invocation& call);
/// Where the shipped catalogue is.
std::string shipped_catalog();

/// One line to standard error; that it cannot be written is no reason to stop.
void print_error(const std::string& line);
/// All of them to standard error; past a thousand their number.
void print_diagnostics(const Diagnostics& problems);

/// The result to standard output or, whole or not at all, to --output.
void write_result(const Invocation& call, const std::string& text);

}  // namespace stepcast::tools
