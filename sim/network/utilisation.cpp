#include "sim/network/utilisation.hpp"

#include <algorithm>

namespace stepcast::sim {

Utilisation::Utilisation(const std::vector<Bandwidth>& capacities) : of_(capacities.size()) {
  for (std::size_t r = 0; r < capacities.size(); ++r) of_[r].capacity = capacities[r].base();
}

void Utilisation::on_rate(SimTime now, FlowId /*flow*/, std::span<const Use> uses, Bandwidth before,
                          Bandwidth after) {
  for (const Use& use : uses) {
    Resource& r = of_[use.resource];
    r.carried = carried(use.resource, now).base();
    if (before == Bandwidth()) ++r.flows;
    if (after == Bandwidth()) --r.flows;
    // sums of differences drift by rounding: nothing moves where no flow does
    r.rate = r.flows == 0 ? 0.0 : std::max(0.0, r.rate + (after - before).base() * use.weight);
    if (r.timeline.empty() || r.timeline.back().time < now) r.timeline.push_back({now, {}});
    r.timeline.back().rate = Bandwidth(r.rate);
  }
}

Bytes Utilisation::carried(std::uint32_t resource, SimTime now) const {
  const Resource& r = of_[resource];
  if (r.timeline.empty()) return {};
  return Bytes(r.carried + r.rate * (now - r.timeline.back().time).seconds().base());
}

double Utilisation::mean(std::uint32_t resource, SimTime now) const {
  const double whole = of_[resource].capacity * now.seconds().base();
  return whole > 0.0 ? carried(resource, now).base() / whole : 0.0;
}

double Utilisation::peak(std::uint32_t resource) const {
  const Resource& r = of_[resource];
  double most = 0.0;
  for (const Sample& sample : r.timeline) most = std::max(most, sample.rate.base());
  return r.capacity > 0.0 ? most / r.capacity : 0.0;
}

}  // namespace stepcast::sim
