// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/crossings.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace topowise::collective {
namespace {

constexpr int kHost = -1;  ///< in the place of a GPU: memory of the host

/// Adds up what the steps of one rank send.
class Wires {
 public:
  Wires(const Layout& layout, const Sockets& sockets, int rank) : layout_(layout), sockets_(sockets), rank_(rank) {}

  void add(const Step& step) {
    const double share = 1.0 / step.slice.of;
    if (step.action == Action::copy) send(place_of(step.from.front()), place_of(step.to.front()), share);
    if (step.action != Action::reduce) return;
    // A kernel, or the process itself, reads and writes everything from where it runs.
    const bool on_host = step.to.front().store == Store::staging;
    const Place here = on_host ? Place{kHost, sockets_.of_rank[static_cast<std::size_t>(rank_)]} : gpu_of(rank_);
    for (const std::vector<Region>* regions : {&step.from, &step.to})
      for (const Region& region : *regions) send(place_of(region), here, share);
  }
  [[nodiscard]] Crossings sum() const { return sum_; }

 private:
  struct Place {
    int gpu, socket;
  };

  [[nodiscard]] Place gpu_of(int rank) const {
    const int gpu = layout_.gpu[static_cast<std::size_t>(rank)];
    return {gpu, sockets_.of_gpu[static_cast<std::size_t>(gpu)]};
  }
  [[nodiscard]] Place place_of(const Region& region) const {
    return region.store == Store::staging ? Place{kHost, 0} : gpu_of(region.owner);
  }
  void send(const Place& from, const Place& to, double share) {
    if (from.gpu != to.gpu && from.gpu != kHost && to.gpu != kHost) sum_.gpus += share;
    if (from.socket != to.socket) sum_.sockets += share;
  }

  const Layout& layout_;
  const Sockets& sockets_;
  int rank_;
  Crossings sum_;
};

}  // namespace

Sockets sockets_of(const Layout& layout, int count) {
  Sockets sockets;
  const int gpus = layout.gpus();
  for (int gpu = 0; gpu < gpus; ++gpu) sockets.of_gpu.push_back(gpu * std::min(count, gpus) / gpus);
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const auto gpu = static_cast<std::size_t>(layout.gpu[static_cast<std::size_t>(rank)]);
    sockets.of_rank.push_back(gpus < count ? rank * count / layout.ranks() : sockets.of_gpu[gpu]);
  }
  return sockets;
}

Crossings crossings(const Plan& plan, const Layout& layout, const Sockets& sockets) {
  Crossings all;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    Wires wires(layout, sockets, rank);
    for (const Step& step : plan.steps[static_cast<std::size_t>(rank)]) wires.add(step);
    all.gpus += wires.sum().gpus;
    all.sockets += wires.sum().sockets;
  }
  // Thirds that add up to a whole number shall be one.
  for (double* sum : {&all.gpus, &all.sockets}) *sum = std::round(*sum * 1e9) / 1e9;
  return all;
}

}  // namespace topowise::collective
