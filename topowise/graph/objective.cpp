// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/objective.hpp>

#include <array>

namespace topowise {
namespace {

constexpr std::array<std::string_view, 4> kNames{"hop-bytes", "max-congestion", "predicted-time", "mix"};

}  // namespace

std::string_view to_string(Objective objective) {
  return kNames[static_cast<std::size_t>(objective)];
}

std::optional<Objective> parse_objective(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Objective>(i);
  }
  return std::nullopt;
}

}  // namespace topowise
