#pragma once

// Max-min fair sharing: no flow can get more without one that has no more than it getting less. Flows draw on
// resources (directed links) with weights: a flow of rate x takes x * weight of each. The rates are found by
// progressive filling (Bertsekas and Gallager, "Data Networks", 6.5.2): all rates rise together until a
// resource is full or a flow reaches its own cap; those flows stand still, the others go on. On the quotient
// a flow stands for n, a resource for m, and the weight carries n / m.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/quantity.hpp"

namespace stepcast::sim {

struct Use {
  std::uint32_t resource = 0;
  double weight = 1.0;  ///< above 0, finite
};

inline constexpr Bandwidth kUncapped{std::numeric_limits<double>::infinity()};

struct FlowDemand {
  std::span<const Use> uses;  ///< each resource at most once
  Bandwidth cap = kUncapped;
};

/// The rates. A flow that uses nothing and has no cap gets an infinite one; a flow over a resource without
/// capacity gets 0.
std::vector<Bandwidth> max_min_rates(std::span<const Bandwidth> capacities,
                                     std::span<const FlowDemand> flows);

/// The same rates while flows come and go: only what shares a resource with them, by way of others too, is
/// computed anew.
class MaxMinSolver {
 public:
  explicit MaxMinSolver(std::vector<Bandwidth> capacities);

  /// The number of the flow; numbers of removed flows come back. `uses` must stay where it is until the flow
  /// is removed.
  std::uint32_t add(std::span<const Use> uses, Bandwidth cap);
  void remove(std::uint32_t flow);

  /// Brings the rates up to date; the flows that were computed anew (their rate may be what it was).
  std::span<const std::uint32_t> solve();

  [[nodiscard]] Bandwidth rate(std::uint32_t flow) const { return Bandwidth(flows_[flow].rate); }
  [[nodiscard]] Bandwidth capacity(std::uint32_t resource) const {
    return Bandwidth(resources_[resource].capacity);
  }

 private:
  struct Flow {
    std::span<const Use> uses;
    std::vector<std::uint32_t> places;  ///< of each use, where the flow stands in the resource's list
    double cap = 0.0;
    double rate = 0.0;
    bool fixed = true;  ///< its rate is final in this solve
    bool collected = false;
  };
  struct Member {
    std::uint32_t flow = 0;
    std::uint32_t use = 0;  ///< which of the flow's uses
  };
  struct Resource {
    double capacity = 0.0;
    double left = 0.0;    ///< what flows that stand still leave
    double weight = 0.0;  ///< of the flows that still rise
    double summed = 0.0;  ///< the weight when it was last added up
    std::uint32_t rising = 0;
    bool dirty = false;
    bool collected = false;
    std::vector<Member> members;
  };
  struct Level {
    double rate;
    std::uint32_t resource;
  };

  void mark(std::uint32_t resource);
  void collect(std::uint32_t resource);
  void fill(std::span<const std::uint32_t> resources, std::span<const std::uint32_t> flows);
  void fix(std::uint32_t flow, double rate);
  void add_up(Resource& r) const;
  [[nodiscard]] double level(const Resource& r) const;

  std::vector<Resource> resources_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> dirty_;
  std::vector<std::uint32_t> lonely_;  ///< new flows that use nothing
  std::vector<std::uint32_t> touched_flows_;
  std::vector<std::uint32_t> touched_resources_;
  std::vector<Level> heap_;
  std::size_t rising_flows_ = 0;
  std::vector<std::pair<double, std::uint32_t>> by_cap_;
};

}  // namespace stepcast::sim
