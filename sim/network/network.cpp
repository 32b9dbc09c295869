#include "sim/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepcast::sim {

Network::Network(Engine& engine, std::vector<Bandwidth> capacities)
    : engine_(engine), solver_(capacities), carried_(capacities.size(), 0.0) {}

RouteId Network::add_route(std::vector<Use> uses, Seconds latency) {
  for (const Use& use : uses) {
    STEPCAST_CHECK(use.resource < carried_.size() && use.weight > 0.0,
                   "a route uses resources that are there");
  }
  routes_.push_back({std::move(uses), ticks_for<PicosecondClock>(latency)});
  return RouteId(routes_.size() - 1);
}

FlowId Network::start(RouteId route, Bytes bytes, FlowListener& listener, std::uint64_t tag, Bandwidth cap) {
  STEPCAST_CHECK(bytes >= Bytes() && std::isfinite(bytes.base()), "a flow has a number of bytes");
  STEPCAST_CHECK(cap > Bandwidth(), "a cap is above 0");
  auto number = static_cast<std::uint32_t>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[number];
  flow = {route,         &listener, tag, bytes.base(),  bytes.base(), cap, Bandwidth(),
          engine_.now(), {},        0,   Stage::waiting};
  ++active_;
  const RouteEntry& way = routes_[route.index()];
  flow.event = engine_.after(way.latency, Phase::start, *this, kArrive | number);
  return FlowId(number);
}

void Network::cancel(FlowId id) {
  const auto number = static_cast<std::uint32_t>(id.index());
  STEPCAST_CHECK(number < flows_.size() && flows_[number].stage != Stage::free, "the flow is under way");
  engine_.cancel(flows_[number].event);
  leave(number);
}

std::size_t Network::stalled() const {
  return static_cast<std::size_t>(std::count_if(flows_.begin(), flows_.end(), [](const Flow& flow) {
    return flow.stage == Stage::moving && flow.rate == Bandwidth();
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
  for (const Use& use : routes_[flow.route.index()].uses) carried_[use.resource] += flow.bytes * use.weight;
  leave(number);
  listener.on_flow_done(FlowId(number), tag);
}

void Network::leave(std::uint32_t number) {
  Flow& flow = flows_[number];
  if (flow.stage == Stage::moving) {
    if (observer_ != nullptr) {
      observer_->on_rate(engine_.now(), FlowId(number), routes_[flow.route.index()].uses, flow.rate,
                         Bandwidth());
    }
    solver_.remove(flow.solver);
    resolve_later();
  }
  flow.stage = Stage::free;
  free_.push_back(number);
  --active_;
}

void Network::resolve_later() {
  if (resolve_pending_) return;
  resolve_pending_ = true;
  engine_.at(engine_.now(), Phase::resolve, *this, kResolve);
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
    observer_->on_rate(now, FlowId(number), routes_[flow.route.index()].uses, flow.rate, rate);
  }
  flow.rate = rate;
  engine_.cancel(flow.event);
  flow.event = {};
  if (rate > Bandwidth()) {
    const SimTime end = now + ticks_for<PicosecondClock>(Seconds(flow.left / rate.base()));
    flow.event = engine_.at(end, Phase::complete, *this, kDone | number);
  }
}

}  // namespace stepcast::sim
