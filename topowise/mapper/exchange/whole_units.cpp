// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/whole_units.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace topowise {
namespace {

/// The largest number of which all are multiples, 0 if they are not all whole halves (means of two whole numbers) that
/// a double holds exactly.
double common_unit(std::span<const double> numbers) {
  constexpr double kExact = 4503599627370496.0;  // 2^52
  std::int64_t divisor = 0;
  for (const double number : numbers) {
    const double twice = 2 * number;
    if (twice != std::floor(twice) || std::abs(twice) > kExact) return 0;
    divisor = std::gcd(divisor, static_cast<std::int64_t>(twice));
  }
  return divisor == 0 ? 1.0 : static_cast<double>(divisor) / 2;
}

double largest(std::span<const double> numbers) {
  return numbers.empty() ? 0.0 : *std::ranges::max_element(numbers);
}

}  // namespace

WholeUnits whole_units(const Instance& instance) {
  constexpr double kFloatExact = 16777216.0;  // 2^24
  constexpr double kMostFactor = 16383.0;     // 2^14 - 1
  WholeUnits units{.flow = common_unit(instance.flow), .cost = common_unit(instance.cost)};
  if (units.flow == 0 || units.cost == 0) return {};
  double most_of_rank = 0;  // both ways
  for (std::size_t i = 0; i < instance.ranks; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < instance.ranks; ++k)
      sum += instance.flow[i * instance.ranks + k] + instance.flow[k * instance.ranks + i];
    most_of_rank = std::max(most_of_rank, sum / units.flow);
  }
  const double most_flow = largest(instance.flow) / units.flow;
  const double most_cost = largest(instance.cost) / units.cost;
  // Each of the five terms of a delta is at most h; a step of an update is no larger.
  units.fits_float = 8 * most_of_rank * most_cost < kFloatExact && most_cost <= kMostFactor && most_flow <= kMostFactor;
  return units;
}

}  // namespace topowise
