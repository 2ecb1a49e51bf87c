// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/partners.hpp>

#include <algorithm>

namespace topowise {

Partners::Partners(const Traffic& traffic) : first_(traffic.ranks() + 1, 0) {
  const auto counts = [](const TrafficEntry& e) { return e.source != e.destination && e.bytes.value() > 0; };
  for (const TrafficEntry& entry : traffic.entries()) {
    if (!counts(entry)) continue;
    ++first_[entry.source.index() + 1];
    ++first_[entry.destination.index() + 1];
  }
  for (std::size_t r = 0; r < traffic.ranks(); ++r) first_[r + 1] += first_[r];
  all_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const TrafficEntry& entry : traffic.entries()) {
    if (!counts(entry)) continue;
    const double bytes = entry.bytes.value();
    all_[next[entry.source.index()]++] = {.rank = entry.destination, .sent = bytes};
    all_[next[entry.destination.index()]++] = {.rank = entry.source, .received = bytes};
  }
  // A pair that sends both ways is there twice, and becomes one partner.
  std::size_t out = 0;
  for (std::size_t r = 0; r < traffic.ranks(); ++r) {
    const std::span<Partner> row = std::span(all_).subspan(first_[r], next[r] - first_[r]);
    std::ranges::sort(row, {}, &Partner::rank);
    const std::size_t begin = out;
    for (const Partner& partner : row) {
      if (out > begin && all_[out - 1].rank == partner.rank) {
        all_[out - 1].sent += partner.sent;
        all_[out - 1].received += partner.received;
      } else {
        all_[out++] = partner;
      }
    }
    first_[r] = begin;
  }
  first_.back() = out;
  all_.resize(out);
}

}  // namespace topowise
