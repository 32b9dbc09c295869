#include "sim/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stepcast::sim {

Network::Network(Engine& engine, const std::vector<Bandwidth>& capacities)
    : engine_(engine), solver_(capacities), carried_(capacities.size(), 0.0) {}

Network::~Network() {
  for (const Flow& flow : flows_) {
    if (flow.stage != Stage::free) engine_.cancel(flow.event);
  }
  if (resolve_pending_) engine_.cancel(resolve_event_);
}

RouteId Network::add_route(std::vector<Use> uses, Seconds latency) {
  for (const Use& use : uses) {
    STEPCAST_CHECK(use.resource < carried_.size(), "a route uses resources that are there");
    STEPCAST_CHECK(use.weight > 0.0 && std::isfinite(use.weight), "a weight is above 0");
  }
  STEPCAST_CHECK(latency >= Seconds(), "a latency is at least 0");
  routes_.push_back({std::move(uses), ticks_for<PicosecondClock>(latency)});
  return RouteId(routes_.size() - 1);
}

FlowId Network::start(RouteId route, Bytes bytes, FlowListener& listener, std::uint64_t tag, Bandwidth cap) {
  STEPCAST_CHECK(route.index() < routes_.size(), "the route is there");
  STEPCAST_CHECK(bytes >= Bytes() && std::isfinite(bytes.base()), "a flow has a number of bytes");
  STEPCAST_CHECK(cap > Bandwidth(), "a cap is above 0");
  const SimTime arrival = engine_.now() + routes_[route.index()].latency;
  auto number = static_cast<std::uint32_t>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[number];
  const std::uint32_t generation = flow.generation;
  flow = {route,         &listener, tag, bytes.base(), bytes.base(),  cap, Bandwidth(),
          engine_.now(), {},        0,   generation,   Stage::waiting};
  ++active_;
  flow.event = engine_.at(arrival, Phase::start, *this, kArrive | number);
  return {number, generation};
}

bool Network::cancel(FlowId id) {
  if (id.number >= flows_.size() || flows_[id.number].generation != id.generation) return false;
  if (flows_[id.number].stage == Stage::free) return false;
  engine_.cancel(flows_[id.number].event);
  leave(id.number);
  return true;
}

std::size_t Network::stalled() const {
  return static_cast<std::size_t>(std::count_if(flows_.begin(), flows_.end(), [](const Flow& flow) {
    return flow.stage == Stage::moving && flow.event.slot == EventId{}.slot;
  }));
}

void Network::on_event(std::uint64_t data) {
  const auto number = static_cast<std::uint32_t>(data);
  switch (data & ~std::uint64_t{0xffffffffU}) {
    case kArrive: return arrive(number);
    case kDone: return finish(number);
    default: return resolve();
  }
}

void Network::arrive(std::uint32_t number) {
  Flow& flow = flows_[number];
  if (flow.left == 0.0) return finish(number);
  flow.stage = Stage::moving;
  flow.since = engine_.now();
  flow.event = {};
  flow.solver = solver_.add(routes_[flow.route.index()].uses, flow.cap);
  if (flow.solver >= flow_of_solver_.size()) flow_of_solver_.resize(flow.solver + 1);
  flow_of_solver_[flow.solver] = number;
  resolve_later();
}

void Network::finish(std::uint32_t number) {
  Flow& flow = flows_[number];
  FlowListener& listener = *flow.listener;
  const std::uint64_t tag = flow.tag;
  const FlowId id{number, flow.generation};
  for (const Use& use : routes_[flow.route.index()].uses) carried_[use.resource] += flow.bytes * use.weight;
  leave(number);
  listener.on_flow_done(id, tag);
}

void Network::leave(std::uint32_t number) {
  Flow& flow = flows_[number];
  if (flow.stage == Stage::moving) {
    if (observer_ != nullptr && flow.rate > Bandwidth()) {
      observer_->on_rate(engine_.now(), {number, flow.generation}, routes_[flow.route.index()].uses,
                         flow.rate, Bandwidth());
    }
    solver_.remove(flow.solver);
    resolve_later();
  }
  flow.stage = Stage::free;
  ++flow.generation;
  free_.push_back(number);
  --active_;
}

void Network::resolve_later() {
  if (resolve_pending_) return;
  resolve_pending_ = true;
  resolve_event_ = engine_.at(engine_.now(), Phase::resolve, *this, kResolve);
}

void Network::resolve() {
  resolve_pending_ = false;
  for (const std::uint32_t solved : solver_.solve()) set_rate(flow_of_solver_[solved], solver_.rate(solved));
}

void Network::set_rate(std::uint32_t number, Bandwidth rate) {
  Flow& flow = flows_[number];
  if (rate == flow.rate) return;  // what it was: its end stands
  const SimTime now = engine_.now();
  flow.left = std::max(0.0, flow.left - flow.rate.base() * (now - flow.since).seconds().base());
  flow.since = now;
  if (observer_ != nullptr) {
    observer_->on_rate(now, {number, flow.generation}, routes_[flow.route.index()].uses, flow.rate, rate);
  }
  flow.rate = rate;
  engine_.cancel(flow.event);
  flow.event = {};
  // The end at this rate; none where the clock ends first, for the rate may still rise.
  const double seconds = flow.left / rate.base();
  const double room = (SimTime(std::numeric_limits<std::int64_t>::max()) - now).seconds().base();
  if (rate > Bandwidth() && seconds < 0.999 * room) {
    const SimTime end = now + ticks_for<PicosecondClock>(Seconds(seconds));
    flow.event = engine_.at(end, Phase::complete, *this, kDone | number);
  }
}

}  // namespace stepcast::sim
