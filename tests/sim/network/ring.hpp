#pragma once

// A ring all-reduce in which every chunk is a flow of its own: 2 (P - 1) steps; a rank sends its next chunk
// when it has sent the last one and received one from the rank before it.

#include <cstdint>
#include <vector>

#include "sim/network/network.hpp"

namespace stepcast::tests {

class Ring final : private sim::FlowListener {
 public:
  /// `routes`: from each rank to the next one in the ring.
  Ring(sim::Network& network, std::vector<sim::RouteId> routes, Bytes bytes)
      : network_(network), routes_(std::move(routes)), ranks_(routes_.size()) {
    chunk_ = bytes / static_cast<double>(ranks_.size());
    steps_ = static_cast<std::uint32_t>(2 * (ranks_.size() - 1));
  }

  void start() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) send(r);
  }
  [[nodiscard]] std::uint64_t flows() const { return flows_; }

 private:
  struct Rank {
    std::uint32_t started = 0;
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
  };

  void send(std::uint32_t rank) {
    ++ranks_[rank].started;
    network_.start(routes_[rank], chunk_, *this, rank);
  }

  void on_flow_done(sim::FlowId /*flow*/, std::uint64_t tag) override {
    ++flows_;
    const auto from = static_cast<std::uint32_t>(tag);
    const auto to = static_cast<std::uint32_t>((from + 1) % ranks_.size());
    ++ranks_[from].sent;
    ++ranks_[to].received;
    for (const std::uint32_t r : {from, to}) {
      Rank& rank = ranks_[r];
      const bool idle = rank.started == rank.sent && rank.received >= rank.sent;
      if (idle && rank.started < steps_) send(r);
    }
  }

  sim::Network& network_;
  std::vector<sim::RouteId> routes_;
  std::vector<Rank> ranks_;
  Bytes chunk_;
  std::uint32_t steps_ = 0;
  std::uint64_t flows_ = 0;
};

}  // namespace stepcast::tests
