#pragma once

// What the verbs do; see the table in verbs.cpp.

#include "tools/cli/verb.hpp"

namespace stepcast::tools {

int run_list(const Invocation& call);
int run_show(const Invocation& call);
int run_topology(const Invocation& call);
int run_help(const Invocation& call);
int run_version(const Invocation& call);
int run_completion(const Invocation& call);

/// The kind that a word names ("gpu" or "gpus"); a usage error otherwise.
hardware::Kind kind_named(const std::string& word);

}  // namespace stepcast::tools
