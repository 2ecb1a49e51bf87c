// SPDX-License-Identifier: BSD-3-Clause
// The parts that exact search is built on: assignment, bounds, symmetry, delta tables.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>

#include <topowise/mapper/bound/assignment.hpp>
#include <topowise/mapper/bound/dual_ascent.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/problem/matrix_symmetry.hpp>
#include <topowise/mapper/search/robust_tabu.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("assignment: optimal total, reduced entries, nothing lost") {
  Random random(11);
  Assignment assignment;
  for (int round = 0; round < 200; ++round) {
    const std::size_t rows = 1 + random.below(5);
    const std::size_t columns = rows + (round % 2) * random.below(3);
    std::vector<double> matrix(rows * columns);
    for (double& entry : matrix) entry = random.below(20) - 5.0;
    std::vector<std::size_t> column(columns);
    std::iota(column.begin(), column.end(), std::size_t{0});
    std::vector<double> reduced = matrix;
    const double total = assignment.reduce(reduced.data(), rows, columns);
    double least = 1e9;
    do {
      double sum = 0;
      double rest = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        sum += matrix[i * columns + column[i]];
        rest += reduced[i * columns + column[i]];
      }
      least = std::min(least, sum);
      CHECK(total + rest <= doctest::Approx(sum));
      if (rows == columns) CHECK(total + rest == doctest::Approx(sum));
    } while (std::next_permutation(column.begin(), column.end()));
    CHECK(total == doctest::Approx(least));
    for (const double entry : reduced) CHECK(entry >= -1e-9);
    for (std::size_t i = 0; i < rows; ++i)
      CHECK(reduced[i * columns + static_cast<std::size_t>(assignment.column_of_row()[i])] == doctest::Approx(0));
  }
}

TEST_CASE("no bound is above the optimum") {
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 2 + random.below(4);
    MapProblem problem{.traffic = random_traffic(ranks, 0.6, random),
                       .topology = random_matrix(ranks + random.below(3), 1 + round % 2, random)};
    const double optimum = brute_force(problem) + 1e-9;
    const Instance instance = make_instance(problem);
    CHECK(gilmore_lawler_bound(instance) <= optimum);
    CHECK(sorted_products_bound(instance) <= optimum);
    CHECK(lower_bound(problem, Budget()) <= optimum);
    Relaxation relaxation = Relaxation::whole(instance);
    Assignment assignment;
    double before = 0;
    for (int rounds = 0; rounds < 10; ++rounds) {
      CHECK(relaxation.ascend(1e9, assignment));
      CHECK(relaxation.bound() >= before - 1e-9);
      before = relaxation.bound();
    }
    CHECK(before <= optimum);
    problem.topology = round % 2 == 0 ? tree({2, 3}, 1 + round % 3) : ring(ranks + 1, random);
    problem.objective = Objective::max_congestion;
    CHECK(lower_bound(problem, Budget()) <= brute_force(problem) * (1 + 1e-9));
  }
}

TEST_CASE("the bound of large problems holds and is not empty") {
  MapProblem problem{.traffic = grid({64, 64}, {1, 3}, true), .topology = tree({16, 16, 16})};
  const double identity_cost =
      evaluate(problem.objective, problem.traffic, problem.topology, identity(4096), problem.metric);
  const double bound = quick_lower_bound(problem);
  CHECK(bound > 0.3 * identity_cost);
  CHECK(bound <= identity_cost);
}

TEST_CASE("orbits of a tree, a hypercube, and identical elements") {
  const auto matrix_of = [](std::size_t n, auto distance) {
    std::vector<double> matrix(n * n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) matrix[a * n + b] = static_cast<double>(distance(a, b));
    }
    return matrix;
  };
  const auto count = [](const std::vector<std::uint32_t>& representatives) {
    std::size_t orbits = 0;
    for (std::uint32_t a = 0; a < representatives.size(); ++a) orbits += representatives[a] == a ? 1 : 0;
    return orbits;
  };
  const auto level = [](std::size_t a, std::size_t b) { return std::bit_width(a ^ b); };
  const Symmetry tree16(matrix_of(16, level), 16);
  CHECK(count(tree16.representatives({})) == 1);
  CHECK(count(tree16.representatives(std::vector<std::uint32_t>{3})) == 5);  // the slot itself and one orbit per level
  CHECK(count(tree16.representatives(std::vector<std::uint32_t>{3, 12})) == 8);  // the levels of both halves
  const Symmetry cube(matrix_of(16, [](std::size_t a, std::size_t b) { return std::popcount(a ^ b); }), 16);
  CHECK(count(cube.representatives({})) == 1);
  CHECK(count(cube.representatives(std::vector<std::uint32_t>{0})) == 5);
  const Symmetry equal(matrix_of(40, [](std::size_t a, std::size_t b) { return a == b ? 0 : 1; }), 40);
  CHECK(count(equal.representatives(std::vector<std::uint32_t>{7, 8})) == 3);
  // A path of five has only one symmetry: its reversal.
  const auto gap = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
  CHECK(Symmetry(matrix_of(5, gap), 5).representatives({}) == std::vector<std::uint32_t>{0, 1, 2, 1, 0});
  // Directed distances break a ring's reversal, not its rotation.
  const auto ahead = [](std::size_t a, std::size_t b) { return b == (a + 1) % 5 ? 1 : 0; };
  CHECK(count(Symmetry(matrix_of(5, ahead), 5).representatives({})) == 1);
  CHECK(count(Symmetry(matrix_of(5, ahead), 5).representatives(std::vector<std::uint32_t>{0})) == 5);
}

TEST_CASE("robust tabu: its cost is that of its mapping, whatever the density, direction and capacity") {
  Random random(13);
  for (int round = 0; round < 24; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 3 + random.below(20);
    const MapProblem problem{
        .traffic = random_traffic(ranks, round % 3 == 0 ? 0.9 : 0.1, random),
        .topology = round % 2 == 0 ? random_matrix(ranks + random.below(4), 2, random) : tree({4, 6})};
    const Instance instance = make_instance(problem);
    SlotOfRank start(ranks);
    std::iota(start.begin(), start.end(), 0U);
    const ExchangeResult result = robust_tabu(instance, start, {.iterations = 300, .seed = 5}, Deadline(Seconds(60)));
    CHECK(result.cost == doctest::Approx(instance.cost_of(result.slot_of_rank)));
    CHECK(result.cost <= instance.cost_of(start));
  }
}
