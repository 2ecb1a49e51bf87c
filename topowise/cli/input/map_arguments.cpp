// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/map_arguments.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/input/place_list.hpp>
#include <topowise/cli/input/traffic_options.hpp>
#include <topowise/launch/launcher.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/topology.hpp>
#include <topowise/topology_source/node/core_tree.hpp>
#include <topowise/topology_source/this_machine.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> objectives_and_auto() {
  std::vector<std::string> names = objective_names();
  names.insert(names.begin(), "auto");
  return names;
}

/// Applies --places: uses other places, or only those of a kind.
void choose_kind(const Arguments& arguments, MapProblem& problem) {
  if (!arguments.has("--places")) return;
  const PlaceKind kind = arguments.one_of("--places", parse_place_kind);
  problem.topology = with_places(problem.topology, kind);
  const std::span<const PlaceEntry> places = problem.topology.places();
  if (std::ranges::all_of(places, [&](const PlaceEntry& place) { return place.kind == kind; })) return;
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (places[p].kind == kind) problem.allowed.emplace_back(p);
  }
}

struct Numbers {
  std::uint64_t seed = 1;
  int ranks_per_place = 0;  ///< 0: the places' capacities
};

Numbers read_numbers(const Arguments& arguments) {
  constexpr std::int64_t kMostRanksPerPlace = 1'000'000;
  Numbers numbers{.seed = static_cast<std::uint64_t>(arguments.whole("--seed"))};
  if (arguments.has("--ranks-per-place"))
    numbers.ranks_per_place = static_cast<int>(arguments.whole("--ranks-per-place", 1, kMostRanksPerPlace));
  return numbers;
}

/// True if every mapping fills all places.
bool fills_all_places(const MapProblem& problem) {
  if (problem.imbalance || !problem.loads.empty()) return false;
  std::size_t room = 0;
  for (const PlaceCapacity& each : place_capacities(problem)) room += each.capacity;
  return room == problem.traffic.ranks();
}

}  // namespace

std::vector<Operand> map_operands() {
  return {{"TRAFFIC", "a profile, pattern:NAME:DIMS, FILE or -", true, Completes::traffics},
          {"TOPOLOGY",
           "the machine: live, preset:NAME, cluster:..., FILE or -; not given: live, or in a job of several hosts "
           "cluster:live,live,hosts=job",
           false, Completes::topologies}};
}

std::string machine_argument(const Arguments& arguments) {
  return arguments.has_operand(1) ? arguments.operand(1) : own_machine();
}

std::vector<Option> map_options() {
  std::vector<Option> options{
      {.name = "--metric",
       .value = "NAME",
       .group = "objective",
       .help = "what a pair of places costs",
       .fallback = "distance",
       .choices = metric_names,
       .kind = "metric"},
      {.name = "--places",
       .value = "KIND",
       .group = "places",
       .help = "what holds ranks; by default the topology's own places",
       .choices = device_place_names,
       .kind = "kind of place"},
      {"--allow", "LIST", "places", "use only these places: numbers, ranges, names, PCI bus ids ('0-3,GPU6')"},
      {"--ranks-per-place", "N", "places", "let N ranks share a place; by default as many as the topology says"},
      {"--seed", "N", "algorithm", "the same seed gives the same mapping", "1"}};
  const std::vector<Option> reading = traffic_options("input");
  options.insert(options.begin(), reading.begin(), reading.end());
  return options;
}

std::vector<std::string> mapper_names() {
  return names_of(mappers());
}

Option objective_option() {
  return {.name = "--objective",
          .value = "NAME",
          .group = "objective",
          .help = "what to minimise; auto: predicted-time where rates are known and ranks are few, else hop-bytes",
          .fallback = "auto",
          .choices = objectives_and_auto,
          .kind = "objective"};
}

MapProblem map_problem(const Arguments& arguments, Traffic traffic, const Terminal* terminal) {
  const Numbers numbers = read_numbers(arguments);
  MapProblem problem{.traffic = std::move(traffic), .topology = load_topology(machine_argument(arguments))};
  const bool wants_cores = arguments.text("--places") == "core";
  for (const std::string& warning : problem.topology.warnings())
    if (terminal != nullptr && !(wants_cores && warning.starts_with(kNoDevices))) terminal->warn(warning);
  problem.metric = arguments.one_of("--metric", parse_metric);
  problem.seed = numbers.seed;
  problem.ranks_per_place = numbers.ranks_per_place;
  choose_kind(arguments, problem);
  if (arguments.has("--allow"))
    problem.allowed = parse_place_list(problem.topology, arguments.text("--allow"), "--allow");
  return problem;
}

MapProblem read_map_problem(const Arguments& arguments, const Terminal& terminal) {
  (void)read_numbers(arguments);  // the user need not wait for gigabytes of input to see a mistake in them
  return map_problem(arguments, traffic_of(arguments, arguments.operand(0), terminal), &terminal);
}

void check_emitted(const Arguments& arguments, const MapProblem& problem) {
  if (!arguments.has("--emit")) return;
  const std::string launcher = arguments.text("--emit");
  check_launcher(launcher, problem.topology, usable_places(problem));
  std::vector<Place> fixed;
  for (const FixedRank& each : problem.fixed) fixed.push_back(each.place);
  if (const std::optional<std::size_t> refused = refused_place(launcher, problem.topology, fixed))
    throw bad_input(
        fmt::format("rank {} is fixed to {}, a place that {} cannot name", problem.fixed[*refused].rank.index(),
                    printable(problem.topology.vertex_of(fixed[*refused]).name), launcher),
        "another place with --fix, or 'topowise help launchers'");
  if (fills_all_places(problem)) check_filled(launcher, problem.topology, fill_in_order(problem).places());
}

std::vector<Place> usable_places(const MapProblem& problem) {
  if (!problem.allowed.empty()) return problem.allowed;
  std::vector<Place> all;
  for (std::size_t p = 0; p < problem.topology.place_count(); ++p) all.emplace_back(p);
  return all;
}

}  // namespace topowise::cli
