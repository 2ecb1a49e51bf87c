// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/selection.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/benchmark/comparison.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;
using namespace topowise::benchmark;

namespace {

double cost(const Workload& workload, int weight, const Topology& machine, const Chosen& chosen) {
  return hop_bytes(workload.traffic(weight, 1), machine, chosen.mapping, Metric::distance);
}

}  // namespace

TEST_CASE("the cluster of EuroMPI 2011: four levels, and nodes that follow each other on different switches") {
  const Topology machine = read_topology("preset:eurompi2011-a");
  CHECK(machine.place_count() == 32);
  CHECK(machine.levels().size() == 4);
  const auto distance = [&](std::size_t a, std::size_t b) { return machine.distance(Place(a), Place(b)); };
  CHECK(distance(0, 3) < distance(0, 4));   // the same socket; the other socket of the node
  CHECK(distance(0, 7) < distance(0, 16));  // the same node; another node at the same switch
  CHECK(distance(0, 16) < distance(0, 8));  // the next node is at the other switch
  CHECK(distance(0, 8) == distance(0, 24));
}

TEST_CASE("without its network a cluster's nodes are all as far apart as the farthest, and nothing else has changed") {
  const Topology machine = read_topology("preset:eurompi2011-a");
  const Topology flat = without_network(machine);
  for (std::size_t a = 0; a < 32; ++a) {
    for (std::size_t b = 0; b < 32; ++b) {
      const bool one_node = a / 8 == b / 8;
      CHECK(flat.distance(Place(a), Place(b)) ==
            (one_node ? machine.distance(Place(a), Place(b)) : machine.distance(Place(0), Place(8))));
    }
  }
}

TEST_CASE("block, cyclic and three graphs: what a graph knows it uses") {
  const Topology machine = read_topology("preset:eurompi2011-a");
  const Places places = Places::in_order(machine, 32);
  std::vector<std::string> notes;
  for (const char* pattern : {"torus2d:8x4", "torus3d:4x4x2", "hypercube:5"}) {
    CAPTURE(pattern);
    const Workload workload = cartesian(pattern);
    const std::vector<Chosen> chosen = choose(workload, 10, places, graph_selections(), notes);
    REQUIRE(chosen.size() == 5);
    for (std::size_t r = 0; r < 32; ++r) {
      CHECK(chosen[0].mapping[Rank(r)] == Place(r));
      CHECK(chosen[1].mapping[Rank(r)] == Place(8 * (r % 4) + r / 4));
    }
    const Topology flat = without_network(machine);
    CHECK(cost(workload, 1, flat, chosen[2]) <= cost(workload, 1, flat, chosen[0]));
    CHECK(cost(workload, 10, flat, chosen[3]) < cost(workload, 10, flat, chosen[2]));
    CHECK(cost(workload, 10, machine, chosen[4]) <= cost(workload, 10, machine, chosen[3]));
  }
  CHECK(notes.empty());
}

TEST_CASE("block and cyclic count nodes in the order in which the processes come to them") {
  const Topology machine = read_topology("preset:eurompi2011-a");
  Places places{machine, {}};
  for (std::size_t i = 0; i < 32; ++i)
    places.place_of.emplace_back(8 * (3 - i % 4) + i / 4);  // nodes in turn, from the last node on
  std::vector<std::string> notes;
  const std::vector<Chosen> chosen = choose(cartesian("torus2d:8x4"), 10, places, graph_selections(), notes);
  for (std::size_t r = 0; r < 32; ++r) {
    CHECK(chosen[0].mapping[Rank(r)] == Place(8 * (3 - r / 8) + r % 8));
    CHECK(chosen[1].mapping[Rank(r)] == places.place_of[r]);
  }
}

TEST_CASE("the default, three metrics and Scotch on the node of AsHES 2016") {
  const Places places = Places::in_order(read_topology("preset:helios-k80"), 16);
  std::vector<std::string> notes;
  const Workload workload = microbenchmark("torus2d", 16);
  const std::vector<Chosen> chosen = choose(workload, 3, places, gpu_selections(), notes);
  CHECK(chosen.size() + notes.size() == 5);
  CHECK(chosen[0].name == "default");
  for (std::size_t r = 0; r < 16; ++r) CHECK(chosen[0].mapping[Rank(r)] == Place(r));
  for (const Chosen& each : chosen) {
    CAPTURE(each.name);
    std::set<Place> used;
    for (const Place place : each.mapping.places()) used.insert(place);
    CHECK(used.size() == 16);
    CHECK(cost(workload, 3, places.machine, chosen[1]) <= cost(workload, 3, places.machine, each));
  }
}

TEST_CASE("a metric that the machine does not know is left out with a warning; too many ranks are refused") {
  const Topology machine = read_topology("tree:2:4");
  std::vector<std::string> notes;
  const std::vector<Chosen> chosen =
      choose(microbenchmark("stencil2d", 8), 1, Places::in_order(machine, 8), gpu_selections().first(4), notes);
  CHECK(chosen.size() == 2);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].find("without the mapping 'latency'") != std::string::npos);
  CHECK_THROWS_WITH_AS((void)Places::in_order(machine, 9), "9 ranks do not fit: 'tree:2:4' holds 8", Error);
}

