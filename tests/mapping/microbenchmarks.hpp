// SPDX-License-Identifier: BSD-3-Clause
// The traffic patterns that Faraji, Mirsadeghi and Afsahi map (AsHES 2016), for any number of ranks.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <string>
#include <vector>

#include <topowise/benchmark/workload.hpp>

namespace topowise::testing {

using benchmark::even_factors;

/// TRAFFIC arguments, one byte a message: 2d stencil and torus, 3d torus, hypercube, as far as `ranks` allows, each
/// plain and with each dimension three times as heavy as the others.
inline std::vector<std::string> microbenchmarks(int ranks) {
  std::vector<std::string> patterns;
  const auto add = [&](std::string_view name, const std::string& size, std::size_t dimensions) {
    patterns.push_back(fmt::format("pattern:{}:{}:bytes=1B", name, size));
    for (std::size_t heavy = 0; heavy < dimensions; ++heavy)
      patterns.push_back(fmt::format("pattern:{}:{}:w=3:heavy={}:bytes=1B", name, size, heavy));
  };
  const std::vector<int> flat = even_factors(ranks, 2, ranks);
  const std::vector<int> solid = even_factors(ranks, 3, ranks);
  if (!flat.empty()) add("stencil2d", fmt::format("{}", fmt::join(flat, "x")), 2);
  if (!flat.empty()) add("torus2d", fmt::format("{}", fmt::join(flat, "x")), 2);
  if (!solid.empty()) add("torus3d", fmt::format("{}", fmt::join(solid, "x")), 3);
  const auto bits = static_cast<unsigned>(ranks);
  if (ranks > 1 && std::has_single_bit(bits)) {
    const auto dimensions = static_cast<std::size_t>(std::countr_zero(bits));
    add("hypercube", std::to_string(dimensions), dimensions);
  }
  return patterns;
}

}  // namespace topowise::testing
