// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <tests/paper_trees.hpp>
#include <topowise/base/error.hpp>
#include <topowise/predict/congestion/pcie_congestion.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

using Messages = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::vector<double> factors_of(PcieCongestion& model, const Messages& messages) {
  std::vector<std::uint32_t> paths;
  for (const auto& [from, to] : messages) paths.push_back(model.add(from, to));
  std::vector<double> result(paths.size());
  model.factors(paths, result);
  return result;
}

std::vector<double> factors_of(PcieTree tree, const Messages& messages) {
  PcieCongestion model(std::move(tree));
  return factors_of(model, messages);
}

void check_factors(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-12));
  }
}

/// The load of the fullest link, as a share of its capacity.
double fullest(const PcieCongestion& model, std::size_t first_path, const std::vector<double>& factors) {
  std::vector<double> load(model.tree().link_count(), 0.0);
  double most = 0;
  for (std::size_t c = 0; c < factors.size(); ++c) {
    for (const std::uint32_t id : model.links(static_cast<std::uint32_t>(first_path + c))) {
      load[id] += factors[c];
      most = std::max(most, load[id] / model.tree().link(id).capacity);
    }
  }
  return most;
}

}  // namespace

TEST_CASE("congestion factors: pairs on T2") {
  check_factors(factors_of(paper_t2(), {{0, 1}}), {1});
  check_factors(factors_of(paper_t2(), {{4, 1}}), {1 - kPaperTau});
  check_factors(factors_of(paper_t2(), {{0, 3}, {1, 2}}), {0.5, 0.5});
  check_factors(factors_of(paper_t2(), {{0, 1}, {2, 1}}), {0.5, 0.5});
  check_factors(factors_of(paper_t2(), {{0, 1}, {4, 1}}), {0.5 + kPaperTau, 0.5 - kPaperTau});
  check_factors(factors_of(paper_t2(), {{0, 1}, {1, 0}}), {1, 1});
  check_factors(factors_of(paper_t2(), {{0, 4}, {4, 0}}), {1 - kPaperTau, 1 - kPaperTau});
}

TEST_CASE("congestion factors: head-of-line blocking on T1 holds a message that max-min fairness would let go") {
  check_factors(factors_of(paper_t1(), {{0, 2}, {1, 5}, {4, 2}, {6, 2}}), {1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3});
}

TEST_CASE("congestion factors: four groups at one port, one of them from behind the root complex") {
  std::vector<PcieVertex> vertices{{.name = "RC", .root_complex = true, .tau = 0.2}, {"S", 0}};
  for (const char* name : {"target", "a", "b", "c"}) vertices.push_back({name, 1});
  vertices.push_back({"far", 0});
  check_factors(factors_of(PcieTree(std::move(vertices)), {{6, 2}, {3, 2}, {4, 2}, {5, 2}}),
                {1.0 / 20, 19.0 / 60, 19.0 / 60, 19.0 / 60});
}

TEST_CASE("congestion factors: nothing active, and the same path twice") {
  CHECK(factors_of(paper_t2(), {}).empty());
  check_factors(factors_of(paper_t2(), {{0, 2}, {0, 2}}), {0.5, 0.5});
}

TEST_CASE("congestion factors: a narrow link is the ceiling of its messages") {
  std::vector<PcieVertex> vertices{
      {"S"}, {.name = "wide", .parent = 0}, {.name = "x8", .parent = 0, .up = 0.5, .down = 0.5}};
  vertices.push_back({.name = "other", .parent = 0});
  check_factors(factors_of(PcieTree(vertices), {{1, 2}}), {0.5});
  check_factors(factors_of(PcieTree(vertices), {{2, 1}}), {0.5});
  check_factors(factors_of(PcieTree(vertices), {{1, 2}, {3, 2}}), {0.25, 0.25});
}

TEST_CASE("congestion factors: no link above capacity, no factor above its ceiling, order does not matter") {
  for (const FreedBandwidth freed : {FreedBandwidth::paper, FreedBandwidth::filled}) {
    for (const bool equal_links : {true, false}) {
      Random random(7);
      for (int round = 0; round < 4000; ++round) {
        CAPTURE(round);
        PcieCongestion model(random_tree(random, 24, equal_links), freed);
        Messages messages = random_messages(random, model.tree());
        const std::vector<double> factors = factors_of(model, messages);
        REQUIRE(fullest(model, 0, factors) <= 1.0 + 1e-9);
        for (std::size_t c = 0; c < messages.size(); ++c) {
          REQUIRE(factors[c] >= 0);
          REQUIRE(factors[c] <= model.tree().path(messages[c].first, messages[c].second).ceiling + 1e-12);
        }
        std::vector<std::size_t> order(messages.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        random.shuffle(std::span(order));
        Messages shuffled;
        for (const std::size_t i : order) shuffled.push_back(messages[i]);
        const std::vector<double> again = factors_of(model, shuffled);
        for (std::size_t i = 0; i < order.size(); ++i)
          REQUIRE(again[i] == doctest::Approx(factors[order[i]]).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("congestion factors: filling never takes away") {
  Random random(11);
  for (int round = 0; round < 2000; ++round) {
    const PcieTree tree = random_tree(random, 20);
    const Messages messages = random_messages(random, tree);
    PcieCongestion paper(tree);
    PcieCongestion filled(tree, FreedBandwidth::filled);
    const std::vector<double> factors = factors_of(filled, messages);
    factors_of(paper, messages);
    for (std::size_t c = 0; c < messages.size(); ++c) REQUIRE(factors[c] >= paper.stages().blocked[c] - 1e-12);
  }
}

TEST_CASE("PCIe tree: what is no tree is refused") {
  const auto refused = [](std::vector<PcieVertex> vertices, const char* what) {
    CHECK_THROWS_WITH_AS(PcieTree(std::move(vertices)), doctest::Contains(what), Error);
  };
  refused({{"a", 1}, {"b", 0}}, "'a' is its own ancestor");
  refused({{"root"}, {"a", 2}, {"b", 3}, {"c", 1}}, "its own ancestor");
  refused({{"a", 5}}, "the parent of 'a' does not exist");
  refused({{"root"}, {"a", 0, 0.0}}, "a link of 'a' has capacity '0'");
  refused({{"root"}, {"a", 0, 1.0, -1.0}}, "a link of 'a' has capacity '-1'");
  refused({{.name = "rc", .root_complex = true, .tau = 0.5}}, "tau of 'rc' is '0.5'");
  refused({{"root"}, {.name = "a", .parent = 0, .root_complex = true}}, "'a' has a parent");
  CHECK_THROWS_AS((void)paper_t2().path(3, 3), Error);
}

TEST_CASE("PCIe tree: paths go up in link number and are named") {
  const PcieTree tree = paper_t2();
  const PciePath path = tree.path(1, 4);
  std::string walk;
  for (const std::uint32_t id : path.links) walk += tree.name(id) + "; ";
  CHECK(walk == "GPU1 -> K0; K0 -> A; A -> RC; RC -> B; B -> K2; K2 -> GPU4; ");
  CHECK(std::ranges::is_sorted(path.links));
  CHECK(path.through_root_complex);
  CHECK_FALSE(tree.path(0, 3).through_root_complex);
}
