// `help`, `version` and `completion`: what the table of verbs says, in the forms that people and shells want.

#include <algorithm>
#include <array>
#include <vector>

#include <boost/version.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "tools/cli/commands.hpp"

namespace stepcast::tools {
namespace {

std::string verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.emplace_back(verb.name);
  return join(names, " ");
}

std::string kind_names() {
  std::vector<std::string> names;
  for (const hardware::KindRow& row : hardware::kinds()) names.emplace_back(row.name);
  return join(names, " ");
}

std::string option_names() {
  std::vector<std::string> names;
  const auto add = [&](std::span<const Option> options) {
    for (const Option& option : options) {
      std::string name = fmt::format("--{}", option.name);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  };
  for (const Verb& verb : verbs()) add(verb.options);
  add(common_options());
  return join(names, " ");
}

// Verb, then kind, then the names that `list KIND` gives; files elsewhere. @VERBS@ and the like are filled
// in.
constexpr std::string_view kBash = R"sh(_stepcast() {
  local word=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "@OPTIONS@" -- "$word"))
  elif [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "@VERBS@" -- "$word"))
  elif [[ $COMP_CWORD -eq 2 && ${COMP_WORDS[1]} == help ]]; then
    COMPREPLY=($(compgen -W "@VERBS@" -- "$word"))
  elif [[ $COMP_CWORD -eq 2 && ( ${COMP_WORDS[1]} == list || ${COMP_WORDS[1]} == show ) ]]; then
    COMPREPLY=($(compgen -W "@KINDS@" -- "$word"))
  elif [[ $COMP_CWORD -eq 2 && ${COMP_WORDS[1]} == completion ]]; then
    COMPREPLY=($(compgen -W "bash zsh fish" -- "$word"))
  elif [[ $COMP_CWORD -eq 3 && ${COMP_WORDS[1]} == show ]]; then
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" list "${COMP_WORDS[2]}" --format csv 2>/dev/null |
      tail -n +2 | cut -d, -f1)" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _stepcast stepcast
)sh";

constexpr std::string_view kFish = R"sh(complete -c stepcast -f
complete -c stepcast -n '__fish_use_subcommand' -a '@VERBS@'
complete -c stepcast -n '__fish_seen_subcommand_from list show; and test (count (commandline -opc)) -eq 2' -a '@KINDS@'
complete -c stepcast -n '__fish_seen_subcommand_from show; and test (count (commandline -opc)) -eq 3' \
  -a '(stepcast list (commandline -opc)[3] --format csv 2>/dev/null | tail -n +2 | cut -d, -f1)'
complete -c stepcast -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
complete -c stepcast -n '__fish_seen_subcommand_from help' -a '@VERBS@'
for option in @OPTIONS@
  complete -c stepcast -l (string sub -s 3 -- $option)
end
)sh";

std::string filled(std::string text) {
  const std::array<std::pair<std::string_view, std::string>, 3> parts = {
      {{"@VERBS@", verb_names()}, {"@KINDS@", kind_names()}, {"@OPTIONS@", option_names()}}};
  for (const auto& [mark, words] : parts) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + words.size())) {
      text.replace(at, mark.size(), words);
    }
  }
  return text;
}

}  // namespace

int run_help(const Invocation& call) {
  if (call.positionals.empty()) {
    write_result(call, overview_text());
    return kDone;
  }
  const auto all = verbs();
  const auto verb =
      std::find_if(all.begin(), all.end(), [&](const Verb& v) { return v.name == call.positionals[0]; });
  if (verb == all.end())
    throw UsageError(fmt::format("unknown verb '{}'; `stepcast help` lists them", call.positionals[0]));
  write_result(call, help_text(*verb));
  return kDone;
}

int run_version(const Invocation& call) {
  const std::vector<std::pair<std::string, std::string>> facts = {
      {"stepcast", STEPCAST_VERSION},
      {"build", STEPCAST_BUILD_TYPE},
      {"compiler", STEPCAST_COMPILER},
      {"boost",
       fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"yaml-cpp", STEPCAST_YAML_CPP_VERSION},
      {"catalogue", shipped_catalog()}};
  std::string text;
  nlohmann::json json;
  for (const auto& [key, value] : facts) {
    text += fmt::format("{:<10} {}\n", key, value);
    json[key] = value;
  }
  write_result(call, call.get("format", "text") == "json" ? json.dump(2) + "\n" : text);
  return kDone;
}

int run_completion(const Invocation& call) {
  const std::string& shell = call.positionals[0];
  if (shell == "bash") {
    write_result(call, filled(std::string(kBash)));
  } else if (shell == "zsh") {  // zsh runs bash's functions
    write_result(call, filled("autoload -U +X bashcompinit && bashcompinit\n" + std::string(kBash)));
  } else if (shell == "fish") {
    write_result(call, filled(std::string(kFish)));
  } else {
    throw UsageError(fmt::format("completion: unknown shell '{}'; write bash, zsh or fish", shell));
  }
  return kDone;
}

}  // namespace stepcast::tools
