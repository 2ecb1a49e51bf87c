// SPDX-License-Identifier: BSD-3-Clause
// The public functions return what the functions of the folders behind them return, and pass every option on.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>

#include <topowise/base/file.hpp>
#include <topowise/drawing.hpp>
#include <topowise/evaluate.hpp>
#include <topowise/json.hpp>
#include <topowise/launch.hpp>
#include <topowise/map.hpp>
#include <topowise/schedule.hpp>

using namespace topowise;

namespace {

const std::string kPattern = "pattern:stencil2d:2x4:w=3:heavy=0:bytes=1MB";

std::vector<std::size_t> places_of(const Mapping& mapping) {
  std::vector<std::size_t> places;
  for (const Place place : mapping.places()) places.push_back(place.index());
  return places;
}

struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / "topowise-library-test.json").string();
  ~TemporaryFile() { std::filesystem::remove(path); }
};

Mapping identity(std::size_t ranks) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < ranks; ++p) places.emplace_back(p);
  return Mapping(places);
}

}  // namespace

TEST_CASE("library: a machine, its traffic and a mapping survive a file") {
  const TemporaryFile file;
  const Topology machine = load_topology("preset:l40s-8");
  save_topology(file.path, machine);
  CHECK(to_json(load_topology(file.path)) == to_json(machine));
  CHECK(to_json(topology_from_text("memory", read_file(file.path), "json")) == to_json(machine));

  const Traffic traffic = load_traffic(kPattern);
  save_traffic(file.path, traffic);
  CHECK(to_json(load_traffic(file.path, {.format = "json"})) == to_json(traffic));
  CHECK(to_json(traffic_from_text("memory", read_file(file.path))) == to_json(traffic));

  const Exchange exchange = one_message_a_pair(traffic);
  CHECK(exchange.communications().size() == traffic.entries().size());
  save_exchange(file.path, exchange);
  CHECK(to_json(load_exchange(file.path)) == to_json(exchange));

  const MappingResult result = map_ranks(traffic, machine);
  save_mapping(file.path, result, machine);
  CHECK(load_mapping(file.path).mapping == result.mapping);
}

TEST_CASE("library: errors name the place in the text") {
  try {
    (void)topology_from_text("node.json", "{\"schema\": \"topowise.topology/1\", \"places\": [}");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    CHECK(error.diagnostics().front().where == "node.json");
    CHECK(error.diagnostics().front().position.line == 1);
  }
  CHECK_THROWS_AS((void)load_topology("preset:no-such-machine"), Error);
  CHECK_THROWS_AS((void)traffic_from_text("empty", ""), Error);
  CHECK_THROWS_AS((void)launcher_text(identity(2), load_topology("tree:2"), "no-such-launcher"), Error);
}

TEST_CASE("library: warnings of a reading arrive") {
  std::vector<Diagnostic> warnings;
  (void)load_traffic(kPattern, {}, &warnings);
  CHECK(warnings.empty());
  (void)load_traffic("pattern:llm:1x2x1:topk=3", {}, &warnings);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().what == "topk changes nothing: the model has no experts");
}

TEST_CASE("library: traces of a PyTorch job are traffic") {
  const std::string folder = std::string(TOPOWISE_SOURCE_DIR) + "/tests/fixtures/pytorch/tp-pp";
  const Traffic traffic = load_traffic(folder);
  CHECK(traffic.ranks() == 8);
  CHECK(to_json(load_traffic(folder + "/rank*.json.gz")) == to_json(traffic));
  CHECK(to_json(load_traffic(folder, {.collectives = "nccl"})) == to_json(traffic));
  std::vector<Diagnostic> warnings;
  (void)load_traffic(folder + "/rank3.json.gz", {}, &warnings);
  CHECK(warnings.size() == 1);
}

