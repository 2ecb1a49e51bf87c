// SPDX-License-Identifier: BSD-3-Clause
// Instances for tests of tables of exchanges, and the slow way to fill such a table.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange/facilities.hpp>
#include <topowise/mapper/exchange/whole_units.hpp>

namespace topowise {

/// Numbers of 1 to 9 units; flows with some probability, costs between all.
inline Instance random_instance(std::size_t ranks, std::size_t slots, bool symmetric, double density, double unit,
                                Random& random) {
  Instance instance{.ranks = ranks, .slots = slots, .symmetric = symmetric};
  const auto fill = [&](std::vector<double>& matrix, std::size_t n, double share) {
    matrix.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j || (symmetric && j > i) || random.unit() >= share) continue;
        matrix[i * n + j] = unit * (1 + random.below(9));
        if (symmetric) matrix[j * n + i] = matrix[i * n + j];
      }
    }
  };
  fill(instance.flow, ranks, density);
  fill(instance.cost, slots, 1.0);
  return instance;
}

inline SlotOfRank random_start(const Instance& instance, Random& random) {
  SlotOfRank start(instance.slots);
  std::iota(start.begin(), start.end(), 0U);
  random.shuffle(std::span(start));
  start.resize(instance.ranks);
  return start;
}

/// A pair of facilities of which the first is a rank.
inline FacilityPair random_pair(const Instance& instance, Random& random) {
  for (;;) {
    const std::uint32_t i = random.below(static_cast<std::uint32_t>(instance.ranks));
    const std::uint32_t j = random.below(static_cast<std::uint32_t>(instance.slots));
    if (i != j) return {std::min(i, j), std::max(i, j)};
  }
}

/// The slow way: every exchange carried out and the whole cost computed, but for entries that are infinite.
template <class Table>
void check_all_changes(const Instance& instance, const WholeUnits& units, const Table& table) {
  std::vector<std::uint32_t> slots(table.slots().begin(), table.slots().end());
  const auto cost = [&] { return instance.cost_of(std::span(slots).first(instance.ranks)); };
  const double before = cost();
  std::size_t finite = 0;
  for (std::size_t i = 0; i < table.ranks(); ++i) {
    for (std::size_t j = i + 1; j < table.facilities(); ++j) {
      if (std::isinf(table.row(i)[j])) continue;
      ++finite;
      std::swap(slots[i], slots[j]);
      REQUIRE(cost() - before == doctest::Approx(units.flow * units.cost * static_cast<double>(table.row(i)[j])));
      std::swap(slots[i], slots[j]);
    }
  }
  REQUIRE(finite > 0);
}

}  // namespace topowise
