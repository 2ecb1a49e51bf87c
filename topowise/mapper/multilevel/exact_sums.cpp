// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/exact_sums.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace topowise::multilevel {
namespace {

constexpr int kExactBits = 52;  ///< of 53: a difference of two sums is as large as both
constexpr int kCostBits = 20;   ///< of a cost, where costs have more than their share

/// The exponent of the lowest bit that is set in a number above 0.
int lowest_exponent(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // 0.5 <= fraction < 1
  constexpr int kDigits = std::numeric_limits<double>::digits;
  const auto whole = static_cast<std::uint64_t>(std::ldexp(fraction, kDigits));
  return exponent - kDigits + std::countr_zero(whole);
}

/// Numbers from 0 up, and how many bits their sum, or the largest of them, has above the lowest of all.
struct Range {
  int low = std::numeric_limits<int>::max();
  double most = 0;

  void add(double value, double in_all) {
    if (value > 0) low = std::min(low, lowest_exponent(value));
    most = in_all;
  }
  [[nodiscard]] int high() const { return most > 0 ? std::ilogb(most) + 1 : 0; }
  [[nodiscard]] int bits() const { return most > 0 ? high() - low : 0; }
};

}  // namespace

ExactUnits exact_units(const Graph& graph, std::span<const double> costs) {
  Range weight;
  for (const Arc& arc : graph.arcs) weight.add(arc.weight, weight.most + arc.weight);
  Range cost;
  for (const double each : costs) cost.add(each, std::max(cost.most, each));
  if (weight.bits() + cost.bits() <= kExactBits) return {};
  const int cost_bits = std::min(cost.bits(), kCostBits);
  const int weight_bits = kExactBits - 1 - cost_bits;  // a bit for those that are rounded up
  return {std::ldexp(1.0, weight.high() - std::min(weight.bits(), weight_bits)),
          std::ldexp(1.0, cost.high() - cost_bits)};
}

double rounded_to(double value, double unit) {
  if (unit == 0 || value == 0) return value;
  return std::max(1.0, std::round(value / unit)) * unit;
}

}  // namespace topowise::multilevel
