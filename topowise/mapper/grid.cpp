// SPDX-License-Identifier: BSD-3-Clause
// If all messages go to neighbours in a grid, no search is needed to find compact parts of it: S. Hunold, K. von
// Kirchbach, M. Lehr, C. Schulz and J. L. Traeff, "Efficient process-to-node mapping algorithms for stencil
// computations" (CLUSTER 2020), section IV.B, here over all levels of the machine. A set of ranks is cut across the
// axis where that cuts the fewest bytes, into two parts as large as the two halves of the machine can hold: all ranks
// with smaller coordinates on one side, and of the plane in which the cut falls as many as are needed. Then each half
// likewise. Where the sizes divide, the parts are the blocks of W. Gropp's Nodecart (Parallel Computing 85, 2019).
//
// Which grid it is: of all ways to write the number of ranks as a product, the one in which messages go to neighbours
// only (diagonals and the way round an axis included), and over the fewest steps.
#include <topowise/mapper/grid.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <topowise/mapper/deadline.hpp>
#include <topowise/mapper/instance.hpp>
#include <topowise/mapper/multilevel/host.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostAxes = 4;
using Sizes = std::vector<std::size_t>;
using Point = std::array<std::uint32_t, kMostAxes>;

struct Grid {
  std::vector<Point> at;                   ///< of each rank
  std::array<double, kMostAxes> weight{};  ///< bytes that go along each axis
  std::size_t axes = 0;
};

Point point_of(std::size_t rank, const Sizes& sizes) {
  Point point{};
  for (std::size_t axis = sizes.size(); axis-- > 0; rank /= sizes[axis])
    point[axis] = static_cast<std::uint32_t>(rank % sizes[axis]);
  return point;
}

/// Bytes times steps; infinite if a message goes further than to a neighbour. Adds up the bytes along each axis.
double steps(const Traffic& traffic, const Sizes& sizes, std::array<double, kMostAxes>& weight) {
  double sum = 0;
  for (const TrafficEntry& entry : traffic.entries()) {
    const Point from = point_of(entry.source.index(), sizes);
    const Point to = point_of(entry.destination.index(), sizes);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const std::size_t step = from[axis] > to[axis] ? from[axis] - to[axis] : to[axis] - from[axis];
      if (std::min(step, sizes[axis] - step) > 1) return std::numeric_limits<double>::infinity();
      if (step == 0) continue;
      weight[axis] += entry.bytes.value();
      sum += entry.bytes.value();
    }
  }
  return sum;
}

/// All ways to write n as a product of at most `axes` numbers above 1, in order.
void list_products(std::size_t n, std::size_t axes, Sizes& begun, std::vector<Sizes>& found) {
  if (n == 1 || axes == 0) {
    if (n == 1 && !begun.empty()) found.push_back(begun);
    return;
  }
  for (std::size_t factor = 2; factor <= n; ++factor) {
    if (n % factor != 0) continue;
    begun.push_back(factor);
    list_products(n / factor, axes - 1, begun, found);
    begun.pop_back();
  }
}

std::optional<Grid> find_grid(const Traffic& traffic) {
  constexpr std::size_t kFewRanks = 4096;  // of more, three axes are enough
  std::vector<Sizes> products;
  Sizes begun;
  list_products(traffic.ranks(), traffic.ranks() <= kFewRanks ? kMostAxes : 3, begun, products);
  std::ranges::stable_sort(products, {}, &Sizes::size);  // of equals the one with fewer axes
  const Sizes* best = nullptr;
  double fewest = std::numeric_limits<double>::infinity();
  Grid grid;
  for (const Sizes& sizes : products) {
    std::array<double, kMostAxes> weight{};
    const double sum = steps(traffic, sizes, weight);
    if (sum >= fewest) continue;
    fewest = sum;
    best = &sizes;
    grid.weight = weight;
  }
  if (best == nullptr) return std::nullopt;
  grid.axes = best->size();
  for (std::size_t rank = 0; rank < traffic.ranks(); ++rank) grid.at.push_back(point_of(rank, *best));
  return grid;
}

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
    cut(ranks, count);
    divide(left, ranks.first(count));
    divide(right, ranks.subspan(count));
  }

  /// The first `count` are on one side, the others on the other.
  void cut(Ranks ranks, std::size_t count) const {
    if (count == 0 || count == ranks.size()) return;
    const std::size_t across = lightest_axis(ranks);
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(grid_.at[a][across], a) < std::pair(grid_.at[b][across], b);
    };
    std::ranges::nth_element(ranks, ranks.begin() + static_cast<std::ptrdiff_t>(count), before);
  }

  /// A cut across an axis meets its bytes once for each of the planes that the set is long.
  [[nodiscard]] std::size_t lightest_axis(Ranks ranks) const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < grid_.axes; ++axis) {
      const auto [low, high] = std::ranges::minmax(ranks, {}, [&](std::uint32_t r) { return grid_.at[r][axis]; });
      const double length = static_cast<double>(grid_.at[high][axis] - grid_.at[low][axis]) + 1;
      const double bytes = length > 1 ? grid_.weight[axis] / length : std::numeric_limits<double>::max();
      if (bytes >= least) continue;
      best = axis;
      least = bytes;
    }
    return best;
  }

  const Grid& grid_;
  const multilevel::Host& host_;
  std::vector<int> block_of_;
};

}  // namespace

std::optional<MapperAnswer> map_grid_if_there(const MapProblem& problem) {
  const Deadline deadline(problem.time_limit);
  const std::optional<Grid> grid = find_grid(problem.traffic);
  if (!grid) return std::nullopt;
  const multilevel::Host host(problem, deadline);
  return MapperAnswer{.mapping = Mapping(host.places_of(Cutting(*grid, host).run()))};
}

MapperAnswer map_grid(const MapProblem& problem) {
  if (std::optional<MapperAnswer> answer = map_grid_if_there(problem)) return *std::move(answer);
  std::vector<Place> places = slots(problem);
  places.resize(problem.traffic.ranks());
  return {.mapping = Mapping(std::move(places))};
}

}  // namespace topowise
