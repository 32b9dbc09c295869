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

std::string format_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) {
    for (const std::string_view format : verb.formats) {
      if (std::find(names.begin(), names.end(), format) == names.end()) names.emplace_back(format);
    }
  }
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
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} words= name
  COMPREPLY=()
  if [[ $before == --format ]]; then
    words="@FORMATS@"
  elif [[ $before == --catalog || $before == --output || $word == ./* || $word == /* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
  elif [[ $word == -* ]]; then
    words="@OPTIONS@"
  elif [[ $COMP_CWORD -eq 1 || ( $COMP_CWORD -eq 2 && $verb == help ) ]]; then
    words="@VERBS@"
  elif [[ $COMP_CWORD -eq 2 && ( $verb == list || $verb == show ) ]]; then
    words="@KINDS@"
  elif [[ $COMP_CWORD -eq 2 && $verb == completion ]]; then
    words="bash zsh fish"
  elif [[ $COMP_CWORD -eq 3 && $verb == show ]]; then
    while IFS= read -r name; do
      [[ $name == "${word,,}"* ]] && COMPREPLY+=("$name")
    done < <("${COMP_WORDS[0]}" list "${COMP_WORDS[2]}" --format csv 2>/dev/null | tail -n +2 | cut -d, -f1)
    return
  fi
  for name in $words; do
    if [[ $name == "$word"* ]]; then COMPREPLY+=("$name"); fi
  done
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
  const std::array<std::pair<std::string_view, std::string>, 4> parts = {
      {{"@VERBS@", join(names_of(verbs()), " ")},
       {"@KINDS@", join(names_of(hardware::kinds()), " ")},
       {"@OPTIONS@", option_names()},
       {"@FORMATS@", format_names()}}};
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
  write_result(call, help_text(find_verb(call.positionals[0])));
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
  write_result(call, call.format == "json"
                         ? json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                         : text);
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
