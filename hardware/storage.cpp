#include "hardware/storage.hpp"

#include <array>

namespace stepcast::hardware {
namespace {

constexpr std::array kKinds = {EnumName<StorageKind>{"local", StorageKind::local},
                               EnumName<StorageKind>{"parallel", StorageKind::parallel},
                               EnumName<StorageKind>{"nfs", StorageKind::nfs},
                               EnumName<StorageKind>{"object", StorageKind::object}};

}  // namespace

std::span<const EnumName<StorageKind>> enum_names(StorageKind) { return kKinds; }

static void read(const Reader& r, StorageRates& rates) {
  r.map([&](MapReader& m) {
    m.optional("read", rates.read, kPositive);
    m.optional("write", rates.write, kPositive);
    m.optional("read_operations", rates.read_operations, kPositive);
    m.optional("write_operations", rates.write_operations, kPositive);
    m.optional("latency", rates.latency);
    m.optional("source", rates.source);
    if (!rates.read && !rates.write && !rates.read_operations && !rates.write_operations && !rates.latency) {
      r.error("no rates", "add `read: 6 GB/s` or another");
    }
  });
}

void read(const Reader& r, StorageSpec& storage) {
  r.map([&](MapReader& m) {
    m.required("storage", storage.id);
    m.required("name", storage.name);
    m.required("kind", storage.kind);
    m.optional("client", storage.client);
    m.optional("server", storage.server);
    m.optional("aggregate", storage.aggregate);
    if (const auto price = m.find("price")) {
      price->map([&](MapReader& g) {
        g.required("capacity", storage.capacity_price);
        g.optional("source", storage.price_source);
      });
    }
    m.optional("notes", storage.notes);
    if (!storage.client && !storage.server && !storage.aggregate) {
      r.error("no rates", "add `client:`, `server:` or `aggregate:`");
    }
  });
}

}  // namespace stepcast::hardware
