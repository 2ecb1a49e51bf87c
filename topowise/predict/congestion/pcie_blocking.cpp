// SPDX-License-Identifier: BSD-3-Clause
// Steps D and E of pcie_congestion.cpp: head-of-line blocking, and which messages get what it leaves unused.
#include <algorithm>
#include <limits>

#include <topowise/predict/congestion/pcie_congestion.hpp>
#include <topowise/predict/congestion/tolerance.hpp>

namespace topowise {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The sets of an exchange follow each other without a pattern that a branch predictor could learn. So a value that
// depends on a flag is looked up or multiplied instead of branched on, which halves the time of these steps.

/// Added to a number before the smallest one is taken, so that the number counts only where its flag is set.
constexpr double kUnless[2] = {kInfinity, 0.0};

}  // namespace

/// Equation 8. Returns true if a message is held back. `tail_` of a hop is the smallest factor that its message gets at
/// a later port that is in conflict.
bool PcieCongestion::block_heads() {
  for (std::size_t c = 0; c < count_; ++c) {
    double smallest = kInfinity;
    for (std::uint32_t hop = first_[c + 1] - 1; hop > first_[c]; --hop) {
      tail_[hop] = smallest;
      smallest = std::min(smallest, rho_[hop] + kUnless[conflict_[hop]]);
    }
  }
  for (const Shared& shared : shared_) {
    double slowest = kInfinity;
    for (const std::uint32_t hop : users(shared)) slowest = std::min(slowest, tail_[hop]);
    for (const std::uint32_t hop : users(shared)) {
      double& blocked = blocked_[message_[hop]];
      blocked = std::min(blocked, slowest);
    }
  }
  bool any = false;
  for (std::size_t c = 0; c < count_; ++c) {
    held_[c] = blocked_[c] < final_[c] - kTolerance;
    any |= held_[c] != 0;
  }
  return any;
}

/// Equation 9. On entry `final_` is the factor after step C.
void PcieCongestion::share_freed() {
  for (const Shared& shared : shared_) {
    double freed = 0;
    int free = 0;
    for (const std::uint32_t hop : users(shared)) {
      const std::uint32_t c = message_[hop];
      freed += held_[c] * (rho_[hop] - blocked_[c]);
      free += 1 - held_[c];
    }
    extra_[shared.link] = freed / std::max(1, free);  // no message reads it if none is free
  }
  for (std::size_t c = 0; c < count_; ++c) {
    if (held_[c] != 0) {
      final_[c] = blocked_[c];
      continue;
    }
    double smallest = kInfinity;
    for (std::uint32_t hop = first_[c] + 1; hop < first_[c + 1]; ++hop) {
      const int conflicts = conflict_[hop] != 0 ? 1 : 0;
      const int slower = rho_[hop] < rho_[hop - 1] - kTolerance ? 1 : 0;
      const auto limits = static_cast<std::size_t>(conflicts | slower);  // an index instead of a branch
      smallest = std::min(smallest, rho_[hop] + extra_[link_[hop]] + kUnless[limits]);
    }
    if (smallest < kInfinity) final_[c] = std::max(final_[c], std::min(smallest, path_[c]->ceiling));
  }
  for (const Shared& shared : shared_) extra_[shared.link] = 0.0;
}

/// Step E. Scales back what messages gained over `blocked_`, where a link would overflow.
void PcieCongestion::guard_capacity() {
  std::fill_n(scale_.begin(), count_, 1.0);
  bool cut = false;
  for (const Shared& shared : shared_) {
    double base = 0;
    double gain = 0;
    for (const std::uint32_t hop : users(shared)) {
      base += blocked_[message_[hop]];
      gain += final_[message_[hop]] - blocked_[message_[hop]];
    }
    const double capacity = tree_.link(shared.link).capacity;
    if (base + gain <= capacity + kTolerance) continue;
    cut = true;
    for (const std::uint32_t hop : users(shared))
      scale_[message_[hop]] = std::min(scale_[message_[hop]], (capacity - base) / gain);
  }
  if (!cut) return;
  for (std::size_t c = 0; c < count_; ++c) final_[c] = blocked_[c] + (final_[c] - blocked_[c]) * scale_[c];
}

/// Progressive filling, instead of equation 9. All messages that are not held grow from the factors after equation 8 by
/// the same amount, until one of their links is full or they have what they would get alone.
void PcieCongestion::fill() {
  std::vector<bool> grows(count_);
  std::vector<double> room(tree_.link_count(), kInfinity);  // only shared links can become full
  for (std::size_t c = 0; c < count_; ++c) {
    grows[c] = blocked_[c] >= rho_[first_[c + 1] - 1] - kTolerance;
    final_[c] = blocked_[c];
  }
  while (std::ranges::find(grows, true) != grows.end()) {
    double step = kInfinity;
    for (const Shared& shared : shared_) {
      room[shared.link] = tree_.link(shared.link).capacity;
      int growing = 0;
      for (const std::uint32_t hop : users(shared)) {
        room[shared.link] -= final_[message_[hop]];
        growing += grows[message_[hop]];
      }
      if (growing > 0) step = std::min(step, std::max(0.0, room[shared.link]) / growing);
    }
    for (std::size_t c = 0; c < count_; ++c) {
      if (grows[c]) step = std::min(step, std::max(0.0, path_[c]->ceiling - final_[c]));
    }
    for (const Shared& shared : shared_) {
      for (const std::uint32_t hop : users(shared)) room[shared.link] -= grows[message_[hop]] ? step : 0.0;
    }
    for (std::size_t c = 0; c < count_; ++c) {
      if (!grows[c]) continue;
      final_[c] += step;
      bool full = final_[c] >= path_[c]->ceiling - kTolerance;
      for (std::uint32_t hop = first_[c] + 1; hop < first_[c + 1]; ++hop) {
        full |= room[link_[hop]] <= kTolerance;
      }
      grows[c] = !full;
    }
  }
}

}  // namespace topowise
