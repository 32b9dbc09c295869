#include "sim/network/max_min.hpp"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.hpp"

namespace stepcast::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<Bandwidth> max_min_rates(std::span<const Bandwidth> capacities,
                                     std::span<const FlowDemand> flows) {
  // Progressive filling in rounds, as it is defined; the solver below does the same with a heap and on parts.
  std::vector<double> left;
  for (const Bandwidth c : capacities) left.push_back(c.base());
  for (const FlowDemand& flow : flows) STEPCAST_CHECK(flow.cap >= Bandwidth(), "a cap is a rate");
  std::vector<double> rates(flows.size(), -1.0);  // -1: still rising
  for (std::size_t rising = flows.size(); rising > 0;) {
    std::vector<double> weight(left.size(), 0.0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (rates[f] >= 0.0) continue;
      for (const Use& use : flows[f].uses) weight[use.resource] += use.weight;
    }
    double level = kInfinity;
    std::size_t tightest = left.size();
    for (std::size_t r = 0; r < left.size(); ++r) {
      if (weight[r] > 0.0 && std::max(0.0, left[r]) / weight[r] < level) {
        level = std::max(0.0, left[r]) / weight[r];
        tightest = r;
      }
    }
    double least_cap = kInfinity;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (rates[f] < 0.0) least_cap = std::min(least_cap, flows[f].cap.base());
    }
    const bool capped = least_cap <= level;
    const auto stops = [&](const FlowDemand& flow) {
      if (capped) return flow.cap.base() == least_cap;
      return std::any_of(flow.uses.begin(), flow.uses.end(),
                         [&](const Use& use) { return use.resource == tightest; });
    };
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (rates[f] >= 0.0 || !stops(flows[f])) continue;
      rates[f] = capped ? least_cap : level;
      --rising;
      for (const Use& use : flows[f].uses) left[use.resource] -= rates[f] * use.weight;
    }
  }
  std::vector<Bandwidth> result;
  for (const double rate : rates) result.emplace_back(rate);
  return result;
}

MaxMinSolver::MaxMinSolver(std::vector<Bandwidth> capacities) {
  resources_.resize(capacities.size());
  for (std::size_t r = 0; r < capacities.size(); ++r) {
    STEPCAST_CHECK(capacities[r] >= Bandwidth(), "a capacity is a rate");
    resources_[r].capacity = capacities[r].base();
  }
}

void MaxMinSolver::mark(std::uint32_t resource) {
  if (resources_[resource].dirty) return;
  resources_[resource].dirty = true;
  dirty_.push_back(resource);
}

std::uint32_t MaxMinSolver::add(std::span<const Use> uses, Bandwidth cap) {
  std::uint32_t number = static_cast<std::uint32_t>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[number];
  flow.uses = uses;
  flow.cap = cap.base();
  flow.rate = 0.0;
  flow.places.clear();
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    Resource& resource = resources_[uses[i].resource];
    flow.places.push_back(static_cast<std::uint32_t>(resource.members.size()));
    resource.members.push_back({number, i});
    mark(uses[i].resource);
  }
  if (uses.empty()) lonely_.push_back(number);
  return number;
}

void MaxMinSolver::remove(std::uint32_t number) {
  Flow& flow = flows_[number];
  for (std::size_t i = 0; i < flow.uses.size(); ++i) {
    std::vector<Member>& members = resources_[flow.uses[i].resource].members;
    const Member last = members.back();
    members[flow.places[i]] = last;
    flows_[last.flow].places[last.use] = flow.places[i];
    members.pop_back();
    mark(flow.uses[i].resource);
  }
  if (flow.uses.empty()) std::erase(lonely_, number);
  flow.uses = {};
  free_.push_back(number);
}

/// Everything that flows join to a resource: to the back of touched_resources_ and touched_flows_.
void MaxMinSolver::collect(std::uint32_t resource) {
  const auto take = [&](std::uint32_t r) {
    if (resources_[r].collected) return;
    resources_[r].collected = true;
    touched_resources_.push_back(r);
  };
  std::size_t next = touched_resources_.size();
  take(resource);
  for (; next < touched_resources_.size(); ++next) {
    for (const Member& member : resources_[touched_resources_[next]].members) {
      Flow& flow = flows_[member.flow];
      if (flow.collected) continue;
      flow.collected = true;
      touched_flows_.push_back(member.flow);
      for (const Use& use : flow.uses) take(use.resource);
    }
  }
}

