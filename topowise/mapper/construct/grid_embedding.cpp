// SPDX-License-Identifier: BSD-3-Clause
// A grid of 16 x 8 x 4 ranks on a torus of 8 x 8 x 8: the 16 is folded once, and its two halves share an axis with the
// 4. In general each axis of the ranks is written as a product, one factor for each axis of the machine, and an axis of
// the machine holds the factors that all axes of the ranks have for it, if their product is not too large. A coordinate
// of a rank becomes digits in reflected mixed radix (Gray code): a step changes one digit, by one. Several digits on
// one axis of the machine are put together likewise, the outer one reflecting the inner ones, so that rows are joined
// at their ends as a snake is. (Embeddings of grids in grids by folding: R. Aleliunas and A. L. Rosenberg, "On
// embedding rectangular grids in square grids", IEEE Trans. Computers C-31, 1982; Ma and Tao, "Embeddings among toruses
// and meshes", ICPP 1987.)
//
// A search chooses the factors, the fastest digit and the axis that lies outside. It tries the factors with the fewest
// folds first, as many as its steps allow, and for each of them the orders one after the other, by the hop-bytes that
// they cost.
//
// A place that holds several ranks is a machine with one more axis, along which a step costs nothing.
#include <topowise/mapper/construct/grid_embedding.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>
#include <topowise/mapper/problem/product.hpp>

namespace topowise {
namespace {

/// Bytes times steps; infinite if a message goes further than to a neighbour, or no time is left. Adds up the bytes
/// along each axis.
double steps(const Traffic& traffic, const Sizes& sizes, std::array<double, kMostAxes>& weight,
             const Deadline& deadline) {
  constexpr std::size_t kBetweenLooks = 1 << 16;
  double sum = 0;
  std::size_t seen = 0;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (++seen % kBetweenLooks == 0 && deadline.passed()) return std::numeric_limits<double>::infinity();
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

/// The grid of a product whose ranks are in another order.
std::optional<Grid> grid_of_product(const Traffic& traffic) {
  const std::optional<Product> product = find_product(traffic);
  if (!product || product->axes.size() > kMostAxes) return std::nullopt;
  Grid grid;
  grid.at.resize(traffic.ranks());
  for (std::size_t axis = 0; axis < product->axes.size(); ++axis) {
    const ProductAxis& each = product->axes[axis];
    grid.sizes.push_back(each.size);
    grid.weight[axis] = each.weight * edges_along(each, traffic.ranks());
    for (std::size_t rank = 0; rank < traffic.ranks(); ++rank)
      grid.at[rank][axis] = static_cast<std::uint32_t>(product->number_of(rank) / each.stride % each.size);
  }
  return grid;
}

}  // namespace

Point point_of(std::size_t number, const Sizes& sizes) {
  Point point{};
  for (std::size_t axis = sizes.size(); axis-- > 0; number /= sizes[axis])
    point[axis] = static_cast<std::uint32_t>(number % sizes[axis]);
  return point;
}

std::vector<Sizes> products(std::size_t n, std::size_t axes) {
  std::vector<Sizes> found;
  Sizes begun;
  list_products(n, axes, begun, found);
  std::ranges::stable_sort(found, {}, &Sizes::size);
  return found;
}

std::optional<Grid> find_grid(const Traffic& traffic, const Deadline& deadline) {
  constexpr std::size_t kFewRanks = 4096;  // for more ranks three axes are enough
  Grid grid;
  double fewest = std::numeric_limits<double>::infinity();
  for (const Sizes& sizes : products(traffic.ranks(), traffic.ranks() <= kFewRanks ? kMostAxes : 3)) {
    std::array<double, kMostAxes> weight{};
    const double sum = steps(traffic, sizes, weight, deadline);
    if (deadline.passed()) return std::nullopt;
    if (sum >= fewest) continue;
    fewest = sum;
    grid.sizes = sizes;
    grid.weight = weight;
  }
  if (grid.sizes.empty()) return grid_of_product(traffic);
  grid.at.reserve(traffic.ranks());
  for (std::size_t rank = 0; rank < traffic.ranks(); ++rank) grid.at.push_back(point_of(rank, grid.sizes));
  return grid;
}

namespace {

constexpr std::size_t kMostHostAxes = kMostNetworkAxes + 1;
using HostPoint = std::array<std::uint32_t, kMostHostAxes>;

/// The places as a grid. If the last axis has no cost, it stands for the ranks that a place holds.
struct HostGrid {
  Sizes sizes;
  std::vector<double> step_cost;  ///< along each axis
  bool wraps = false;
  std::vector<Place> place;  ///< by number, the last axis counted first

