#include "hardware/load.hpp"

#include <fmt/core.h>

#include "base/units.hpp"
#include "hardware/fabric.hpp"
#include "hardware/node.hpp"
#include "hardware/price.hpp"
#include "hardware/storage.hpp"

namespace stepcast::hardware {
namespace {

template <class Spec, class... Extra>
Spec read_as(const Reader& r, const Extra&... extra) {
  Spec spec;
  read(r, spec, extra...);
  return spec;
}

/// The machine's NICs and the network that it names.
void check_network(const Reader& r, const SystemSpec& system, const Catalog& catalog) {
  if (system.fabric.empty() || r.problems().has_errors()) return;
  const Reader at(r.node().find("fabric")->value, "fabric", r.problems());
  if (!system.nics) return at.error("a fabric without NICs", "add `nics:`, or remove the fabric");
  FabricSpec fabric;
  read_reference(at, Kind::fabric, catalog, fabric);
  if (fabric.network != system.nics->kind) {
    at.error(fmt::format("{} NICs do not go with {}, which is {}", enum_name(system.nics->kind), fabric.id,
                         enum_name(fabric.network)),
             "mend the NICs' kind or the fabric");
  } else if (fabric.port.rate != system.nics->rate) {
    at.error(fmt::format("NICs of {} do not go with ports of {}", to_short_text(system.nics->rate),
                         to_short_text(fabric.port.rate)),
             "mend the NICs' rate or the fabric");
  }
}

/// Hardware that is priced is in the catalogue.
void check_priced(const Reader& r, const PriceSpec& price, const Catalog& catalog) {
  if (price.of != PriceOf::gpu && price.of != PriceOf::system) return;
  const Match match = catalog.find(price.of == PriceOf::gpu ? Kind::gpu : Kind::system, price.id);
  if (!match.entry || match.entry->id != price.id) {
    r.error(fmt::format("there is no {} '{}' to price", enum_name(price.of), price.id), match.hint);
  }
}

}  // namespace

void check(Kind kind, const YamlNode& tree, const Catalog& catalog, Diagnostics& problems) {
  Diagnostics own;  // one file's errors do not hide another's
  const Reader r(tree, {}, own);
  switch (kind) {
    case Kind::gpu: {
      const auto gpu = read_as<GpuSpec>(r);
      if (!own.has_errors()) check_consistent(r, gpu, catalog);
      break;
    }
    case Kind::link: read_as<LinkSpec>(r); break;
    case Kind::system: check_network(r, read_as<SystemSpec>(r, catalog), catalog); break;
    case Kind::fabric: read_as<FabricSpec>(r); break;
    case Kind::storage: read_as<StorageSpec>(r); break;
    case Kind::price: {
      const auto price = read_as<PriceSpec>(r);
      if (!own.has_errors()) check_priced(r, price, catalog);
      break;
    }
  }
  for (const Diagnostic& d : own.sorted()) problems.add(d);
}

void check_all(const Catalog& catalog, Diagnostics& problems) {
  for (const KindRow& row : kinds()) {
    for (const Entry& entry : catalog.entries(row.kind)) {
      if (const auto tree = catalog.load(entry, problems)) check(row.kind, *tree, catalog, problems);
    }
  }
}

}  // namespace stepcast::hardware
