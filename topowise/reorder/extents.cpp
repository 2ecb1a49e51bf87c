// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/extents.hpp>

#include <algorithm>
#include <numeric>

#include <topowise/reorder/reorder.hpp>
#include <topowise/reorder/virtual_topology.hpp>

namespace topowise {
namespace {

/// All ordered factorisations of `cells` into `dimensions` factors; falling ones, like those of MPI_Dims_create, come
/// first.
void factorise(int cells, std::size_t dimensions, std::vector<int>& begun, std::vector<std::vector<int>>& found) {
  if (begun.size() + 1 == dimensions) {
    found.push_back(begun);
    found.back().push_back(cells);
    return;
  }
  for (int factor = cells; factor > 0; --factor) {
    if (cells % factor != 0) continue;
    begun.push_back(factor);
    factorise(cells / factor, dimensions, begun, found);
    begun.pop_back();
  }
}

/// What all cells send through their faces: an axis that is not cut sends nothing.
int surface(const std::vector<int>& extents) {
  int sum = 0;
  for (const int extent : extents) sum += extent > 1 ? extent : 0;
  return sum;
}

double mapped_cost(std::span<const int> extents, std::span<const bool> periodic, const JobMachine& machine,
                   const std::optional<MapOptions>& options) {
  return reorder(VertexTraffic(cartesian_traffic(extents, periodic, extents)), machine, options).cost;
}

}  // namespace

std::optional<BetterExtents> better_extents(std::span<const int> extents, std::span<const bool> periodic,
                                            const JobMachine& machine, const std::optional<MapOptions>& options) {
  constexpr double kWorthSaying = 0.95;
  const int cells = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies{});
  std::vector<int> begun;
  std::vector<std::vector<int>> all;
  factorise(cells, extents.size(), begun, all);
  std::ranges::stable_sort(all, {}, surface);
  if (all.size() > kMostExtents) all.resize(kMostExtents);
  BetterExtents best{.extents = {}, .cost_now = mapped_cost(extents, periodic, machine, options)};
  best.cost = kWorthSaying * best.cost_now;
  for (std::vector<int>& other : all) {
    const double cost = mapped_cost(other, periodic, machine, options);
    if (cost >= best.cost) continue;
    best.cost = cost;
    best.extents = std::move(other);
  }
  if (best.extents.empty()) return {};
  return best;
}

}  // namespace topowise
