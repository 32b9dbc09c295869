#include <algorithm>

#include <boost/program_options.hpp>
#include <fmt/core.h>

#include "base/text.hpp"
#include "tools/cli/verb.hpp"

namespace stepcast::tools {
namespace {

namespace po = boost::program_options;

std::vector<Option> options_of(const Verb& verb) {
  std::vector<Option> all(verb.options.begin(), verb.options.end());
  all.insert(all.end(), common_options().begin(), common_options().end());
  return all;
}

bool repeats(std::string_view option) { return option == "catalog" || option == "set"; }

std::string see_help(const Verb& verb) { return fmt::format("see `stepcast {} --help`", verb.name); }

[[noreturn]] void unknown_option(const Verb& verb, const std::string& given) {
  std::vector<std::string> names;
  for (const Option& o : options_of(verb)) names.push_back(fmt::format("--{}", o.name));
  const std::string near = nearest(given, names);
  throw UsageError(fmt::format("{}: unknown option '{}'; {}", verb.name, given,
                               near.empty() ? see_help(verb) : fmt::format("did you mean {}?", near)));
}

void check_format(const Verb& verb, const Invocation& call) {
  if (std::find(verb.formats.begin(), verb.formats.end(), call.format) != verb.formats.end()) return;
  const std::vector<std::string> known(verb.formats.begin(), verb.formats.end());
  throw UsageError(
      fmt::format("{}: unknown format '{}'; write one of: {}", verb.name, call.format, join(known)));
}

void check_positionals(const Verb& verb, const Invocation& call) {
  if (call.positionals.size() < verb.min_positionals) {
    throw UsageError(fmt::format("{}: {} is missing; {}", verb.name, verb.positionals, see_help(verb)));
  }
  if (call.positionals.size() > verb.max_positionals) {
    throw UsageError(fmt::format("{}: '{}' is one word too many; {}", verb.name,
                                 call.positionals[verb.max_positionals], see_help(verb)));
  }
}

}  // namespace

const Verb& find_verb(const std::string& word) {
  const auto all = verbs();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Verb& v) { return v.name == word; });
  if (found != all.end()) return *found;
  const std::string near = nearest(word, names_of(all));
  throw UsageError(fmt::format("unknown verb '{}'; {}", word,
                               word.starts_with("-") ? "the verb comes first"
                               : near.empty()        ? "`stepcast help` lists them"
                                                     : fmt::format("did you mean {}?", near)));
}

/// An option whose `value` names several words takes as many: "--path 0 9" becomes "--path=0 9".
std::vector<std::string> joined(const Verb& verb, const std::vector<std::string>& args) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    out.push_back(args[i]);
    for (const Option& o : verb.options) {
      const auto more = static_cast<std::size_t>(std::count(o.value.begin(), o.value.end(), ' '));
      if (more == 0 || args[i] != fmt::format("--{}", o.name)) continue;
      if (i + more + 1 >= args.size())
        throw UsageError(fmt::format("{}: --{} takes {}", verb.name, o.name, o.value));
      out.back() += "=" + args[i + 1];
      for (std::size_t k = 1; k <= more; ++k) out.back() += " " + args[i + 1 + k];
      i += more + 1;
    }
  }
  return out;
}

Invocation parse_arguments(const Verb& verb, const std::vector<std::string>& args) {
  po::options_description description;
  for (const Option& o : options_of(verb)) {
    const std::string names = std::string(o.name) + (o.name == "help" ? ",h" : "");
    if (o.value.empty()) {
      description.add_options()(names.c_str(), "");
    } else {
      description.add_options()(names.c_str(), po::value<std::string>(), "");
    }
  }
  constexpr const char* kWords = "words";
  description.add_options()(kWords, po::value<std::string>(), "");
  po::positional_options_description positional;
  positional.add(kWords, -1);
  Invocation call;
  try {
    namespace style = po::command_line_style;
    const int unix_without_guessing = style::unix_style & ~style::allow_guessing;
    const auto parsed = po::command_line_parser(joined(verb, args))
                            .options(description)
                            .positional(positional)
                            .style(unix_without_guessing)
                            .run();
    for (const auto& option : parsed.options) {
      const bool word = option.string_key == kWords;
      if (word && option.position_key < 0) unknown_option(verb, fmt::format("--{}", kWords));
      auto& values = word ? call.positionals : call.options[option.string_key];
      if (!word && !repeats(option.string_key) && !values.empty()) {
        throw UsageError(fmt::format("{}: --{} is given twice", verb.name, option.string_key));
      }
      values.insert(values.end(), option.value.begin(), option.value.end());
    }
  } catch (const po::unknown_option& e) {
    unknown_option(verb, e.get_option_name());
  } catch (const po::error& e) {
    throw UsageError(fmt::format("{}: {}; {}", verb.name, e.what(), see_help(verb)));
  }
  if (call.has("help")) return call;
  if (call.has("output") && call.get("output", "").empty())
    throw UsageError(fmt::format("{}: --output names no file", verb.name));
  call.format = call.get("format", verb.formats.front());
  check_format(verb, call);
  check_positionals(verb, call);
  return call;
}

std::string Invocation::get(std::string_view name, std::string_view otherwise) const {
  const auto found = options.find(name);
  return found == options.end() || found->second.empty() ? std::string(otherwise) : found->second.back();
}

std::string help_text(const Verb& verb) {
  std::string text = "Examples:\n";
  for (const std::string_view example : verb.examples) text += fmt::format("  {}\n", example);
  text += fmt::format("\n{}\n\nUsage: stepcast {}{}{} [options]\n\nOptions:\n", verb.summary, verb.name,
                      verb.positionals.empty() ? "" : " ", verb.positionals);
  for (const Option& o : options_of(verb)) {
    std::string help(o.help);
    if (o.name == "format") {
      help = join(std::vector<std::string>(verb.formats.begin(), verb.formats.end()), "|") + "; default " +
             std::string(verb.formats.front());
    }
    text += fmt::format("  {:<20} {}\n", fmt::format("--{} {}", o.name, o.value), help);
  }
  return text;
}

std::string overview_text() {
  std::string text =
      "Stepcast predicts what one training step of a neural network costs on a cluster.\n\n"
      "Usage: stepcast VERB ...     stepcast VERB --help     \n";
  std::vector<std::string_view> groups;
  for (const Verb& verb : verbs()) {
    if (std::find(groups.begin(), groups.end(), verb.group) == groups.end()) groups.push_back(verb.group);
  }
  for (const std::string_view group : groups) {
    text += fmt::format("\n{}\n", group);
    for (const Verb& verb : verbs()) {
      if (verb.group == group) {
        text += fmt::format("  {:<24} {}\n", fmt::format("{} {}", verb.name, verb.positionals), verb.summary);
      }
    }
  }
  return text;
}

}  // namespace stepcast::tools
