// SPDX-License-Identifier: BSD-3-Clause
// The table of mappers, and what is the same for all of them: the question is checked before, the answer after.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/containment.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/construct/fixed_ranks.hpp>
#include <topowise/mapper/course.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/cost_numbers.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>
#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/mapper/problem/mapper_functions.hpp>
#include <topowise/mapper/problem/objective_choice.hpp>
#include <topowise/mapper/problem/uniform_part.hpp>
#include <topowise/predict/congestion/assumptions.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/predict/objective/link_load.hpp>

namespace topowise {
namespace {

/// False where many ranks share each place of a large problem: the cut between places decides. `greedy` looks at no cut
/// and ends far above the fast search, and Scotch's cuts are a tenth to two thirds larger.
bool is_no_partitioning(const MapProblem& problem) {
  constexpr std::size_t kFewRanks = 4096;
  constexpr std::size_t kManyAPlace = 16;
  const std::size_t ranks = problem.traffic.ranks();
  return ranks <= kFewRanks || ranks < kManyAPlace * problem.topology.place_count();
}

LateAnswer map_scotch_late(const MapProblem& problem, const Budget& budget) {
  return {map_scotch(problem, budget)};
}

/// On large networks `auto` asks `grid` before all others.
bool is_asked_in_turn(const MapProblem& problem) {
  return problem.objective != Objective::hop_bytes || !is_large_network(problem);
}

/// Scotch cannot be stopped. Where it takes longer than the limit, nothing is left of the time.
bool is_quick_for_scotch(const MapProblem& problem) {
  constexpr std::size_t kMostPlaces = 2048;
  return is_no_partitioning(problem) && problem.topology.place_count() <= kMostPlaces;
}

// The quickest rows have their turn first. For many ranks `grid` does, because a search often only comes near to it.
constexpr std::array<Mapper, 11> kMappers{{
    {.name = "auto",
     .help = "exact where it can finish, else the best of the others; never worse than identity",
     .run = map_auto,
     .considers = Considers::loads,
     .tries_others = true,
     .follows_time = true},
    {.name = "exact",
     .help = "branch and bound: proves the optimum for up to 16 places, else best and bound",
     .run = map_exact,
     .considers = Considers::loads,
     .proves = true,
     .follows_time = true,
     .suits = suits_exact},
    {.name = "tabu",
     .help = "population of tabu searches: the best heuristic for up to a few hundred ranks",
     .run = map_tabu,
     .follows_time = true},
    {.name = "multilevel",
     .help = "multisection and refinement by the true cost: up to millions of ranks",
     .run = map_multilevel,
     .considers = Considers::loads,
     .late = map_multilevel_late},
    {.name = "multilevel-fast",
     .help = "the same in a tenth of the time, somewhat worse",
     .run = map_multilevel_fast,
     .considers = Considers::loads,
     .quick = true},
    {.name = "scotch",
     .help = "SCOTCH_graphMap, as in the literature; needs libscotch",
     .run = map_scotch,
     .constructs = true,
     .late = map_scotch_late,
     .suits = is_quick_for_scotch},
    {.name = "greedy",
     .help = "the rank that talks most to those placed goes next to them",
     .run = map_greedy,
     .constructs = true,
     .turn = {.few = 2, .many = 3},
     .suits = is_no_partitioning},
    {.name = "grid",
     .help = "boxes of a Cartesian grid or product, if the traffic is a stencil on one; else as identity",
     .run = map_grid,
     .constructs = true,
     .turn = {.few = 3, .many = 1},
     .suits = is_asked_in_turn},
    {.name = "identity",
     .help = "rank i on place i, places filled in order",
     .run = map_identity,
     .considers = Considers::places,
     .constructs = true},
    {.name = "cyclic",
     .help = "ranks in turn over the outermost groups of the machine",
     .run = map_cyclic,
     .considers = Considers::places,
     .constructs = true,
     .turn = {.few = 1, .many = 2}},
    {.name = "random",
     .help = "drawn from the seed; for comparison",
     .run = map_random,
     .considers = Considers::places,
     .constructs = true},
}};

const Mapper& find_mapper(std::string_view name) {
  const auto found = std::ranges::find(kMappers, name, &Mapper::name);
  if (found != kMappers.end()) return *found;
  const std::vector<std::string> names = names_of(kMappers);
  throw usage_error(unknown_name("mapper", name, names), "--mapper list");
}

void check_allowed(const MapProblem& problem) {
  std::vector<bool> seen(problem.topology.place_count(), false);
  for (const Place place : problem.allowed) {
    if (place.index() >= seen.size()) {
      throw bad_input(
          fmt::format("'{}' has no place {}, only 0 to {}", problem.topology.name(), place.index(), seen.size() - 1),
          "topowise topology TOPOLOGY lists the places");
    }
    if (seen[place.index()]) throw bad_input(fmt::format("place {} is allowed twice", place.index()));
    seen[place.index()] = true;
  }
}

void check_capacity(const MapProblem& problem) {
  if (problem.imbalance) return;  // shares are as large as they have to be
  const std::size_t ranks = problem.traffic.ranks();
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  std::size_t capacity = 0;
  for (const PlaceCapacity& place : all) capacity += place.capacity;
  const std::size_t each = (ranks + all.size() - 1) / all.size();
  constexpr std::size_t kMostSlots = std::size_t{1} << 28;  // some mappers list them
  constexpr double kBytesOfSlot = 16;
  if (ranks <= capacity && capacity > kMostSlots)
    throw bad_input(
        fmt::format("'{}' has room for {} ranks, and a list of that would take about {:.0f} GB of memory: at "
                    "most {} are supported",
                    problem.topology.name(), capacity, static_cast<double>(capacity) * kBytesOfSlot / 1e9, kMostSlots),
        fmt::format("--ranks-per-place {} is enough for {}", each, counted(ranks, "rank")));
  if (ranks <= capacity) return;
  const std::size_t places = problem.topology.place_count();
  const bool some = all.size() < places;
  const std::string offer =
      some ? fmt::format("of the {} places of '{}' only {} may be used", places, problem.topology.name(), all.size())
           : fmt::format("'{}' offers {}", problem.topology.name(), counted(all.size(), "place"));
  throw bad_input(fmt::format("traffic has {}, but {}{}", counted(ranks, "rank"), offer,
                              capacity > all.size() ? fmt::format(", with room for {}", capacity) : ""),
                  fmt::format("--ranks-per-place {} lets {} ranks share a place{}", each, each,
                              some ? "; --allow and --places say which places may be used" : ""));
}

/// Drops equal loads where only the numbers of ranks count, which every mapper knows: where a place has room for as
/// many ranks by its load as by their number. Loads of 5 on shares of 7.5 leave room for one rank, not for two.
MapProblem with_numbers_for_equal_loads(const MapProblem& problem) {
  const std::vector<int>& loads = problem.loads;
  const bool equal = std::ranges::adjacent_find(loads, std::ranges::not_equal_to()) == loads.end();
  const bool right = loads.size() == problem.traffic.ranks() && !loads.empty() && loads.front() > 0;
  if (!equal || !right || !problem.imbalance) return problem;
  MapProblem numbers = problem;
  numbers.loads.clear();
  const std::vector<PlaceCapacity> by_load = place_capacities(problem);
  const auto each = static_cast<std::size_t>(loads.front());
  const bool same = std::ranges::equal(by_load, place_capacities(numbers), [&](const auto& load, const auto& number) {
    return load.capacity / each == number.capacity;
  });
  return same ? numbers : problem;
}

/// Throws Error: loads that are not one above 0 for each rank or come without an imbalance, fixed ranks that cannot
/// be where they shall (bad input), an objective or a mapper that knows no loads (usage).
void check_constraints(const MapProblem& problem, const Mapper& mapper) {
  constexpr double kMostImbalance = 1000;
  if (problem.imbalance && !(*problem.imbalance >= 0 && *problem.imbalance <= kMostImbalance))
    throw usage_error(fmt::format("an imbalance of {} is no number from 0 to {}", *problem.imbalance, kMostImbalance),
                      "--imbalance 0.03");
  if (!problem.loads.empty()) {
    if (problem.objective == Objective::predicted_time)
      throw usage_error("predicted-time knows no loads of ranks", "--objective hop-bytes");
    if (problem.loads.size() != problem.traffic.ranks())
      throw bad_input(
          fmt::format("{} for {}", counted(problem.loads.size(), "load"), counted(problem.traffic.ranks(), "rank")));
    if (std::ranges::any_of(problem.loads, [](int load) { return load <= 0; }))
      throw bad_input("the load of a rank is not above 0");
    if (!problem.imbalance) throw bad_input("ranks with loads need an imbalance", "--imbalance 0.03");
    if (mapper.considers < Considers::loads)
      throw usage_error(fmt::format("mapper '{}' takes all ranks as equally heavy", mapper.name), "--mapper auto");
  }
  if (is_constrained(problem)) check_fixed(problem);
}

/// Throws where the objective cannot be computed for every mapping, before any search starts.
void check_objective(const MapProblem& problem) {
  std::vector<Place> places;
  for (const PlaceCapacity& each : place_capacities(problem)) places.push_back(each.place);
  const bool by_links = problem.objective == Objective::max_congestion || problem.objective == Objective::mix;
  if (by_links) check_congestion_known(problem.topology, places);
}

/// A mapper that breaks the rules is a bug of ours, whatever the input was.
void check_answer(const MapProblem& problem, const Mapper& mapper, const Mapping& mapping) {
  const auto bug = [&](std::string what) {
    return Error(ExitStatus::internal, fmt::format("mapper {} {}", mapper.name, what));
  };
  if (mapping.ranks() != problem.traffic.ranks())
    throw bug(fmt::format("placed {} of {} ranks", mapping.ranks(), problem.traffic.ranks()));
  for (const Place place : mapping.places()) {
    if (place.index() >= problem.topology.place_count())
      throw bug(fmt::format("put a rank on place {}, which does not exist", place.index()));
  }
  const std::vector<std::int64_t> left = capacity_left(problem, mapping);
  if (const auto full = std::ranges::find_if(left, [](std::int64_t here) { return here < 0; }); full != left.end())
    throw bug(fmt::format("put more on place {} than it holds", full - left.begin()));
  for (const FixedRank& fixed : problem.fixed) {
    if (mapping[fixed.rank] != fixed.place) throw bug(fmt::format("moved rank {}, which is fixed", fixed.rank.index()));
  }
}

/// The best lower bound that is known.
double bound_of(const MapProblem& problem, const MapperAnswer& answer, double cost, const Budget& budget) {
  if (answer.proven_optimal) return cost;
  const bool has_bound = answer.bounded || problem.objective == Objective::predicted_time;
  return std::min(cost, std::max(answer.lower_bound, has_bound ? 0.0 : lower_bound(problem, budget)));
}

/// True for a search in a hurry, whose own bound is enough. That bound has no flows, because they take twice as long as
/// the search. For few slots there is a better bound that takes no time.
bool is_bounded_in_hurry(const MapProblem& problem, const Mapper& mapper, const MapperAnswer& answer,
                         const MapOptions& options) {
  constexpr std::size_t kFewSlots = 512;
  return mapper.quick && !options.bound_time && answer.lower_bound > 0 && slots(problem).size() > kFewSlots;
}

/// Searches for a mapping that is compared with `identity`. The problem is checked. `nearest`: what the mapper finds
/// for hop-bytes, if that is known.
MappingResult solve(const MapProblem& problem, const Mapper& mapper, const Mapping& identity,
                    const std::optional<Mapping>& nearest, const MapOptions& options, Seconds left_to_others) {
  const Seconds begin = options.clock->now();
  const double identity_cost = finite_cost_of(problem, identity);
  const std::optional<UniformPart> uniform = split_uniform_part(problem);
  const MapProblem& searched = uniform ? uniform->rest : problem;
  const double everywhere = uniform ? uniform->cost : 0;
  const Seconds start = options.clock->now();
  const Budget budget = Budget(options, everywhere).leaving(left_to_others + (start - begin));
  // However long the bound may take, half of the time is the search's.
  const Budget searching = budget.leaving(std::min(budget.for_bound().time(), options.time_limit / 2));
  MapperAnswer answer = conduct(searched, mapper, nearest, searching);
  const Seconds seconds = options.clock->now() - start;
  check_answer(problem, mapper, answer.mapping);
  answer.bounded = answer.bounded || is_bounded_in_hurry(searched, mapper, answer, options);

  // A prediction of a large problem takes seconds.
  const double cost = answer.mapping == identity ? identity_cost : finite_cost_of(problem, answer.mapping);
  const double searched_cost = uniform ? cost_of(searched, answer.mapping) : cost;
  const double bound = bound_of(searched, answer, searched_cost, budget);
  const bool is_optimal = answer.proven_optimal || is_proven(searched, searched_cost, bound);
  std::optional<SparedMapping> spared;
  if (answer.spared)
    spared = {.cost = cost_of(problem, *answer.spared),
              .hop_bytes = hop_bytes(problem.traffic, problem.topology, *answer.spared, problem.metric)};
  return {.mapping = std::move(answer.mapping),
          .mapper = std::string(mapper.name),
          .objective = std::string(to_string(problem.objective)),
          .metric = std::string(to_string(problem.metric)),
          .cost = cost,
          .identity_cost = identity_cost,
          .lower_bound = is_optimal ? cost : std::min(cost, bound + everywhere),
          .proven_optimal = is_optimal,
          .seconds = seconds,
          .seed = problem.seed,
          .bound_sought = budget.wants_bound(),
          .spared = spared};
}

/// What "auto" finds for hop-bytes, with the steps of the whole time limit, and three quarters of it by the clock.
/// Nothing if the machine does not know the metric.
std::optional<MappingResult> solve_for_hop_bytes(MapProblem problem, const Mapper& mapper, const Mapping& identity,
                                                 MapOptions options) {
  constexpr double kLeft = 0.25;
  problem.objective = Objective::hop_bytes;
  options.progress = nullptr;  // it is asked for another number
  try {
    check_finite(problem);
    return solve(problem, mapper, identity, {}, options, options.time_limit * kLeft);
  } catch (const Error& error) {
    if (!problem.imbalance || error.status() != ExitStatus::bad_input) throw;
    return std::nullopt;
  }
}

/// Adds what the result rests on. Nothing is proven about a machine whose description contradicts itself, or joins no
/// two places.
MappingResult with_grounds(const MapProblem& problem, MappingResult result) {
  const bool about_rates = problem.objective != Objective::hop_bytes || problem.metric == Metric::bandwidth;
  std::vector<Place> places;  // of all of them: a bound is about every mapping
  if (about_rates)
    for (const PlaceCapacity& usable : place_capacities(problem)) places.push_back(usable.place);
  result.assumptions = assumptions_of(problem.topology, pairs_among(places));
  result.contradiction = contradiction_in(problem.topology);
  result.proven_optimal = result.proven_optimal && result.contradiction.empty() && !joins_nothing(problem.topology);
  if (result.proven_optimal) result.proof_tolerance = proof_tolerance(problem, result.cost);
  return result;
}

/// Maps onto places that all reach each other.
MappingResult map_together(const MapProblem& question, const Mapper& mapper, const MapOptions& options) {
  MapProblem problem = with_numbers_for_equal_loads(question);
  check_capacity(problem);
  check_objective(problem);
  check_constraints(problem, mapper);
  const Mapping identity = ranks_in_order(problem);
  check_finite(problem);
  if (problem.objective == Objective::mix) problem.mix = relative_to(problem, identity);
  const bool compares =
      problem.objective == Objective::predicted_time && mapper.tries_others && is_quick_to_predict(problem.traffic);
  if (!compares) return with_grounds(problem, solve(problem, mapper, identity, {}, options, Seconds(0)));
  const Seconds start = options.clock->now();
  const std::optional<MappingResult> nearest = solve_for_hop_bytes(problem, mapper, identity, options);
  std::optional<Mapping> known;
  if (nearest) known = nearest->mapping;
  MappingResult result = solve(problem, mapper, identity, known, options, options.clock->now() - start);
  result.seconds = options.clock->now() - start;
  if (nearest) {
    problem.objective = Objective::hop_bytes;
    result.hop_bytes = {.cost = cost_of(problem, result.mapping),
                        .identity_cost = nearest->identity_cost,
                        .lower_bound = nearest->lower_bound};
    problem.objective = question.objective;
  }
  return with_grounds(problem, std::move(result));
}

/// The usable places, in parts.
struct Parts {
  std::vector<std::vector<Place>> places;  ///< the places of a part all reach each other, in the order of the problem
  bool overlap = false;  ///< places of two parts reach each other, too, so that other parts would be possible
};

/// One part where no distance is infinite. A GPU that reaches two others by NVLink passes nothing on, so these two need
/// not reach each other: only in a tree is one place of a part asked for all. Takes O(places x parts) there, else
/// O(places^2).
Parts connected_parts(const MapProblem& problem) {
  const Topology& topology = problem.topology;
  const auto reach = [&](Place a, Place b) { return !std::isinf(topology.distance(a, b)); };
  const bool whole = topology.has_pair_matrix(Metric::distance) ||
                     std::ranges::none_of(topology.level_distances(), [](double each) { return std::isinf(each); });
  const bool is_tree = topology.place_count() > Topology::kLargestDense;
  Parts parts;
  for (const PlaceCapacity& each : place_capacities(problem)) {
    std::vector<Place>* home = nullptr;
    for (std::vector<Place>& part : parts.places) {
      const auto asked = static_cast<std::ptrdiff_t>(is_tree ? 1 : part.size());
      const auto reached = std::count_if(part.begin(), part.begin() + asked,
                                         [&](Place other) { return whole || reach(other, each.place); });
      if (reached == asked && home == nullptr)
        home = &part;
      else
        parts.overlap = parts.overlap || reached > 0;
      if (whole || (is_tree && home != nullptr)) break;
    }
    if (home == nullptr)
      parts.places.push_back({each.place});
    else
      home->push_back(each.place);
  }
  return parts;
}

/// True if all ranks that send or receive are joined by messages, directly or through others: then they have to be on
/// one part.
bool is_connected(const Traffic& traffic) {
  DisjointSets sets(traffic.ranks());
  std::optional<std::size_t> first;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.bytes == Bytes()) continue;
    sets.join(entry.source.index(), entry.destination.index());
    first = first.value_or(entry.source.index());
  }
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.bytes != Bytes() && sets.find(entry.source.index()) != sets.find(*first)) return false;
  }
  return true;
}

