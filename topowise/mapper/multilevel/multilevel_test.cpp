// SPDX-License-Identifier: BSD-3-Clause
// Properties that every answer must have on machines of every kind, and defects that other mappers have.
#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include <tests/fixtures/mapping_problems.hpp>
#include <tests/fixtures/standing_clock.hpp>

#include <topowise/base/error.hpp>
#include <topowise/mapper/problem/mapper_functions.hpp>

using namespace topowise;
using namespace topowise::multilevel;

namespace {

Mapping in_order(const MapProblem& problem) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < problem.topology.place_count(); ++p) {
    const int capacity =
        problem.ranks_per_place > 0 ? problem.ranks_per_place : problem.topology.place(Place(p)).capacity;
    for (int i = 0; i < capacity && places.size() < problem.traffic.ranks(); ++i) places.emplace_back(p);
  }
  return Mapping(std::move(places));
}

double hop_bytes_of(const MapProblem& problem, const Mapping& mapping) {
  double sum = 0;
  for (const TrafficEntry& entry : problem.traffic.entries())
    sum += entry.bytes.value() * problem.topology.distance(mapping[entry.source], mapping[entry.destination]);
  return sum;
}

/// Checks the answer and returns its cost.
double check_answer(const MapProblem& problem) {
  const Seconds long_enough(1000);  // the clock must not decide, however slow the build
  const MapperAnswer answer = map_multilevel(problem, Budget(MapOptions{.time_limit = long_enough}));
  REQUIRE(answer.mapping.ranks() == problem.traffic.ranks());
  std::vector<int> load(problem.topology.place_count(), 0);
  for (const Place place : answer.mapping.places()) ++load[place.index()];
  for (std::size_t p = 0; p < load.size(); ++p) {
    const int capacity =
        problem.ranks_per_place > 0 ? problem.ranks_per_place : problem.topology.place(Place(p)).capacity;
    CHECK(load[p] <= capacity);
  }
  CHECK(answer.cost == doctest::Approx(hop_bytes_of(problem, answer.mapping)));
  CHECK(answer.cost <= hop_bytes_of(problem, in_order(problem)));
  CHECK(answer.lower_bound <= answer.cost * (1 + 1e-9));
  const Budget one_thread(MapOptions{.time_limit = long_enough, .threads = 1});
  CHECK(map_multilevel(problem, one_thread).mapping == answer.mapping);
  return answer.cost;
}

std::vector<double> random_distances(std::size_t places, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> distances(places * places, 0.0);
  for (double& distance : distances) distance = 1.0 + random.below(50);
  return distances;  // asymmetric
}

/// Checks the answers for a machine of random distances, with one rank per place and with two.
void check_random_machine(std::size_t places) {
  CAPTURE(places);
  const Topology machine = table_machine(places, random_distances(places, places), 2);
  check_answer({random_traffic(places, 3 * places, 4), machine});
  check_answer({random_traffic(2 * places, 6 * places, 5), machine});
}

}  // namespace

TEST_CASE("multilevel: properties on uniform hierarchies, powers of two and levels of one child included") {
  const std::vector<std::vector<int>> machines{{2, 2, 2}, {1, 4, 4}, {4, 1, 4}, {4, 4, 1},
                                               {3, 5, 2}, {27},      {2, 4, 4}, {7, 3}};
  for (const std::vector<int>& arities : machines) {
    const Topology machine = uniform_tree(arities);
    const std::size_t places = machine.place_count();
    CAPTURE(places);
    check_answer({random_traffic(places, 4 * places, 1), machine});
    check_answer({random_traffic(places / 2 + 1, 2 * places, 2), machine});  // more places than ranks
    MapProblem shared{random_traffic(3 * places, 12 * places, 3), machine};
    shared.ranks_per_place = 4;
    check_answer(shared);
  }
}

TEST_CASE("multilevel: properties on machines that are no hierarchy") {
  for (const std::size_t places : {1, 2, 3, 17, 24}) check_random_machine(places);
  check_answer({shuffled_torus_traffic({4, 4}, 1), torus({4, 4})});
}

TEST_CASE("multilevel: properties on a machine that is no hierarchy, with threads" * doctest::test_suite("threads")) {
  check_random_machine(12);
}

TEST_CASE("multilevel: traffic of no bytes, of one rank, of one pair, of all pairs") {
  const Topology machine = uniform_tree({4, 4});
  CHECK(check_answer({Traffic::from_entries(16, {}), machine}) == 0);
  CHECK(check_answer({Traffic::from_entries(1, {}), machine}) == 0);
  CHECK(check_answer({Traffic::from_entries(16, {{Rank(0), Rank(15), Bytes(5), 1}}), machine}) == 5);
  std::vector<TrafficEntry> all;
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < 16; ++b) all.push_back({Rank(a), Rank(b), Bytes(1), 1});
  }
  CHECK(check_answer({Traffic::from_entries(16, all), machine}) == 16 * 3 + 16 * 12 * 10);
}

TEST_CASE("multilevel: one rank per place stays a permutation where balance cannot be had by moves") {
  // a dense graph on 2:2, for which other mappers leave a place empty
  std::vector<TrafficEntry> dense;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) dense.push_back({Rank(a), Rank(b), Bytes(static_cast<double>(1 + a * b)), 1});
  }
  check_answer({Traffic::from_entries(4, dense), uniform_tree({2, 2})});
  // a star: the hub's partners cannot all be near it
  std::vector<TrafficEntry> star;
  for (std::size_t a = 1; a < 96; ++a) star.push_back({Rank(0), Rank(a), Bytes(static_cast<double>(a)), 1});
  check_answer({Traffic::from_entries(96, star), uniform_tree({3, 8, 4})});
}