TEST_CASE("library: every option of a mapping counts") {
  const Traffic traffic = load_traffic(kPattern);
  const Topology machine = load_topology("preset:l40s-8");
  const MappingResult best = map_ranks(traffic, machine);
  CHECK(best.proven_optimal);
  CHECK(best.cost < best.identity_cost);
  CHECK(best.objective == "predicted-time");
  CHECK(best.objective_reason.empty());
  REQUIRE(best.hop_bytes);
  CHECK(best.cost == doctest::Approx(evaluate(traffic, machine, best.mapping).predicted_time->value()));
  CHECK(best.hop_bytes->cost == doctest::Approx(evaluate(traffic, machine, best.mapping).hop_bytes));
  const MappingResult nearest = map_ranks(traffic, machine, {.objective = Objective::hop_bytes});
  CHECK(nearest.objective == "hop-bytes");
  CHECK_FALSE(nearest.hop_bytes);
  CHECK(best.cost <= evaluate(traffic, machine, nearest.mapping).predicted_time->value());
  CHECK(best.hop_bytes->lower_bound == doctest::Approx(nearest.cost));
  CHECK(map_ranks(traffic, load_topology("tree:2:2:2")).objective_reason == "28 of 28 links have no rate");

  const MappingResult first = map_ranks(traffic, machine, {.mapper = "identity"});
  CHECK(first.mapping == identity(8));
  CHECK(map_ranks(traffic, machine, {.objective = Objective::max_congestion}).objective == "max-congestion");
  CHECK(map_ranks(traffic, machine, {.metric = Metric::bandwidth}).metric == "bandwidth");
  CHECK(map_ranks(traffic, machine, {.metric = Metric::distance}).objective == "hop-bytes");
  CHECK(map_ranks(traffic, machine, {.mapper = "random", .seed = 7}).seed == 7);

  const MappingResult fixed = map_ranks(traffic, machine, {.fixed = {{Rank(0), Place(5)}}});
  CHECK(fixed.mapping[Rank(0)] == Place(5));
  const MappingResult shared = map_ranks(traffic, machine, {.allowed = {Place(2), Place(3)}, .ranks_per_place = 4});
  CHECK(std::ranges::all_of(shared.mapping.places(), [](Place p) { return p == Place(2) || p == Place(3); }));
  const MappingResult heavy =
      map_ranks(traffic, load_topology("tree:2"), {.imbalance = 0.0, .loads = {7, 1, 1, 1, 1, 1, 1, 1}});
  CHECK(std::ranges::count(places_of(heavy.mapping), places_of(heavy.mapping).front()) == 1);
}

