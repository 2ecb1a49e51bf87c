// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange_table.hpp>

#include <cmath>

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

}  // namespace

WholeUnits whole_units(const Instance& instance) {
  constexpr double kFloatExact = 16777216.0;  // 2^24
  WholeUnits units{.flow = common_unit(instance.flow), .cost = common_unit(instance.cost)};
  if (units.flow == 0 || units.cost == 0) return {};
  double most_flow = 0;  // of one rank, both ways
  for (std::size_t i = 0; i < instance.ranks; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < instance.ranks; ++k)
      sum += instance.flow[i * instance.ranks + k] + instance.flow[k * instance.ranks + i];
    most_flow = std::max(most_flow, sum / units.flow);
  }
  const double most_cost = instance.cost.empty() ? 0.0 : *std::ranges::max_element(instance.cost) / units.cost;
  // Each of the five terms of a delta is at most h; a step of an update is no larger.
  units.fits_float = 8 * most_flow * most_cost < kFloatExact;
  return units;
}

std::vector<std::uint32_t> first_twins(std::span<const double> matrix, std::size_t size) {
  const auto at = [&](std::size_t i, std::size_t j) { return matrix[i * size + j]; };
  const auto are_twins = [&](std::size_t i, std::size_t j) {
    if (at(i, j) != at(j, i)) return false;
    for (std::size_t k = 0; k < size; ++k) {
      if (k != i && k != j && (at(i, k) != at(j, k) || at(k, i) != at(k, j))) return false;
    }
    return true;
  };
  std::vector<std::uint32_t> first(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    first[i] = i;
    for (std::uint32_t j = 0; j < i && first[i] == i; ++j) {
      if (first[j] == j && are_twins(i, j)) first[i] = j;
    }
  }
  return first;
}

}  // namespace topowise
