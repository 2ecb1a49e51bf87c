// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/large_network.hpp>

#include <algorithm>

namespace topowise {
namespace {

/// From the middle of a mesh; a torus has no middle. Along each axis the middle has the most points within any number
/// of hops, so the sums of the hops along all axes are the smallest, too.
std::vector<std::pair<int, std::size_t>> around_middle(const GridShape& grid) {
  std::vector<std::size_t> at_hops{1};
  for (const std::uint32_t size : grid.sizes) {
    std::vector<std::size_t> next;
    for (std::uint32_t point = 0; point < size; ++point) {
      const std::uint32_t middle = size / 2;
      const std::uint32_t hops = point > middle ? point - middle : middle - point;  // as short as any way round
      if (next.size() < at_hops.size() + hops) next.resize(at_hops.size() + hops, 0);
      for (std::size_t before = 0; before < at_hops.size(); ++before) next[before + hops] += at_hops[before];
    }
    at_hops = std::move(next);
  }
  std::vector<std::pair<int, std::size_t>> found;
  for (std::size_t hops = 1; hops < at_hops.size(); ++hops) found.emplace_back(static_cast<int>(hops), at_hops[hops]);
  return found;
}

std::vector<std::pair<int, std::size_t>> around_router(const DragonflyShape& fly) {
  const std::size_t places = std::size_t{fly.places} * fly.routers * fly.groups;
  std::vector<std::pair<int, std::size_t>> found;
  std::size_t seen = 1;
  const auto add = [&](int hops, std::size_t most) {
    const std::size_t count = std::min(most, places - seen);
    if (count > 0) found.emplace_back(hops, count);
    seen += count;
  };
  const auto ports = static_cast<std::size_t>((fly.ports() + fly.routers - 1) / fly.routers);  // of the router
  add(2, fly.places - 1);
  add(3, std::size_t{fly.places} * (fly.routers - 1 + ports));
  add(fly.routers > 1 ? 4 : 3, places);
  return found;
}

}  // namespace

bool is_known(const NetworkShape& shape) {
  const auto* grid = std::get_if<GridShape>(&shape);
  return grid == nullptr || grid->sizes.size() <= kMostNetworkAxes;
}

bool is_large_network(const MapProblem& problem) {
  constexpr std::size_t kFewPlaces = 1024;
  return problem.topology.network() != nullptr && problem.topology.place_count() > kFewPlaces &&
         is_known(*problem.topology.network());
}

std::vector<std::pair<int, std::size_t>> most_at_hops(const NetworkShape& shape) {
  const auto* grid = std::get_if<GridShape>(&shape);
  return grid != nullptr ? around_middle(*grid) : around_router(std::get<DragonflyShape>(shape));
}

}  // namespace topowise
