// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/rings.hpp>

#include <algorithm>
#include <limits>

namespace topowise {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

/// `next[source]`: whom it sends to in this step, or kNobody.
OrderStep step_of(const std::vector<std::size_t>& next) {
  OrderStep step;
  std::vector<std::size_t> walk_of(next.size(), kNobody);  // the rank from which a walk first came here
  std::vector<bool> in_ring(next.size(), false);
  for (std::size_t start = 0; start < next.size(); ++start) {
    std::size_t rank = start;
    while (rank < next.size() && next[rank] != kNobody && walk_of[rank] == kNobody) {
      walk_of[rank] = start;
      rank = next[rank];
    }
    if (rank >= next.size() || next[rank] == kNobody || walk_of[rank] != start) continue;
    std::vector<std::size_t> ring;
    for (std::size_t member = rank; ring.empty() || member != rank; member = next[member]) {
      ring.push_back(member);
      in_ring[member] = true;
    }
    std::ranges::rotate(ring, std::ranges::min_element(ring));
    step.rings.push_back(std::move(ring));
  }
  std::ranges::sort(step.rings);
  for (std::size_t source = 0; source < next.size(); ++source)
    if (next[source] != kNobody && !in_ring[source]) step.others.emplace_back(source, next[source]);
  return step;
}

}  // namespace

std::vector<OrderStep> steps_of(std::span<const std::vector<std::size_t>> destinations_of) {
  std::size_t count = 0;
  for (const std::vector<std::size_t>& own : destinations_of) count = std::max(count, own.size());
  std::vector<OrderStep> steps;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<std::size_t> next;
    for (const std::vector<std::size_t>& own : destinations_of) next.push_back(k < own.size() ? own[k] : kNobody);
    steps.push_back(step_of(next));
  }
  return steps;
}

}  // namespace topowise
