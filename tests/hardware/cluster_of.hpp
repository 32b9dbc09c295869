#pragma once

// A cluster read from one line of YAML, for tests.

#include <string>

#include "hardware/catalog.hpp"
#include "hardware/cluster.hpp"
#include "tests/catch.hpp"

namespace stepcast::tests {

/// The problems of reading `yaml` as `cluster:`, one a line; warnings and notes left out.
inline std::string read_cluster(const std::string& yaml, hardware::ClusterSpec& cluster) {
  const hardware::Catalog catalog({STEPCAST_CATALOG_DIR});
  Diagnostics problems;
  if (const auto tree = parse_yaml(yaml, "f.yaml", problems))
    read(Reader(*tree, "cluster", problems), cluster, catalog);
  std::string text;
  for (const Diagnostic& d : problems.sorted()) {
    if (d.severity == Severity::error) text += to_text(d) + "\n";
  }
  return text;
}

inline hardware::ClusterSpec cluster_of(const std::string& yaml) {
  hardware::ClusterSpec cluster;
  const std::string problems = read_cluster(yaml, cluster);
  if (!problems.empty()) FAIL(problems);
  return cluster;
}

}  // namespace stepcast::tests