double MaxMinSolver::level(const Resource& r) const {
  return r.weight > 0.0 ? std::max(0.0, r.left) / r.weight : 0.0;
}

void MaxMinSolver::fix(std::uint32_t number, double rate) {
  Flow& flow = flows_[number];
  flow.fixed = true;
  flow.rate = rate;
  --rising_flows_;
  for (const Use& use : flow.uses) {
    Resource& r = resources_[use.resource];
    r.left -= rate * use.weight;
    r.weight -= use.weight;
    --r.rising;
    if (r.rising > 0 && r.weight < 1e-3 * r.summed)
      add_up(r);  // little is left: the difference is mostly rounding
  }
}

void MaxMinSolver::add_up(Resource& r) const {
  r.weight = 0.0;
  for (const Member& member : r.members) {
    if (!flows_[member.flow].fixed) r.weight += flows_[member.flow].uses[member.use].weight;
  }
  r.summed = r.weight;
}

/// Progressive filling of one connected part.
void MaxMinSolver::fill(std::span<const std::uint32_t> resources, std::span<const std::uint32_t> flows) {
  for (const std::uint32_t number : resources) {
    Resource& r = resources_[number];
    r.left = r.capacity;
    r.weight = 0.0;
    r.rising = 0;
  }
  by_cap_.clear();
  for (const std::uint32_t number : flows) {
    Flow& flow = flows_[number];
    flow.fixed = false;
    for (const Use& use : flow.uses) {
      resources_[use.resource].weight += use.weight;
      ++resources_[use.resource].rising;
    }
    if (std::isfinite(flow.cap)) by_cap_.emplace_back(flow.cap, number);
  }
  for (const std::uint32_t number : resources) resources_[number].summed = resources_[number].weight;
  std::sort(by_cap_.begin(), by_cap_.end());
  const auto later = [](const Level& a, const Level& b) {
    return a.rate > b.rate || (a.rate == b.rate && a.resource > b.resource);
  };
  heap_.clear();
  for (const std::uint32_t number : resources) {
    if (resources_[number].rising > 0) heap_.push_back({level(resources_[number]), number});
  }
  std::make_heap(heap_.begin(), heap_.end(), later);
  std::size_t next_cap = 0;
  rising_flows_ = flows.size();
  while (rising_flows_ > 0 && !heap_.empty()) {
    while (next_cap < by_cap_.size() && flows_[by_cap_[next_cap].second].fixed) ++next_cap;
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Level top = heap_.back();
    heap_.pop_back();
    Resource& r = resources_[top.resource];
    if (r.rising == 0) continue;
    const double now = level(r);
    if (now > top.rate) {  // flows that stood still since have left it more: levels only rise
      heap_.push_back({now, top.resource});
      std::push_heap(heap_.begin(), heap_.end(), later);
      continue;
    }
    if (next_cap < by_cap_.size() && by_cap_[next_cap].first <= top.rate) {
      fix(by_cap_[next_cap].second, by_cap_[next_cap].first);
      heap_.push_back(top);
      std::push_heap(heap_.begin(), heap_.end(), later);
      continue;
    }
    for (const Member& member : r.members) {
      if (!flows_[member.flow].fixed) fix(member.flow, top.rate);
    }
  }
}

std::span<const std::uint32_t> MaxMinSolver::solve() {
  touched_flows_.clear();
  touched_resources_.clear();
  for (const std::uint32_t r : dirty_) {
    resources_[r].dirty = false;
    if (resources_[r].collected) continue;
    const std::size_t first_resource = touched_resources_.size();
    const std::size_t first_flow = touched_flows_.size();
    collect(r);
    fill(std::span(touched_resources_).subspan(first_resource),
         std::span(touched_flows_).subspan(first_flow));
  }
  dirty_.clear();
  for (const std::uint32_t number : touched_flows_) flows_[number].collected = false;
  for (const std::uint32_t number : touched_resources_) resources_[number].collected = false;
  for (const std::uint32_t number : lonely_) flows_[number].rate = flows_[number].cap;  // they use nothing
  touched_flows_.insert(touched_flows_.end(), lonely_.begin(), lonely_.end());
  lonely_.clear();
  return touched_flows_;
}

}  // namespace stepcast::sim
