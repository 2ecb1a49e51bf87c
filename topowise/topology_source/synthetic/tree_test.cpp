// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/synthetic/tree.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

std::string message(std::string_view description) {
  try {
    (void)read_synthetic_tree(description);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().what;
  }
  return "no error";
}

}  // namespace

TEST_CASE("a tree counts outermost first, its distances innermost first") {
  const Topology tree = read_synthetic_tree("2:3:4@1:10:100");
  CHECK(tree.place_count() == 24);
  CHECK(tree.levels().size() == 3);
  CHECK(tree.distance(Place(0), Place(3)) == 1);
  CHECK(tree.distance(Place(0), Place(4)) == 10);
  CHECK(tree.distance(Place(11), Place(12)) == 100);
  CHECK(tree.route(Place(0), Place(23)).size() == 6);
  CHECK(tree.arities().size() == 3);
  CHECK(read_synthetic_tree("2:3:4").distance(Place(0), Place(23)) == 3);
}

TEST_CASE("a level of one child has no pairs and takes no distance") {
  const Topology tree = read_synthetic_tree("2:1:2@1:10:100");
  CHECK(tree.levels().size() == 2);
  CHECK(tree.distance(Place(0), Place(1)) == 1);
  CHECK(tree.distance(Place(0), Place(2)) == 100);
}

TEST_CASE("a quarter of a million leaves are a tree") {
  const Topology tree = read_synthetic_tree("512:512@1:7");
  CHECK(tree.place_count() == std::size_t{1} << 18);
  CHECK(tree.distance(Place(0), Place(511)) == 1);
  CHECK(tree.distance(Place(511), Place(512)) == 7);
}

TEST_CASE("a million leaves are a tree" * doctest::test_suite("wide")) {
  const Topology tree = read_synthetic_tree("1024:1024@1:7");
  CHECK(tree.place_count() == std::size_t{1} << 20);
  CHECK(tree.distance(Place(0), Place(1023)) == 1);
  CHECK(tree.distance(Place(1023), Place(1024)) == 7);
}

TEST_CASE("what is no tree is said") {
  CHECK(message("") == "'' is not a number of children");
  CHECK(message("2:x:2") == "'x' is not a number of children");
  CHECK(message("2:0") == "'0' is not a number of children");
  CHECK(message("2:-2") == "'-2' is not a number of children");
  CHECK(message("2:2@1") == "there are 2 levels, but 1 distances");
  CHECK(message("2:2@1:far") == "'far' is not a distance");
  CHECK(message("2:2@1:-3") == "'-3' is not a distance");
  CHECK(message("2000000:2000000:2000000").starts_with("the tree is too large"));
  CHECK(message("99999999999").starts_with("'99999999999' children are too many"));
  CHECK(message("2097152:1:1") ==
        "the tree is too large: 2097152 leaves and 6291457 vertices would take about 3.4 GB of memory; at most 2097152 "
        "leaves and 4194304 vertices are supported");
  std::string deep = "1";
  for (int i = 0; i < 40; ++i) deep += ":1";
  CHECK(message(deep) == "41 levels are too many, at most 32 are supported");
}
