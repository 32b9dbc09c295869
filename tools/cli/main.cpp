#include <algorithm>
#include <exception>

#include <fmt/core.h>

#include "base/diagnostic.hpp"
#include "tools/cli/verb.hpp"

namespace stepcast::tools {
namespace {

int dispatch(std::vector<std::string> args) {
  if (args.empty() || args[0] == "--help" || args[0] == "-h") args = {"help"};
  if (args[0] == "--version") args[0] = "version";
  const Verb& verb = find_verb(args[0]);
  args.erase(args.begin());
  const Invocation call = parse_arguments(verb, args);
  if (call.has("help")) {
    write_result(Invocation{}, help_text(verb));
    return kDone;
  }
  return verb.run(call);
}

int fail(int code, std::string_view message) {
  print_error(fmt::format("stepcast: error: {}", message));
  return code;
}

int guarded(std::vector<std::string> args) {
  try {
    return dispatch(std::move(args));
  } catch (const UsageError& e) {
    return fail(kUsageError, e.what());
  } catch (const InputError& e) {
    Diagnostics problems;
    for (const Diagnostic& d : e.diagnostics()) problems.add(d);
    print_diagnostics(problems);
    return kInvalidInput;
  } catch (const WriteError& e) {
    return fail(kCannotWrite, e.what());
  } catch (const std::exception& e) {
    return fail(kInternalError, fmt::format("internal: {}", e.what()));
  }
}

}  // namespace
}  // namespace stepcast::tools

int main(int argc, char** argv) {
  return stepcast::tools::guarded(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}
