// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/machine_drawing.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/occurrences.hpp>
#include <topowise/report/heat_map.hpp>
#include <topowise/report/level_bars.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

Mapping reversed(std::size_t ranks) {
  std::vector<Place> places;
  for (std::size_t r = 0; r < ranks; ++r) places.emplace_back(ranks - 1 - r);
  return Mapping(places);
}

}  // namespace

TEST_CASE("every rank is drawn once, free places are dashed") {
  const std::string drawing = machine_drawing(tree({2, 2, 2}), reversed(6));
  CHECK(count(drawing, "class=\"place\"") == 6);
  CHECK(count(drawing, "class=\"free\"") == 2);
  CHECK(count(drawing, "class=\"frame\"") == 7);  // the root, two halves, four pairs
  for (int rank = 0; rank < 6; ++rank) CHECK(count(drawing, ">rank " + std::to_string(rank) + "<") == 1);
}

TEST_CASE("a narrow drawing has more rows") {
  const std::string wide = machine_drawing(tree({9}), reversed(9));
  const std::string narrow = machine_drawing(tree({9}), reversed(9), DrawingForm::narrow);
  CHECK(wide.find("width=\"946\"") != std::string::npos);
  CHECK(narrow.find("width=\"530\"") != std::string::npos);
  CHECK(count(narrow, "class=\"place\"") == 9);
}

TEST_CASE("several ranks share a place; a machine without a tree is a row of places") {
  const Mapping together({Place(1), Place(1), Place(0), Place(1), Place(1)});
  const std::string drawing = machine_drawing(from_distances({0, 9, 9, 0}, {5, 5}), together);
  CHECK(count(drawing, ">4 ranks<") == 1);
  CHECK(count(drawing, ">rank 2<") == 1);
}

/// A heat map of the mapping, with its own scale.
std::string map_of(const Traffic& traffic, const Topology& machine, const Mapping& mapping) {
  const HeatCells cells = heat_cells(traffic, machine, mapping, place_groups(machine));
  return heat_map(cells, cells.most, "Mapped", "after");
}

TEST_CASE("a heat map has a cell for each pair of places with bytes; the fullest is solid") {
  const Traffic traffic = Traffic::from_entries(
      3, {{Rank(0), Rank(1), Bytes(400)}, {Rank(2), Rank(0), Bytes(100)}, {Rank(1), Rank(1), Bytes(7)}});
  const std::string drawing = map_of(traffic, tree({4}), reversed(3));
  CHECK(count(drawing, "class=\"after\"") == 2 + 5);  // two cells, and the five colours of the scale
  CHECK(count(drawing,
              "aria-label=\"Mapped: bytes from every place to every other; most, 400 B, from place 2 to place 1\"") ==
        1);
  CHECK(count(drawing, "class=\"block\"") == 0);
  CHECK(count(drawing, "<title>place 2 to place 1: 400 B</title>") == 1);
  CHECK(count(drawing, "fill-opacity=\"0.5\"><title>place 0 to place 2: 100 B</title>") == 1);
}

TEST_CASE("a heat map of a large machine puts neighbouring places into one cell and loses none") {
  const Traffic traffic = Traffic::from_entries(200, {{Rank(0), Rank(199), Bytes(8)}, {Rank(1), Rank(198), Bytes(8)}});
  std::vector<Place> places;
  for (std::size_t r = 0; r < 200; ++r) places.emplace_back(r);
  const std::string drawing = map_of(traffic, tree({200}), Mapping(places));
  CHECK(count(drawing, "<title>places 0-2 to places 198-199: 16 B</title>") == 1);
}

TEST_CASE("lines part the groups of a heat map, and cells end where groups end") {
  const Traffic traffic = Traffic::from_entries(2, {{Rank(0), Rank(1), Bytes(8)}});
  const Topology small = tree({2, 4});
  CHECK(count(map_of(traffic, small, reversed(2)), "class=\"block\"") == 1);
  const HeatCells cells = heat_cells(traffic, tree({25, 8}), reversed(2), place_groups(tree({25, 8})));
  CHECK(cells.merged == 4);  // groups of three would be small enough, but would cut a group of eight
  CHECK(cells.group == 2);
}

TEST_CASE("where a cell holds several nodes, lines part what is below one switch") {
  const Traffic traffic = Traffic::from_entries(2, {{Rank(0), Rank(1), Bytes(8)}});
  const Topology machine = tree({8, 16, 8});
  const HeatCells cells = heat_cells(traffic, machine, reversed(2), place_groups(tree({128, 8})));
  CHECK(cells.merged == 16);
  CHECK(cells.run == 128);
  CHECK(count(heat_map(cells, cells.most, "Mapped", "after"), "class=\"block\"") == 7);
  CHECK(heat_cells(traffic, tree({128, 8}), reversed(2), place_groups(tree({128, 8}))).run ==
        0);  // no switch holds several nodes
}

TEST_CASE("level bars: shares of all bytes") {
  const Topology machine = tree({2, 2});
  const Traffic traffic = Traffic::from_entries(4, {{Rank(0), Rank(1), Bytes(300)}, {Rank(0), Rank(2), Bytes(100)}});
  const std::string drawing =
      level_bars(machine, level_traffic(traffic, machine, reversed(4)),
                 level_traffic(traffic, machine, Mapping({Place(0), Place(2), Place(1), Place(3)})));
  CHECK(count(drawing, ">75.0 %, 300 B<") == 2);
  CHECK(count(drawing, ">25.0 %, 100 B<") == 2);
  CHECK(count(drawing, "same place") == 0);
}