TEST_CASE("multilevel: ranks n = places = a power of two are mapped, not only numbered") {
  const MapProblem problem{shuffled_torus_traffic({4, 4, 2}, 7), uniform_tree({2, 4, 4})};
  CHECK(check_answer(problem) < 0.6 * hop_bytes_of(problem, in_order(problem)));
}

TEST_CASE("multilevel: traffic in the shape of a torus is found on its torus, whatever the ranks' names, and proven") {
  for (const std::vector<int>& sizes : std::vector<std::vector<int>>{{4, 4, 4}, {4, 6, 3}, {8, 8}, {5, 5, 5}}) {
    const MapProblem problem{shuffled_torus_traffic(sizes, 11), torus(sizes)};
    const MapperAnswer answer = map_multilevel(problem, Budget(MapOptions{.time_limit = Seconds(1000)}));
    CHECK(answer.cost == problem.traffic.total_bytes().value());  // every message crosses one hop
    CHECK(answer.proven_optimal);
  }
}

TEST_CASE("multilevel: only allowed places are used") {
  MapProblem problem{random_traffic(8, 30, 9), uniform_tree({2, 4, 4})};
  for (std::size_t p = 1; p < 32; p += 3) problem.allowed.emplace_back(p);
  const MapperAnswer answer = map_multilevel(problem, Budget());
  for (const Place place : answer.mapping.places()) CHECK(std::ranges::count(problem.allowed, place) == 1);
}

TEST_CASE("multilevel: ranks that do not fit are an error") {
  CHECK_THROWS_AS((void)map_multilevel({random_traffic(9, 20, 1), uniform_tree({2, 4})}, Budget()), Error);
}

TEST_CASE(
    "multilevel: bytes of 1 and of 1e16 and more in one problem: the search ends by itself, always in the same "
    "mapping") {
  Random random(16);
  for (int round = 0; round < 4; ++round) {
    std::vector<TrafficEntry> entries;
    for (int i = 0; i < 600; ++i) {
      const double bytes = random.below(2) == 0 ? 1.0 + random.below(3) : 1e16 * (1 + random.unit());
      entries.push_back({Rank(random.below(120)), Rank(random.below(120)), Bytes(bytes), 1});
    }
    MapProblem problem{Traffic::from_entries(120, std::move(entries)), uniform_tree({3, 2, 5})};
    problem.ranks_per_place = round % 2 == 0 ? 4 : 5;
    const Budget budget(fixtures::without_limit());
    const MapperAnswer answer = map_multilevel(problem, budget);
    CHECK(answer.cost < hop_bytes_of(problem, in_order(problem)));
    CHECK(map_multilevel(problem, budget).mapping == answer.mapping);
  }
}

TEST_CASE("multilevel: what is light beside what is heavy still counts") {
  // Eight pairs of 1 byte among 16 ranks, and one pair of 1e15 bytes: the ranks of all nine pairs can be near each
  // other.
  std::vector<TrafficEntry> entries{{Rank(16), Rank(17), Bytes(1e15), 1}};
  for (std::size_t r = 0; r < 8; ++r) entries.push_back({Rank(r), Rank(r + 8), Bytes(1), 1});
  const MapProblem problem{Traffic::from_entries(18, std::move(entries)), uniform_tree({9, 2})};
  const MapperAnswer answer = map_multilevel(problem, Budget(MapOptions{.time_limit = Seconds(1000)}));
  for (std::size_t r = 0; r < 8; ++r)
    CHECK(answer.mapping[Rank(r)].index() / 2 == answer.mapping[Rank(r + 8)].index() / 2);
}

namespace {

MapperAnswer search_again(const MapProblem& problem, const MapOptions& options, MapperAnswer first) {
  const LateAnswer late = map_multilevel_late(problem, Budget(options));
  return late.again ? late.again(Budget(options), std::move(first)) : first;
}

}  // namespace

TEST_CASE("multilevel: searches from other seeds gain on a hierarchy, and more of them never lose") {
  const MapProblem problem{shuffled_torus_traffic({7, 5, 3}, 7), uniform_tree({7, 5, 3})};
  const MapperAnswer once = map_multilevel(problem, Budget(fixtures::without_limit()));
  std::vector<double> costs;
  for (const double effort : {0.0, 2e-4, 1e-3}) {
    const MapOptions options{.time_limit = Seconds(1000), .effort = effort};
    MapOptions one_thread = options;
    one_thread.threads = 1;
    const MapperAnswer answer = search_again(problem, options, once);
    CHECK(search_again(problem, one_thread, once).mapping == answer.mapping);
    CHECK(answer.cost == doctest::Approx(hop_bytes_of(problem, answer.mapping)));
    costs.push_back(answer.cost);
  }
  CHECK(costs.front() == once.cost);
  CHECK(std::ranges::is_sorted(costs, std::ranges::greater()));
  CHECK(costs.back() < once.cost);
}

TEST_CASE("multilevel: searches from other seeds leave a machine that is no hierarchy to others") {
  const MapProblem problem{shuffled_torus_traffic({4, 4, 4}, 7), torus({4, 4, 4})};
  const MapperAnswer once{.mapping = in_order(problem), .cost = hop_bytes_of(problem, in_order(problem))};
  CHECK(search_again(problem, fixtures::without_limit(), once).mapping == once.mapping);
}