  [[nodiscard]] double distance(const HostPoint& a, const HostPoint& b) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const std::size_t step = a[axis] > b[axis] ? a[axis] - b[axis] : b[axis] - a[axis];
      sum += step_cost[axis] * static_cast<double>(wraps ? std::min(step, sizes[axis] - step) : step);
    }
    return sum;
  }
};

HostPoint host_point(std::size_t number, const Sizes& sizes) {
  HostPoint point{};
  for (std::size_t axis = sizes.size(); axis-- > 0; number /= sizes[axis])
    point[axis] = static_cast<std::uint32_t>(number % sizes[axis]);
  return point;
}

/// True if a few rows of the distances are those of that grid. That is enough for a try, because the cost of the result
/// is checked in the end.
bool looks_like(const MapProblem& problem, const HostGrid& host) {
  const std::size_t n = host.place.size();
  for (const std::size_t from : {std::size_t{0}, n / 3, n - 1}) {
    const HostPoint at = host_point(from, host.sizes);
    for (std::size_t to = 0; to < n; ++to) {
      const double cost = problem.topology.pair_cost(problem.metric, host.place[from], host.place[to]);
      if (std::abs(cost - host.distance(at, host_point(to, host.sizes))) > 1e-9 * (1 + cost)) return false;
    }
  }
  return true;
}

HostGrid with_capacity(HostGrid host, std::size_t capacity) {
  if (capacity > 1) {
    host.sizes.push_back(capacity);
    host.step_cost.push_back(0.0);
  }
  return host;
}

/// The grid that the machine says it is; nothing if not all of it may be used.
std::optional<HostGrid> host_of_shape(const MapProblem& problem, HostGrid host, std::size_t capacity) {
  const auto* shape = std::get_if<GridShape>(problem.topology.network());
  if (shape == nullptr || host.place.size() != problem.topology.place_count()) return std::nullopt;
  host.sizes.assign(shape->sizes.begin(), shape->sizes.end());
  host.wraps = shape->closed;
  host.step_cost.assign(host.sizes.size(), std::ranges::min(problem.topology.level_distances()));
  std::ranges::sort(host.place);
  return with_capacity(std::move(host), capacity);
}

std::optional<HostGrid> find_host_grid(const MapProblem& problem, const Deadline& deadline) {
  constexpr std::size_t kMostPlaces = 1 << 17;
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  const std::size_t capacity = all.front().capacity;
  if (all.size() < 4 || (all.size() > kMostPlaces && !is_large_network(problem))) return std::nullopt;
  if (std::ranges::any_of(all, [&](const PlaceCapacity& each) { return each.capacity != capacity; }))
    return std::nullopt;
  HostGrid host;
  for (const PlaceCapacity& each : all) host.place.push_back(each.place);
  if (is_large_network(problem)) return host_of_shape(problem, std::move(host), capacity);
  const double step = problem.topology.pair_cost(problem.metric, host.place[0], host.place[1]);
  for (const Sizes& sizes : products(all.size(), kMostAxes)) {
    for (const bool wraps : {true, false}) {
      if (deadline.passed()) return std::nullopt;
      host.sizes = sizes;
      host.step_cost.assign(sizes.size(), step);
      host.wraps = wraps;
      if (!looks_like(problem, host)) continue;
      return with_capacity(std::move(host), capacity);
    }
  }
  return std::nullopt;
}

using Factors = std::array<std::array<std::uint32_t, kMostHostAxes>, kMostAxes>;  ///< [axis of the ranks][of the host]

/// Lists the ways to split the ranks' axes.
class Splits {
 public:
  Splits(const Sizes& guest, const Sizes& host) : guest_(guest), left_(host) {
    for (auto& row : begun_) row.fill(1);
    list(0, 0, guest.front());
    std::ranges::stable_sort(found_, {}, [](const Factors& factors) {
      std::size_t folds = 0;
      for (const auto& row : factors) folds += kMostHostAxes - static_cast<std::size_t>(std::ranges::count(row, 1U));
      return folds;
    });
  }
  [[nodiscard]] std::span<const Factors> all() const { return found_; }

 private:
  static constexpr std::size_t kMost = 20000;
  static constexpr std::size_t kMostLooks = 20'000'000;

  void list(std::size_t axis, std::size_t along, std::size_t left) {
    if (found_.size() == kMost || ++looks_ > kMostLooks) return;
    if (along == left_.size()) {
      if (left > 1) return;
      if (axis + 1 == guest_.size()) {
        found_.push_back(begun_);
      } else {
        list(axis + 1, 0, guest_[axis + 1]);
      }
      return;
    }
    for (std::size_t factor = 1; factor <= std::min(left, left_[along]); ++factor) {
      if (left % factor != 0) continue;
      const std::size_t before = left_[along];
      left_[along] /= factor;
      begun_[axis][along] = static_cast<std::uint32_t>(factor);
      list(axis, along + 1, left / factor);
      left_[along] = before;
    }
    begun_[axis][along] = 1;
  }

  const Sizes& guest_;
  Sizes left_;
  Factors begun_{};
  std::vector<Factors> found_;
  std::size_t looks_ = 0;
};

/// One split, and the orders of its digits.
class Embedding {
 public:
  Embedding(const Grid& grid, const HostGrid& host, const Factors& factors)
      : grid_(grid), host_(host), factors_(factors), digits_(grid.sizes.size()), stacks_(host.sizes.size()) {
    for (std::size_t i = 0; i < grid.sizes.size(); ++i) {
      for (std::size_t j = 0; j < host.sizes.size(); ++j) {
        if (factors[i][j] == 1) continue;
        digits_[i].push_back(j);
        stacks_[j].push_back(i);
      }
    }
  }

