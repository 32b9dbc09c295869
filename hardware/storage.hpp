#pragma once

// Where data and checkpoints live: what one client, one server and the whole of it deliver.

#include <optional>
#include <span>
#include <string>

#include "hardware/source.hpp"

namespace stepcast::hardware {

enum class StorageKind { local, parallel, nfs, object };
std::span<const EnumName<StorageKind>> enum_names(StorageKind);

struct StorageRates {
  std::optional<Range<Bandwidth>> read;
  std::optional<Range<Bandwidth>> write;
  std::optional<Range<Frequency>> read_operations;
  std::optional<Range<Frequency>> write_operations;
  std::optional<Range<Seconds>> latency;
  Sources source;
};

struct StorageSpec {
  std::string id;
  std::string name;
  StorageKind kind = StorageKind::local;
  std::optional<StorageRates> client;     ///< one node; for local storage one drive or array
  std::optional<StorageRates> server;     ///< one server
  std::optional<StorageRates> aggregate;  ///< the whole file system
  std::optional<Range<UsdPerByteTime>> capacity_price;
  Sources price_source;
  std::string notes;
};

void read(const Reader& r, StorageSpec& storage);

}  // namespace stepcast::hardware
