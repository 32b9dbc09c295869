#include <algorithm>
#include <cstdio>
#include <exception>

#include <fmt/core.h>

#include "base/text.hpp"
#include "tools/cli/verb.hpp"

namespace stepcast::tools {
namespace {

const Verb& find_verb(const std::string& word) {
  const auto all = verbs();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Verb& v) { return v.name == word; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Verb& v : all) names.emplace_back(v.name);
  const std::string near = nearest(word, names);
  throw UsageError(
      fmt::format("unknown verb '{}'; {}", word,
                  near.empty() ? "`stepcast help` lists them" : fmt::format("did you mean {}?", near)));
}

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
  fmt::print(stderr, "stepcast: error: {}\n", message);
  return code;
}

int guarded(std::vector<std::string> args) {
  try {
    return dispatch(std::move(args));
  } catch (const UsageError& e) {
    return fail(kUsageError, e.what());
  } catch (const InputError& e) {
    fmt::print(stderr, "{}\n", e.what());
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
