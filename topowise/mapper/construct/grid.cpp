// SPDX-License-Identifier: BSD-3-Clause
// If all messages go to neighbours in a grid, no search is needed to find compact parts of it: S. Hunold, K. von
// Kirchbach, M. Lehr, C. Schulz and J. L. Traeff, "Efficient process-to-node mapping algorithms for stencil
// computations" (CLUSTER 2020), section IV.B, here over all levels of the machine. A set of ranks is cut across the
// axis where that cuts the fewest bytes, into two parts as large as the two halves of the machine can hold: all ranks
// with smaller coordinates on one side, and of the plane in which the cut falls as many as are needed. Then each half
// likewise. Where the sizes divide, the parts are the blocks of W. Gropp's Nodecart (Parallel Computing 85, 2019).
//
// On a machine that is a grid itself, the grid may also be laid into it without cuts (grid_embedding). On one that is a
// uniform hierarchy, boxes that divide evenly may be the better parts, and then often the best there are
// (product_tiling); where none do, parts that fit into each other (strip_tiling).
#include <topowise/mapper/problem/mapper_functions.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <topowise/mapper/construct/grid_embedding.hpp>
#include <topowise/mapper/construct/network_grid.hpp>
#include <topowise/mapper/construct/product_tiling.hpp>
#include <topowise/mapper/multilevel/host.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>

namespace topowise {
namespace {

class Cutting {
 public:
  Cutting(const Grid& grid, const multilevel::Host& host) : grid_(grid), host_(host), block_of_(grid.at.size(), 0) {}

  std::vector<int> run() {
    std::vector<std::uint32_t> ranks(grid_.at.size());
    std::iota(ranks.begin(), ranks.end(), 0U);
    divide(host_.nodes().first(1), ranks);
    return std::move(block_of_);
  }

 private:
  using Ranks = std::span<std::uint32_t>;
  using Nodes = std::span<const multilevel::HostNode>;

  [[nodiscard]] std::size_t capacity(Nodes nodes) const {
    const auto first = host_.capacity().begin() + nodes.front().first_block;
    const auto last = host_.capacity().begin() + nodes.back().first_block + nodes.back().blocks;
    return static_cast<std::size_t>(std::accumulate(first, last, std::int64_t{0}));
  }

  void divide(Nodes nodes, Ranks ranks) {
    if (ranks.empty()) return;
    if (nodes.size() == 1) {
      if (nodes.front().children > 0) return divide(host_.children_of(nodes.front()), ranks);
      for (const std::uint32_t rank : ranks) block_of_[rank] = nodes.front().first_block;
      return;
    }
    const Nodes left = nodes.first(nodes.size() / 2);
    const Nodes right = nodes.subspan(nodes.size() / 2);
    const double share = static_cast<double>(capacity(left)) / static_cast<double>(capacity(nodes));
    const auto even = static_cast<std::size_t>(std::lround(share * static_cast<double>(ranks.size())));
    const std::size_t least = ranks.size() - std::min(ranks.size(), capacity(right));
    const std::size_t count = std::clamp(even, least, std::min(ranks.size(), capacity(left)));
    cut_across_lightest(grid_, ranks, count);
    divide(left, ranks.first(count));
    divide(right, ranks.subspan(count));
  }

  const Grid& grid_;
  const multilevel::Host& host_;
  std::vector<int> block_of_;
};

/// Compact parts of the grid that the ranks form and, if the machine is no hierarchy, the whole grid laid into the
/// machine.
void add_grid(const MapProblem& problem, const Deadline& deadline, std::vector<Mapping>& found) {
  const std::optional<Grid> grid = find_grid(problem.traffic, deadline);
  if (!grid) return;
  const multilevel::Host host(problem, deadline);
  found.emplace_back(host.places_of(Cutting(*grid, host).run()));
  if (host.is_hierarchy()) return;
  if (std::optional<Mapping> whole = embed_grid(problem, *grid, deadline)) found.push_back(*std::move(whole));
}

}  // namespace

std::optional<MapperAnswer> map_grid_if_there(const MapProblem& problem, const Deadline& deadline) {
  if (is_large_network(problem)) {
    std::optional<Mapping> onto = map_grid_onto_network(problem, deadline);
    return onto ? std::optional(MapperAnswer{.mapping = *std::move(onto)}) : std::nullopt;
  }
  std::vector<Mapping> found;
  if (std::optional<Mapping> parts = tile_product(problem, deadline)) found.push_back(*std::move(parts));
  add_grid(problem, deadline, found);
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return MapperAnswer{.mapping = std::move(found.front())};
  return MapperAnswer{
      .mapping = *std::ranges::min_element(found, {}, [&](const Mapping& one) { return cost_of(problem, one); })};
}

MapperAnswer map_grid(const MapProblem& problem, const Budget& budget) {
  MapperAnswer in_order{.mapping = fill_in_order(problem)};
  std::optional<MapperAnswer> grid = map_grid_if_there(problem, budget.deadline());
  if (grid && cost_of(problem, grid->mapping) < cost_of(problem, in_order.mapping)) return *std::move(grid);
  return in_order;
}

}  // namespace topowise
