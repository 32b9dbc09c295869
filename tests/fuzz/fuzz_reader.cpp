// The YAML reader and the loaders of the catalogue on it: any bytes give a value or diagnostics, never a
// crash.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/yaml.hpp"
#include "hardware/load.hpp"
#include "hardware/source.hpp"

using namespace stepcast;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hardware::Catalog catalog({STEPCAST_CATALOG_DIR});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Diagnostics problems;
  if (const auto tree = parse_yaml(text, "fuzz.yaml", problems)) {
    hardware::require_sources(Reader(*tree, {}, problems));
    for (const hardware::KindRow& row : hardware::kinds()) {
      if (tree->find(row.name) != nullptr) hardware::check(row.kind, *tree, catalog, problems);
    }
  }
  for (const Diagnostic& d : problems.sorted()) static_cast<void>(to_text(d));
  return 0;
}