/// The capacity of the usable places, whatever the imbalance.
std::size_t own_capacity(const MapProblem& problem) {
  std::size_t sum = 0;
  const auto add = [&](Place place) {
    sum += static_cast<std::size_t>(problem.ranks_per_place > 0 ? problem.ranks_per_place
                                                                : problem.topology.place(place).capacity);
  };
  for (std::size_t p = 0; problem.allowed.empty() && p < problem.topology.place_count(); ++p) add(Place(p));
  for (const Place place : problem.allowed) add(place);
  return sum;
}

/// The problem on one of the parts into which the machine falls; nothing if the part has no room.
std::optional<MapProblem> on_part(const MapProblem& problem, const std::vector<Place>& part) {
  MapProblem own = problem;
  own.allowed = part;
  own.whole_capacity = own_capacity(problem);
  std::size_t room = 0;
  for (const PlaceCapacity& place : place_capacities(own)) room += place.capacity;
  const bool keeps_fixed = std::ranges::all_of(
      problem.fixed, [&](const FixedRank& fixed) { return std::ranges::find(part, fixed.place) != part.end(); });
  if (!keeps_fixed || room < static_cast<std::size_t>(total_load(problem))) return std::nullopt;
  return own;
}

/// What a mapper that looks at places alone does on a machine that falls into parts: it says what that costs, which may
/// be infinite.
MappingResult place_alone(const MapProblem& problem, const Mapper& mapper, const MapOptions& options) {
  check_capacity(problem);
  Mapping mapping = mapper.run(problem, Budget(options)).mapping;
  const double cost = cost_of(problem, mapping);
  return {.mapping = std::move(mapping),
          .mapper = std::string(mapper.name),
          .objective = std::string(to_string(problem.objective)),
          .metric = std::string(to_string(problem.metric)),
          .cost = cost,
          .identity_cost = cost_of(problem, ranks_in_order(problem)),
          .seed = problem.seed,
          .bound_sought = false};
}

