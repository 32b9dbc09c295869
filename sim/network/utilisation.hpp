#pragma once

// How full each resource was, and when: listens to a network.

#include <cstdint>
#include <vector>

#include "sim/network/network.hpp"

namespace stepcast::sim {

class Utilisation final : public FlowObserver {
 public:
  /// A resource carries `rate` from `time` on.
  struct Sample {
    SimTime time;
    Bandwidth rate;
  };

  explicit Utilisation(const std::vector<Bandwidth>& capacities);

  void on_rate(SimTime now, FlowId flow, std::span<const Use> uses, Bandwidth before,
               Bandwidth after) override;

  /// Bytes that a resource has carried until `now`.
  [[nodiscard]] Bytes carried(std::uint32_t resource, SimTime now) const;
  /// Mean share of the capacity in use from the start until `now`; 0 at the start, and for a resource without
  /// capacity.
  [[nodiscard]] double mean(std::uint32_t resource, SimTime now) const;
  /// The highest share in use at any time.
  [[nodiscard]] double peak(std::uint32_t resource) const;
  /// Every change, at most one an instant.
  [[nodiscard]] const std::vector<Sample>& timeline(std::uint32_t resource) const {
    return of_[resource].timeline;
  }

 private:
  struct Resource {
    double capacity = 0.0;
    double rate = 0.0;
    double carried = 0.0;  ///< until the last change
    std::uint32_t flows = 0;
    std::vector<Sample> timeline;
  };
  std::vector<Resource> of_;
};

}  // namespace stepcast::sim
