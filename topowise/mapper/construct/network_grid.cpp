// SPDX-License-Identifier: BSD-3-Clause
// Zoltan2's geometric mapping cuts the coordinates of the ranks and those of the machine into halves, and again
// (Deveci, Rajamanickam, Leung, Pedretti, Olivier, Bunde, Catalyurek and Devine, "Exploiting geometric partitioning in
// task mapping for parallel computers", IPDPS 2014). Here the coordinates of the ranks come from their traffic.
#include <topowise/mapper/construct/network_grid.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <topowise/mapper/network/network_mapping.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>

namespace topowise {
namespace {

/// The axis whose cut costs least. A cut meets the bytes of an axis divided by the number of planes of the set along
/// it.
std::size_t lightest_axis(const Grid& grid, std::span<const std::uint32_t> ranks) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t axis = 0; axis < grid.sizes.size(); ++axis) {
    const auto [low, high] = std::ranges::minmax(ranks, {}, [&](std::uint32_t r) { return grid.at[r][axis]; });
    const double length = static_cast<double>(grid.at[high][axis] - grid.at[low][axis]) + 1;
    const double bytes = length > 1 ? grid.weight[axis] / length : std::numeric_limits<double>::max();
    if (bytes >= least) continue;
    best = axis;
    least = bytes;
  }
  return best;
}

}  // namespace

void cut_across_lightest(const Grid& grid, std::span<std::uint32_t> ranks, std::size_t count) {
  if (count == 0 || count == ranks.size()) return;
  const std::size_t across = lightest_axis(grid, ranks);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(grid.at[a][across], a) < std::pair(grid.at[b][across], b);
  };
  std::ranges::nth_element(ranks, ranks.begin() + static_cast<std::ptrdiff_t>(count), before);
}

namespace {

/// The halves of the grid on the halves of the network, and exchanges across their borders.
Mapping cut_onto_network(const MapProblem& problem, const Grid& grid, const Deadline& deadline) {
  constexpr int kSweeps = 8;
  const std::optional<NetworkHalves> halves = NetworkHalves::find(problem);
  const Mapping cut = divide_by_rule(*halves, grid.at.size(),
                                     [&](const NetworkHalves::Node&, std::span<std::uint32_t> ranks, std::size_t low) {
                                       cut_across_lightest(grid, ranks, low);
                                     });
  return exchange_on_network(problem, multilevel::symmetric_graph(problem.traffic), cut, kSweeps, problem.seed,
                             deadline);
}

/// True if each message goes over one link, or stays on a place.
bool is_without_detours(const MapProblem& problem, const Mapping& mapping) {
  const double nearest = std::ranges::min(problem.topology.level_distances());
  return problem.metric == Metric::distance &&
         std::ranges::all_of(problem.traffic.entries(), [&](const TrafficEntry& entry) {
           return problem.topology.distance(mapping[entry.source], mapping[entry.destination]) <= nearest;
         });
}

}  // namespace

std::optional<Mapping> map_grid_onto_network(const MapProblem& problem, const Deadline& deadline) {
  if (!is_large_network(problem)) return std::nullopt;
  const std::optional<Grid> grid = find_grid(problem.traffic, deadline);
  if (!grid) return std::nullopt;
  std::optional<Mapping> whole = embed_grid(problem, *grid, deadline);
  if (whole && is_without_detours(problem, *whole)) return whole;
  Mapping cut = cut_onto_network(problem, *grid, deadline);
  return whole && cost_of(problem, *whole) <= cost_of(problem, cut) ? std::move(*whole) : std::move(cut);
}

}  // namespace topowise
