#pragma once

// Reads a catalogue file as a thing of its kind, and holds it against the rest of the catalogue.

#include "hardware/catalog.hpp"

namespace stepcast::hardware {

/// Reads `tree` as a `kind` and drops the result: what is wrong or doubtful goes to `problems`.
void check(Kind kind, const YamlNode& tree, const Catalog& catalog, Diagnostics& problems);

/// Checks every file of the catalogue.
void check_all(const Catalog& catalog, Diagnostics& problems);

}  // namespace stepcast::hardware
