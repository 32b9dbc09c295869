#include "hardware/link.hpp"

#include <array>

namespace stepcast::hardware {
namespace {

constexpr std::array kKinds = {
    EnumName<LinkKind>{"nvlink", LinkKind::nvlink}, EnumName<LinkKind>{"xgmi", LinkKind::xgmi},
    EnumName<LinkKind>{"c2c", LinkKind::c2c},       EnumName<LinkKind>{"pcie", LinkKind::pcie},
    EnumName<LinkKind>{"socket", LinkKind::socket}, EnumName<LinkKind>{"ethernet", LinkKind::ethernet},
    EnumName<LinkKind>{"ici", LinkKind::ici},       EnumName<LinkKind>{"ipu", LinkKind::ipu}};
constexpr std::array kDuplex = {EnumName<Duplex>{"full", Duplex::full},
                                EnumName<Duplex>{"half", Duplex::half}};

}  // namespace

std::span<const EnumName<LinkKind>> enum_names(LinkKind) { return kKinds; }
std::span<const EnumName<Duplex>> enum_names(Duplex) { return kDuplex; }

void read(const Reader& r, LinkSpec& link) {
  r.map([&](MapReader& m) {
    m.required("link", link.id);
    m.required("name", link.name);
    m.required("kind", link.kind);
    m.required("duplex", link.duplex);
    if (const auto rate = m.need("rate")) {
      rate->map([&](MapReader& g) {
        g.required("per_direction", link.per_direction, kPositive);
        g.optional("achieved_fraction", link.achieved_fraction, kFraction);
        g.optional("nccl_per_link", link.nccl_per_link, kPositive);
        g.required("latency", link.latency);
        g.optional("switch_latency", link.switch_latency);
        g.optional("host_bridge_latency", link.host_bridge_latency);
        g.optional("source", link.source);
      });
    }
    m.optional("notes", link.notes);
  });
}

}  // namespace stepcast::hardware
