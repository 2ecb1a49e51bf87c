// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/congestion_model_name.hpp>

#include <algorithm>
#include <array>

namespace topowise {
namespace {

constexpr std::array<std::string_view, 4> kNames{"auto", "pcie-sc16", "pcie-filled", "max-min"};

}  // namespace

std::string_view to_string(CongestionModelName name) {
  return kNames[static_cast<std::size_t>(name)];
}

std::optional<CongestionModelName> parse_congestion_model(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<CongestionModelName>(found - kNames.begin());
}

}  // namespace topowise
