#pragma once

// Reads a catalogue tree as the kind of thing that it says it is.

#include "hardware/catalog.hpp"

namespace stepcast::hardware {

/// Reads `tree` as a `kind` and drops the result: what is wrong or doubtful goes to `problems`.
void check(Kind kind, const YamlNode& tree, const Catalog& catalog, Diagnostics& problems);

/// Checks every file of the catalogue and the alias table.
void check_all(const Catalog& catalog, Diagnostics& problems);

}  // namespace stepcast::hardware