TEST_CASE("rows are compared with the first of their workload, weight and size") {
  std::vector<ComparedMapping> rows{
      {.workload = "a", .weight = 1, .bytes = 4, .mapping = "default", .seconds = {2, 1, 3}, .predicted_seconds = 4.0},
      {.workload = "a",
       .weight = 1,
       .bytes = 4,
       .mapping = "fast",
       .seconds = {0.9, 0.95, 0.5},
       .predicted_seconds = 3.0,
       .mapping_seconds = 2.5},
      {.workload = "a", .weight = 1, .bytes = 8, .mapping = "default", .seconds = {2}},
      {.workload = "a", .weight = 1, .bytes = 8, .mapping = "slow", .seconds = {4}, .mapping_seconds = 1},
      {.workload = "b",
       .weight = 1,
       .bytes = 8,
       .mapping = "default",
       .kind = Kind::predicted,
       .seconds = {2},
       .predicted_seconds = 2.0},
      {.workload = "b",
       .weight = 1,
       .bytes = 8,
       .mapping = "fast",
       .kind = Kind::predicted,
       .seconds = {1},
       .predicted_seconds = 1.0,
       .mapping_seconds = 1e-9}};
  const ResultTable table = compare_mappings(rows, Drawn::improvement);
  const auto number = [&](std::size_t row, const char* column) {
    const auto at = std::ranges::find(table.columns, column) - table.columns.begin();
    const Cell& cell = table.rows[row][static_cast<std::size_t>(at)];
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
    const auto* value = std::get_if<double>(&cell);
    return value == nullptr ? -1000.0 : *value;
  };
  REQUIRE(table.rows.size() == 6);
  for (const std::vector<Cell>& row : table.rows) CHECK(row.size() == table.columns.size());
  CHECK(number(0, "time_s") == 2);
  CHECK(number(0, "improvement_percent") == -1000);
  CHECK(number(1, "improvement_percent") == doctest::Approx(55));
  CHECK(number(1, "predicted_improvement_percent") == 25);
  CHECK(number(1, "fastest_s") == 0.5);
  CHECK(number(1, "pays_after_iterations") == 3);  // the mapping takes 2.5 s, each iteration gains 1.1 s
  CHECK(number(3, "improvement_percent") == -100);
  CHECK(number(3, "pays_after_iterations") == -1000);
  CHECK(number(4, "fastest_s") == -1000);
  CHECK(number(4, "predicted_s") == -1000);  // this row is the predicted time itself
  CHECK(number(5, "pays_after_iterations") == 1);
  REQUIRE(table.charts.size() == 2);
  CHECK(table.charts[0].title == "a, w = 1");
  CHECK(table.charts[0].curves.size() == 2);
  const ResultTable paid = compare_mappings(rows, Drawn::iterations);
  REQUIRE(paid.charts.size() == 1);  // "slow" never pays
  CHECK(paid.charts[0].curves.size() == 2);
}

TEST_CASE("a start reads the traffic and the machine from files, of which none is left") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "selection_test";
  std::filesystem::create_directories(folder);
  const char* before = std::getenv("TMPDIR");
  const std::string temporary = before == nullptr ? "" : before;
  ::setenv("TMPDIR", folder.c_str(), 1);
  const Places places = Places::in_order(read_topology("tree:2:4"), 8);
  const Workload workload = microbenchmark("torus2d", 8);
  std::vector<std::string> notes;
  const auto chosen = [&](Counted counted) {
    return choose(workload, 3, places, start_selections().first(2), notes, counted);
  };
  const std::vector<Chosen> mapped = chosen(Counted::mapping);
  const std::vector<Chosen> started = chosen(Counted::start);
  CHECK(std::filesystem::is_empty(folder));
  for (std::size_t r = 0; r < 8; ++r) CHECK(mapped[1].mapping[Rank(r)] == started[1].mapping[Rank(r)]);
  std::filesystem::remove_all(folder);
  CHECK(chosen(Counted::mapping).size() == 2);
  CHECK(chosen(Counted::start).size() == 1);  // there is no folder for the files
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("without the mapping 'distance': cannot make a folder") != std::string::npos);
  if (before == nullptr)
    ::unsetenv("TMPDIR");
  else
    ::setenv("TMPDIR", temporary.c_str(), 1);
}

TEST_CASE("rows whose ranges overlap with the default's say so, and no mapping pays there") {
  const auto row = [](const char* mapping, std::vector<double> seconds, std::optional<double> mapping_seconds) {
    return ComparedMapping{.workload = "a",
                           .mapping = mapping,
                           .seconds = std::move(seconds),
                           .predicted_seconds = {},
                           .mapping_seconds = mapping_seconds};
  };
  const ResultTable table = compare_mappings(
      {row("default", {2, 3}, {}), row("noise", {1, 2}, 0.1), row("faster", {1, 1.9}, 0.1), row("file", {1, 1.5}, {})},
      Drawn::improvement);
  const auto cell = [&](std::size_t r, const char* column) {
    return table.rows[r][static_cast<std::size_t>(std::ranges::find(table.columns, column) - table.columns.begin())];
  };
  CHECK(cell(0, "ranges_overlap") == Cell(std::monostate{}));
  CHECK(cell(1, "ranges_overlap") == Cell(true));
  CHECK(cell(1, "pays_after_iterations") == Cell(std::monostate{}));
  CHECK(cell(2, "ranges_overlap") == Cell(false));
  CHECK(cell(2, "pays_after_iterations") == Cell(std::int64_t{1}));
  CHECK(cell(3, "mapping_measured_s") == Cell(std::monostate{}));  // the mapping was there before
  CHECK(cell(3, "pays_after_iterations") == Cell(std::monostate{}));
}

TEST_CASE("where one mapping alone was asked for, its times are drawn") {
  const ResultTable table = compare_mappings({{.workload = "a", .bytes = 4, .mapping = "default", .seconds = {2}},
                                              {.workload = "a", .bytes = 8, .mapping = "default", .seconds = {3}}},
                                             Drawn::improvement);
  REQUIRE(table.charts.size() == 1);
  CHECK(table.charts[0].curves[0].points.size() == 2);
}
