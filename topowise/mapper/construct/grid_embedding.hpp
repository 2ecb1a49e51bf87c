// SPDX-License-Identifier: BSD-3-Clause
// A grid of ranks laid into a grid of places without cutting it up.
//
// Traffic that is a stencil on a Cartesian grid, its ranks in order or not.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

constexpr std::size_t kMostAxes = 4;
using Sizes = std::vector<std::size_t>;  ///< points along each axis
using Point = std::array<std::uint32_t, kMostAxes>;

struct Grid {
  Sizes sizes;
  std::vector<Point> at;                   ///< of each rank
  std::array<double, kMostAxes> weight{};  ///< bytes that go along each axis
};

/// Where the point with this number is, the last axis counted first.
[[nodiscard]] Point point_of(std::size_t number, const Sizes& sizes);

/// All ways to write n as a product of at most `axes` numbers above 1, in order; those of fewer numbers first.
[[nodiscard]] std::vector<Sizes> products(std::size_t n, std::size_t axes);

/// Looks at all ways to write the number of ranks as a product. Takes the one in which messages go to neighbours only
/// (diagonals and the way round an axis included), and over the fewest steps. If there is none, takes the product that
/// the ranks form in another order. Nothing if there is no product, or no time to find it.
[[nodiscard]] std::optional<Grid> find_grid(const Traffic& traffic, const Deadline& deadline);

/// The best embedding that was found for hop-bytes; nothing if the places are no mesh and no torus, or the axes of the
/// ranks cannot be split into factors that fit into the axes of the places.
[[nodiscard]] std::optional<Mapping> embed_grid(const MapProblem& problem, const Grid& grid, const Deadline& deadline);

}  // namespace topowise