TEST_CASE("library: places that do not exist, and limits that are none, are errors that name them") {
  const Topology machine = load_topology("preset:cs-storm-t2");
  const Exchange exchange({{Rank(0), Rank(1), Bytes(1e6), Seconds(0)}});
  const char* const nowhere = "the mapping puts rank 1 on place 99, but 'cs-storm-t2' has only places 0 to 7";
  for (const Mapping& mapping : {Mapping({Place(0), Place(99)}), Mapping({Place(99), Place(99)})}) {
    CHECK_THROWS_AS((void)predict(exchange, machine, mapping), Error);
    CHECK_THROWS_AS((void)schedule(exchange, machine, mapping), Error);
    CHECK_THROWS_AS((void)evaluate(load_traffic("pattern:ring:2"), machine, mapping), Error);
    CHECK_THROWS_AS((void)launcher_text(mapping, machine, "gpu-env"), Error);
  }
  CHECK_THROWS_WITH_AS((void)predict(exchange, machine, Mapping({Place(0), Place(99)})), nowhere, Error);
  CHECK_THROWS_WITH_AS((void)schedule(exchange, machine, Mapping({Place(0), Place(99)})), nowhere, Error);
  CHECK(predict(exchange, machine, Mapping({Place(3), Place(3)})).makespan == Seconds(0));  // ranks may share a place
  const Traffic ring = load_traffic("pattern:ring:4");
  for (const double limit :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS((void)map_ranks(ring, machine, {.time_limit = Seconds(limit)}), Error);
  CHECK_THROWS_WITH_AS((void)map_ranks(ring, machine, {.time_limit = Seconds(-1)}),
                       "the time limit is -1 s, which is no time above 0", Error);
}

TEST_CASE("library: names can be listed, and every one is known") {
  const Traffic traffic = load_traffic("pattern:ring:4");
  const Topology machine = load_topology("preset:l40s-8");
  CHECK(mapper_names().size() >= 10);
  CHECK(preset_names().size() >= 25);
  CHECK(launcher_names().size() >= 6);
  for (const std::string& name : preset_names()) CHECK(load_topology("preset:" + name).place_count() > 0);
  CHECK(launcher_text(identity(4), machine, "mpich-hostfile") ==
        "localhost:1\nlocalhost:1\nlocalhost:1\nlocalhost:1\n");
}

TEST_CASE("library: a mapping is judged by all numbers") {
  const Traffic traffic = load_traffic(kPattern);
  const Topology machine = load_topology("preset:l40s-8");
  const Evaluation numbers = evaluate(traffic, machine, identity(8));
  CHECK(numbers.hop_bytes == map_ranks(traffic, machine, {.objective = Objective::hop_bytes}).identity_cost);
  CHECK(numbers.predicted_time->value() == doctest::Approx(map_ranks(traffic, machine).identity_cost));
  CHECK(numbers.link_load.size() == machine.links().size());
  CHECK(numbers.unknown.empty());
  REQUIRE(numbers.fullest_link);
  CHECK(machine.link(*numbers.fullest_link).kind == LinkKind::inter_socket);
  CHECK(numbers.predicted_time->value() >= numbers.max_congestion->value());
  const Prediction played = predict(one_message_a_pair(traffic), machine, identity(8));
  CHECK(played.makespan.value() == doctest::Approx(numbers.predicted_time->value()));

  // A machine without links has distances only.
  const Evaluation distances = evaluate(load_traffic("pattern:ring:4"), load_topology("tree:2:2"), identity(4));
  CHECK(distances.max_dilation == 2);
  CHECK_THROWS_AS((void)evaluate(traffic, machine, identity(4)), Error);
}

TEST_CASE("library: the best order of the paper's example is proven and plays as fast as reported") {
  const Topology machine = load_topology("preset:cs-storm-t2");
  const Exchange exchange({{Rank(0), Rank(2), Bytes(300e6), Seconds(0)},
                           {Rank(0), Rank(4), Bytes(300e6), Seconds(0)},
                           {Rank(1), Rank(4), Bytes(300e6), Seconds(0)},
                           {Rank(3), Rank(2), Bytes(300e6), Seconds(0)}});
  const ScheduleOptions options{.congestion = {.model = CongestionModelName::pcie_sc16, .parameters = {}}};
  const Schedule best = schedule(exchange, machine, identity(8), options);
  CHECK(best.proven_optimal);
  CHECK(best.lower_bound.value() == doctest::Approx(best.makespan.value()));
  CHECK(best.exchange.communications().size() == 4);
  const Prediction played = predict(best.exchange, machine, identity(8), options.congestion);
  CHECK(played.makespan.value() == doctest::Approx(best.makespan.value()));
  CHECK(best.makespan <= predict(exchange, machine, identity(8), options.congestion).makespan);
  CHECK(played.end.size() == 4);
}

TEST_CASE("library: a search that is asked to stop gives the best so far") {
  const std::atomic<bool> stop = true;
  const Traffic traffic = load_traffic("pattern:stencil2d:16x16");
  // Without the flag, the search would end only by a proof, however long that takes.
  const MappingResult found =
      map_ranks(traffic, load_topology("torus:4x8x8"), {.time_limit = Seconds(1e9), .stop = &stop});
  CHECK_FALSE(found.proven_optimal);
  CHECK(found.cost <= found.identity_cost);
  const Exchange exchange = one_message_a_pair(load_traffic("pattern:alltoall:8"));
  const Topology machine = load_topology("preset:cs-storm-t2");
  const Schedule stopped = schedule(exchange, machine, identity(8), {.stop = &stop});
  CHECK(stopped.exchange.communications().size() == exchange.communications().size());
  CHECK(stopped.lower_bound <= stopped.makespan);
}

TEST_CASE("library: drawings show the machine, its ranks and the levels") {
  const Topology machine = load_topology("preset:l40s-8");
  const Traffic traffic = load_traffic(kPattern);
  CHECK(draw_machine(machine).find("class=\"free\"") != std::string::npos);
  CHECK(draw_machine(machine).find("class=\"place\"") == std::string::npos);
  CHECK(draw_machine(machine, identity(8)).find("rank 7") != std::string::npos);
  CHECK(draw_machine(load_topology("torus:8x8x8")).empty());
  CHECK_THROWS_AS((void)draw_machine(machine, identity(9)), Error);
  CHECK(draw_levels(traffic, machine, identity(8), identity(8)).find("class=\"before\"") != std::string::npos);
  CHECK_THROWS_AS((void)draw_levels(traffic, machine, identity(8), identity(7)), Error);
  for (const char* style : {".before", ".after", ".frame", ".place", ".free"})
    CHECK(drawing_style().find(style) != std::string_view::npos);
}
