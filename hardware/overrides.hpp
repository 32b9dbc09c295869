#pragma once

// What differs from the data sheet: links scaled or cut, slow GPUs.

#include "hardware/cluster.hpp"

namespace stepcast::hardware {

/// Reads `overrides:` and applies each to the cluster; one that names nothing or tears a node apart is an
/// error.
void read_overrides(const Reader& r, ClusterSpec& cluster);

}  // namespace stepcast::hardware
