// SPDX-License-Identifier: BSD-3-Clause
// The part of its compute node in which a process is bound. Plain words, as they travel between processes and between
// libraries.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace topowise {

/// What a node is made of, the largest first.
enum class NodeLevel : std::uint8_t { package, numa_domain, l3_cache, l2_cache };
inline constexpr std::size_t kNodeLevels = 4;

/// By NodeLevel: the number of the one package (NUMA domain, cache) that has all processors on which the process may
/// run. kAnywhere where there is none, or where nobody knows.
struct NodePart {
  static constexpr std::int16_t kAnywhere = -1;
  std::array<std::int16_t, kNodeLevels> number{kAnywhere, kAnywhere, kAnywhere, kAnywhere};

  friend bool operator==(const NodePart&, const NodePart&) = default;
};

/// Whether a level keeps some processes of a node together and others apart: else it does not say who is near whom.
[[nodiscard]] inline bool divides(std::size_t level, std::span<const NodePart> processes) {
  std::vector<std::int16_t> numbers;
  for (const NodePart& part : processes) numbers.push_back(part.number[level]);
  std::ranges::sort(numbers);
  const auto parts = std::unique(numbers.begin(), numbers.end()) - numbers.begin();
  return parts > 1 && parts < std::ssize(processes);
}

/// Whether any level divides the processes.
[[nodiscard]] inline bool are_divided(std::span<const NodePart> processes) {
  std::size_t level = 0;
  while (level < kNodeLevels && !divides(level, processes)) ++level;
  return level < kNodeLevels;
}

}  // namespace topowise
