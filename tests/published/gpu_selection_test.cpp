// SPDX-License-Identifier: BSD-3-Clause
// The shape of figures 3 and 4 of Faraji et al. (AsHES 2016). The figures show measured values; a model can be held to
// what the text says about them. The model does not show one of these statements: an improvement of the unweighted 3D
// Torus, where rank i on GPU i is already one of the best mappings in hop-bytes (docs/models/predicted-time.md).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <tests/published/gpu_selection.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

constexpr double kLarge = 4.0 * 1024 * 1024;
constexpr double kSmall = 1024;

/// Rows, by microbenchmark.
std::map<std::string_view, SelectionRow> rows(int weight, double bytes) {
  std::map<std::string_view, SelectionRow> found;
  for (const Microbenchmark& benchmark : kMicrobenchmarks)
    found[benchmark.name] = select_gpus(benchmark, weight, bytes, 0.1);
  return found;
}

double by_distance(const SelectionRow& row) {
  return row.improvement[0];
}

void check_predicted_time_is_best(const SelectionRow& row) {
  for (const double improvement : row.improvement) CHECK(row.improvement.back() >= improvement - 1e-9);
}

}  // namespace

TEST_CASE("AsHES 2016, figure 3: without weights only the asymmetric 2D Stencil gains by hop-bytes") {
  const auto large = rows(1, kLarge);
  const SelectionRow& stencil = large.at("2D Stencil");
  CHECK(by_distance(stencil) > 0.05);  // 8.3 or 13.7 %: mappings of equal hop-bytes differ in time
  CHECK(std::max({stencil.improvement[0], stencil.improvement[1], stencil.improvement[2]}) > 0.1);
  for (const char* symmetric : {"2D Torus", "4D Hypercube"}) {
    CAPTURE(symmetric);
    CHECK(std::abs(by_distance(large.at(symmetric))) < 0.01);  // "no (or limited) improvement"
  }
  for (const auto& [name, row] : large) check_predicted_time_is_best(row);
}

TEST_CASE("AsHES 2016, figure 4: with weights all gain, large messages most") {
  const auto large = rows(3, kLarge);
  const auto small = rows(3, kSmall);
  for (const auto& [name, row] : large) {
    CAPTURE(std::string(name));
    CHECK(by_distance(row) > 0.5);
    CHECK(by_distance(row) > by_distance(small.at(name)));
    check_predicted_time_is_best(row);
  }
  // "the improvements are higher for the 2D Torus microbenchmark than the 3D Torus": ours are equal.
  CHECK(by_distance(large.at("2D Torus")) >= by_distance(large.at("3D Torus")) - 1e-9);
}
