#pragma once

// Transfers as fluid flows over directed links, in simulated time. A flow waits for its latency, then moves
// its bytes at the rate that max-min sharing gives it; rates are computed at most once in an instant, after
// everything that ends and begins in it. Knows no tensors and no hardware: resources are numbers with a
// capacity, and who builds them from a topology or a quotient says what they are.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "sim/engine/engine.hpp"
#include "sim/network/max_min.hpp"

namespace stepcast::sim {

/// A flow that was started. It stays this flow's own: once that is done, nothing else answers to it.
struct FlowId {
  std::uint32_t number = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t generation = 0;
};
struct RouteTag;
using RouteId = Id<RouteTag>;

/// Is told when a flow has moved its last byte.
class FlowListener {
 public:
  virtual void on_flow_done(FlowId flow, std::uint64_t tag) = 0;

 protected:
  ~FlowListener() = default;
};

/// Watches: reports only listen.
class FlowObserver {
 public:
  virtual void on_rate(SimTime now, FlowId flow, std::span<const Use> uses, Bandwidth before,
                       Bandwidth after) = 0;

 protected:
  ~FlowObserver() = default;
};

class Network final : private Handler {
 public:
  /// `engine` outlives the network. Capacities are at least 0.
  Network(Engine& engine, const std::vector<Bandwidth>& capacities);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// A way that flows take, as often as they like. Each resource at most once; weights above 0.
  RouteId add_route(std::vector<Use> uses, Seconds latency);

  /// Starts now. Zero bytes arrive after the latency alone.
  FlowId start(RouteId route, Bytes bytes, FlowListener& listener, std::uint64_t tag,
               Bandwidth cap = kUncapped);

  /// Forgets a flow: its listener hears nothing more. Whether it was under way.
  bool cancel(FlowId flow);

  /// At most one; nullptr: none.
  void watch(FlowObserver* observer) { observer_ = observer; }

  [[nodiscard]] std::size_t active() const { return active_; }
  /// Bytes that a resource has carried for flows that are done.
  [[nodiscard]] Bytes carried(std::uint32_t resource) const { return Bytes(carried_[resource]); }
  /// Flows under way whose end is nowhere in sight: their resources have no capacity, or so little that the
  /// clock ends first. To be asked when the engine has come to rest.
  [[nodiscard]] std::size_t stalled() const;

 private:
  enum class Stage : std::uint8_t { free, waiting, moving };
  struct Flow {
    RouteId route;
    FlowListener* listener = nullptr;
    std::uint64_t tag = 0;
    double bytes = 0.0;
    double left = 0.0;
    Bandwidth cap = kUncapped;
    Bandwidth rate;
    SimTime since;  ///< `left` is as of then
    EventId event;
    std::uint32_t solver = 0;
    std::uint32_t generation = 0;
    Stage stage = Stage::free;
  };
  struct RouteEntry {
    std::vector<Use> uses;
    SimTime latency;
  };

  // Events carry what to do in the top bits and the flow below.
  static constexpr std::uint64_t kArrive = std::uint64_t{1} << 32U;
  static constexpr std::uint64_t kDone = std::uint64_t{2} << 32U;
  static constexpr std::uint64_t kResolve = std::uint64_t{3} << 32U;

  void on_event(std::uint64_t data) override;
  void arrive(std::uint32_t number);
  void finish(std::uint32_t number);
  void leave(std::uint32_t number);
  void resolve_later();
  void resolve();
  void set_rate(std::uint32_t number, Bandwidth rate);

  Engine& engine_;
  MaxMinSolver solver_;
  std::vector<RouteEntry> routes_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> flow_of_solver_;
  std::vector<double> carried_;
  FlowObserver* observer_ = nullptr;
  std::size_t active_ = 0;
  EventId resolve_event_;
  bool resolve_pending_ = false;
};

}  // namespace stepcast::sim
