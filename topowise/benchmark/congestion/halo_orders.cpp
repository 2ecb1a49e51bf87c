// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/congestion/halo_orders.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/schedule/enumerate.hpp>
#include <topowise/schedule/heuristic.hpp>
#include <topowise/schedule/in_order.hpp>
#include <topowise/schedule/orders.hpp>
#include <topowise/schedule/playback.hpp>

namespace topowise::benchmark {
namespace {

constexpr double kMostOrders = 1e7;
constexpr std::size_t kMostUniformDimensions = 3;
constexpr std::string_view kCompass = "NSWE";  // rows grow to the south, columns to the east

Mapping rank_on_place(const CongestionModel& model, const Exchange& exchange) {
  const std::size_t places = model.topology().place_count();
  if (exchange.ranks() > places)
    throw bad_input(
        fmt::format("the grid has {} ranks, '{}' has {} places", exchange.ranks(), model.topology().name(), places));
  std::vector<Place> all;
  for (std::size_t rank = 0; rank < exchange.ranks(); ++rank) all.emplace_back(rank);
  return Mapping(std::move(all));
}

std::string name_of(int direction, std::size_t dimensions) {
  if (dimensions == 2) return std::string(1, kCompass[static_cast<std::size_t>(direction)]);
  return fmt::format("{}{}", direction / 2, direction % 2 == 0 ? '-' : '+');
}

std::vector<UniformOrders> uniform_orders(CongestionModel& model, std::span<const int> extents, Bytes bytes) {
  if (extents.size() > kMostUniformDimensions) return {};
  std::vector<int> directions(2 * extents.size());
  std::iota(directions.begin(), directions.end(), 0);
  std::map<long long, UniformOrders> by_time;  // times that differ only by rounding share an entry
  do {
    const Exchange exchange = halo(extents, bytes, directions);
    OrderProblem problem(model, exchange, rank_on_place(model, exchange));
    const Seconds time(play_order(problem, problem.given()));
    constexpr double kGrain = 1e9;
    UniformOrders& same = by_time[std::llround(time / (bytes / model.unit()) * kGrain)];
    if (same.count++ > 0) continue;
    std::vector<std::string> names;
    for (const int direction : directions) names.push_back(name_of(direction, extents.size()));
    same.directions = fmt::format("{}", fmt::join(names, ","));
    same.time = time;
  } while (std::ranges::next_permutation(directions).found);
  std::vector<UniformOrders> found;
  for (auto& [key, orders] : by_time) found.push_back(std::move(orders));
  return found;
}

}  // namespace

HaloTimes halo_times(CongestionModel& model, std::span<const int> extents, Bytes bytes) {
  const Exchange exchange = halo(extents, bytes);
  OrderProblem problem(model, exchange, rank_on_place(model, exchange));
  HaloTimes found;
  found.orders = problem.order_count();
  found.alone = bytes / model.unit();
  if (found.orders <= kMostOrders) {
    const Enumeration all = enumerate_orders(problem);
    found.fastest = all.best;
    found.proven = all.complete;
    found.median = Seconds(all.times.quantile(0.5));
    found.slowest = all.worst;
    constexpr int kPoints = 50;
    for (int i = 0; i <= kPoints; ++i) {
      const double time = Seconds(all.times.quantile(static_cast<double>(i) / kPoints)) / found.alone;
      found.curve.push_back({100.0 * i / kPoints, time, time, time});
    }
  } else {
    const FoundOrder best = best_order(problem, 1);
    found.fastest = best.makespan;
    found.proven = best.proven_optimal();
  }
  found.uniform = uniform_orders(model, extents, bytes);
  return found;
}

std::vector<int> parse_directions(std::string_view text, std::size_t dimensions) {
  std::vector<int> directions;
  for (const std::string_view part : split(text, ',')) {
    for (int direction = 0; direction < 2 * static_cast<int>(dimensions); ++direction) {
      if (name_of(direction, dimensions) == trim(part)) directions.push_back(direction);
    }
  }
  std::vector<int> all(2 * dimensions);
  std::iota(all.begin(), all.end(), 0);
  if (std::ranges::is_permutation(directions, all) && split(text, ',').size() == all.size()) return directions;
  std::vector<std::string> names;
  for (const int direction : all) names.push_back(name_of(direction, dimensions));
  throw usage_error(fmt::format("--directions: '{}' does not name each direction once", printable(text)),
                    fmt::format("--directions {}", fmt::join(names, ",")));
}

void predict_phases(CongestionModel& model, std::span<const int> extents, std::span<const int> directions,
                    std::vector<HaloPhase>& phases) {
  for (HaloPhase& phase : phases) {
    const Exchange given = halo(extents, phase.bytes, directions);
    const Mapping mapping = rank_on_place(model, given);
    RateMemo memo(model);
    phase.given = simulate(memo, given, mapping).makespan;
    OrderProblem problem(model, given, mapping);
    const Exchange best = in_order(given, problem, best_order(problem, 1).order);
    phase.best = simulate(memo, best, mapping).makespan;
  }
}

}  // namespace topowise::benchmark