  /// Replaces one order after the other by the best one, while the others stay.
  /// It ends where the cost is down to `target`, or when the deadline passes.
  double improve(const Traffic& traffic, double target, const Deadline& deadline) {
    double best = cost(traffic);
    for (std::vector<std::vector<std::size_t>>* orders : {&digits_, &stacks_}) {
      for (std::vector<std::size_t>& order : *orders) {
        std::vector<std::size_t> tried = order;
        std::ranges::sort(tried);
        std::vector<std::size_t> winner = order;
        do {
          if (best <= target || deadline.passed()) break;
          order = tried;
          const double value = cost(traffic);
          if (value >= best) continue;
          best = value;
          winner = order;
        } while (std::next_permutation(tried.begin(), tried.end()));
        order = winner;
      }
    }
    return best;
  }

  [[nodiscard]] Mapping mapping() const {
    std::vector<Place> places;
    const std::size_t grid_axes = host_.step_cost.back() == 0.0 ? host_.sizes.size() - 1 : host_.sizes.size();
    for (const HostPoint& at : positions()) {
      std::size_t number = 0;
      for (std::size_t axis = 0; axis < grid_axes; ++axis) number = number * host_.sizes[axis] + at[axis];
      places.push_back(host_.place[number]);
    }
    return Mapping(std::move(places));
  }

 private:
  [[nodiscard]] double cost(const Traffic& traffic) const {
    const std::vector<HostPoint> at = positions();
    double sum = 0;
    for (const TrafficEntry& entry : traffic.entries())
      sum += entry.bytes.value() * host_.distance(at[entry.source.index()], at[entry.destination.index()]);
    return sum;
  }

  /// Digits of every coordinate: a step changes one of them, by one.
  [[nodiscard]] std::vector<std::vector<HostPoint>> reflected_digits() const {
    std::vector<std::vector<HostPoint>> table;
    for (std::size_t i = 0; i < grid_.sizes.size(); ++i) {
      std::vector<HostPoint>& row = table.emplace_back(grid_.sizes[i], HostPoint{});
      for (std::size_t value = 0; value < row.size(); ++value) {
        std::size_t rest = value;
        for (const std::size_t j : digits_[i]) {  // the fastest first
          const std::size_t factor = factors_[i][j];
          const std::size_t digit = rest % factor;
          rest /= factor;
          row[value][j] = static_cast<std::uint32_t>(rest % 2 == 0 ? digit : factor - 1 - digit);
        }
      }
    }
    return table;
  }

  [[nodiscard]] std::vector<HostPoint> positions() const {
    const std::vector<std::vector<HostPoint>> digit = reflected_digits();
    std::vector<HostPoint> result;
    result.reserve(grid_.at.size());
    for (const Point& point : grid_.at) {
      HostPoint at{};
      for (std::size_t j = 0; j < stacks_.size(); ++j) {
        for (const std::size_t i : stacks_[j]) {  // the outermost first
          const std::uint32_t inner = digit[i][point[i]][j];
          at[j] = at[j] * factors_[i][j] + (at[j] % 2 == 0 ? inner : factors_[i][j] - 1 - inner);
        }
      }
      result.push_back(at);
    }
    return result;
  }

  const Grid& grid_;
  const HostGrid& host_;
  Factors factors_;
  std::vector<std::vector<std::size_t>> digits_;  ///< axes of the host that each axis of the ranks uses
  std::vector<std::vector<std::size_t>> stacks_;  ///< axes of the ranks that each axis of the host holds
};

}  // namespace

std::optional<Mapping> embed_grid(const MapProblem& problem, const Grid& grid, const Deadline& deadline) {
  constexpr double kMostSteps = 3e8;   // messages looked at, in all tries together
  constexpr double kTriesASplit = 20;  // about
  const std::optional<HostGrid> host = find_host_grid(problem, deadline);
  if (!host) return std::nullopt;
  const Splits splits(grid.sizes, host->sizes);
  const auto messages = static_cast<double>(std::max<std::size_t>(1, problem.traffic.entries().size()));
  const auto most = static_cast<std::size_t>(std::max(1.0, kMostSteps / (kTriesASplit * messages)));
  const double step = *std::ranges::min_element(host->step_cost);
  const double without_detours = step * problem.traffic.total_bytes().value();  // each message over one link
  std::optional<Mapping> best;
  double least = 0;
  for (const Factors& factors : splits.all().first(std::min(most, splits.all().size()))) {
    if (best && deadline.passed()) break;
    Embedding embedding(grid, *host, factors);
    const double cost = embedding.improve(problem.traffic, without_detours, deadline);
    if (best && cost >= least) continue;
    best = embedding.mapping();
    least = cost;
    if (cost <= without_detours) break;
  }
  return best;
}

}  // namespace topowise
