#include "hardware/load.hpp"

#include "hardware/fabric.hpp"
#include "hardware/node.hpp"
#include "hardware/price.hpp"
#include "hardware/storage.hpp"

namespace stepcast::hardware {
namespace {

template <class Spec, class... Extra>
void check_as(const Reader& r, const Extra&... extra) {
  Spec spec;
  read(r, spec, extra...);
}

}  // namespace

void check(Kind kind, const YamlNode& tree, const Catalog& catalog, Diagnostics& problems) {
  const Reader r(tree, {}, problems);
  switch (kind) {
    case Kind::gpu: return check_as<GpuSpec>(r);
    case Kind::link: return check_as<LinkSpec>(r);
    case Kind::system: return check_as<SystemSpec>(r, catalog);
    case Kind::fabric: return check_as<FabricSpec>(r);
    case Kind::storage: return check_as<StorageSpec>(r);
    case Kind::price: return check_as<PriceSpec>(r);
  }
}

void check_all(const Catalog& catalog, Diagnostics& problems) {
  for (const KindRow& row : kinds()) {
    for (const Entry& entry : catalog.entries(row.kind)) {
      if (const auto tree = catalog.load(entry, problems)) check(row.kind, *tree, catalog, problems);
    }
  }
}

}  // namespace stepcast::hardware