/// Infinite if ranks that talk are on places that nothing connects: a time cannot be predicted for them.
double cost_of_identity(const MapProblem& problem) {
  const Mapping identity = ranks_in_order(problem);
  const bool apart = std::ranges::any_of(problem.traffic.entries(), [&](const TrafficEntry& entry) {
    return entry.bytes > Bytes() &&
           std::isinf(problem.topology.distance(identity[entry.source], identity[entry.destination]));
  });
  return apart ? std::numeric_limits<double>::infinity() : cost_of(problem, identity);
}

/// Maps onto the best of several parts between which there is no way: ranks that talk have to be on one.
MappingResult map_onto_a_part(const MapProblem& problem, const Parts& found_parts, const Mapper& mapper,
                              MapOptions options) {
  const std::vector<std::vector<Place>>& parts = found_parts.places;
  const bool constrained = problem.imbalance || is_constrained(problem);
  if (mapper.considers == Considers::places && !constrained) return place_alone(problem, mapper, options);
  options.time_limit = options.time_limit / static_cast<double>(parts.size());
  std::optional<MappingResult> best;
  std::optional<Error> refusal;
  double bound = std::numeric_limits<double>::infinity();
  for (const std::vector<Place>& part : parts) {
    const std::optional<MapProblem> own = on_part(problem, part);
    if (!own) continue;
    try {
      MappingResult found = map_together(*own, mapper, options);
      bound = std::min(bound, found.lower_bound);
      if (!best || found.cost < best->cost) best = std::move(found);
    } catch (const Error& error) {  // loads that were not packed onto this part
      if (!problem.imbalance || error.status() != ExitStatus::bad_input) throw;
      refusal = refusal.value_or(error);
      bound = 0;
    }
  }
  if (!best && refusal) throw Error(*refusal);
  if (!best) {
    const auto largest = std::ranges::max_element(parts, {}, &std::vector<Place>::size);
    const std::string what =
        found_parts.overlap
            ? fmt::format("the usable places of '{}' do not all reach each other", problem.topology.name())
            : fmt::format("the usable places of '{}' fall into {} parts that nothing connects", problem.topology.name(),
                          parts.size());
    throw bad_input(
        fmt::format("{}, the largest {}of {}; none has room for {}{}", what,
                    found_parts.overlap ? "group found that does is " : "", counted(largest->size(), "place"),
                    counted(problem.traffic.ranks(), "rank"), problem.imbalance ? " at this imbalance" : ""),
        "topowise topology TOPOLOGY prints NONE where nothing connects two places");
  }
  // Else ranks may be spread over several parts.
  const bool bounded = is_connected(problem.traffic) && !found_parts.overlap;
  best->lower_bound = bounded ? std::min(bound, best->cost) : 0;
  best->proven_optimal = best->contradiction.empty() && bounded && bound >= best->cost;
  best->identity_cost = cost_of_identity(problem);
  best->hop_bytes.reset();
  return *std::move(best);
}

}  // namespace

MapperRows mappers() {
  return kMappers;
}

MappingResult map_ranks(const MapProblem& question, std::string_view name, const MapOptions& options) {
  if (question.objective == Objective::max_congestion && question.metric != Metric::distance) {
    // The objective has no metric, and the machine may not know the one that is asked for.
    MapProblem by_distance = question;
    by_distance.metric = Metric::distance;
    MappingResult result = map_ranks(by_distance, name, options);
    result.metric = to_string(question.metric);
    return result;
  }
  const Mapper& mapper = find_mapper(name);
  check_allowed(question);
  const Parts parts = connected_parts(question);
  return parts.places.size() > 1 ? map_onto_a_part(question, parts, mapper, options)
                                 : map_together(question, mapper, options);
}

}  // namespace topowise
