// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/bound/projection_bound.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

double brute_force(const Instance& instance) {
  std::vector<std::uint32_t> slots(instance.slots);
  std::iota(slots.begin(), slots.end(), 0U);
  double best = instance.cost_of(std::span(slots).first(instance.ranks));
  while (std::ranges::next_permutation(slots).found)
    best = std::min(best, instance.cost_of(std::span(slots).first(instance.ranks)));
  return best;
}

void fill(std::vector<double>& matrix, std::size_t n, std::uint32_t most, Random& random) {
  matrix.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) matrix[i * n + j] = matrix[j * n + i] = random.below(most);
  }
}

}  // namespace

TEST_CASE("eigenvalues of a path, of a complete graph, of one number, of a diagonal") {
  constexpr std::size_t kSize = 40;
  std::vector<double> path(kSize * kSize, 0.0);
  std::vector<double> complete(kSize * kSize, 1.0);
  std::vector<double> diagonal(kSize * kSize, 0.0);
  for (std::size_t i = 0; i < kSize; ++i) {
    if (i + 1 < kSize) path[i * kSize + i + 1] = path[(i + 1) * kSize + i] = 1;
    complete[i * kSize + i] = 0;
    diagonal[i * kSize + i] = static_cast<double>((7 * i) % kSize);
  }
  const std::vector<double> of_path = symmetric_eigenvalues(path, kSize);
  const std::vector<double> of_complete = symmetric_eigenvalues(complete, kSize);
  const std::vector<double> of_diagonal = symmetric_eigenvalues(diagonal, kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    const double angle = std::numbers::pi * static_cast<double>(kSize - i) / (kSize + 1);
    CHECK(of_path[i] == doctest::Approx(2 * std::cos(angle)).epsilon(1e-10));
    CHECK(of_complete[i] == doctest::Approx(i + 1 < kSize ? -1.0 : kSize - 1.0).epsilon(1e-10));
    CHECK(of_diagonal[i] == doctest::Approx(static_cast<double>(i)).epsilon(1e-10));
  }
  CHECK(symmetric_eigenvalues({5}, 1) == std::vector{5.0});
  CHECK(symmetric_eigenvalues({}, 0).empty());
}

TEST_CASE("the sum and the squares of the eigenvalues are those of the matrix") {
  Random random(21);
  for (const std::size_t size : {2, 3, 17, 60}) {
    std::vector<double> matrix;
    fill(matrix, size, 100, random);
    double squares = 0;
    for (const double value : matrix) squares += value * value;
    double sum = 0;
    for (const double value : symmetric_eigenvalues(matrix, size)) {
      sum += value;
      squares -= value * value;
    }
    CHECK(std::abs(sum) < 1e-8);
    CHECK(std::abs(squares) < 1e-5);
  }
}

TEST_CASE("the projection bound is never above the optimum") {
  Random random(22);
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    Instance instance{.ranks = 4 + random.below(4), .slots = 7, .symmetric = true};
    fill(instance.flow, instance.ranks, 10, random);
    fill(instance.cost, 7, round % 2 == 0 ? 3 : 30, random);
    const double bound = projection_bound(instance);
    const double best = brute_force(instance);
    CHECK(bound <= best);
    instance.step = 2;
    CHECK(projection_bound(instance) <= best);
  }
}

TEST_CASE("the projection bound is tight for a ring on its own ring") {
  // Both matrices are circulant: they have the same eigenvectors, and their eigenvalues are in opposite order.
  constexpr std::size_t kSize = 7;
  Instance instance{.ranks = kSize, .slots = kSize, .symmetric = true};
  instance.flow.assign(kSize * kSize, 0.0);
  instance.cost.assign(kSize * kSize, 2.0);
  for (std::size_t i = 0; i < kSize; ++i) {
    const std::size_t next = (i + 1) % kSize;
    instance.cost[i * kSize + i] = 0;
    instance.flow[i * kSize + next] = instance.flow[next * kSize + i] = 3;
    instance.cost[i * kSize + next] = instance.cost[next * kSize + i] = 1;
  }
  CHECK(projection_bound(instance) == doctest::Approx(brute_force(instance)));
  CHECK(projection_bound({.ranks = 2, .slots = 2, .symmetric = true}) == 0);
}
