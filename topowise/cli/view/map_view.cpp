// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/text.hpp>
#include <topowise/cli/view/map_view.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>

#include <topowise/cli/input/map_arguments.hpp>
#include <topowise/cli/view/gap_text.hpp>
#include <topowise/cli/view/rests_on.hpp>
#include <topowise/graph/containment.hpp>
#include <topowise/graph/nearest_nics.hpp>
#include <topowise/launch/nics.hpp>
#include <topowise/launch/placement.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/cost_numbers.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/level_traffic.hpp>
#include <topowise/report/text_table.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>

namespace topowise::cli {
namespace {

using Align = Table::Align;

constexpr std::size_t kMostRows = 256;
constexpr Seconds kQuietTime(0.5);  ///< a shorter search needs no news
/// Machines of at most that many places are examined pair by pair.
constexpr std::size_t kMostForPairs = 1024;

std::string percent(Bytes part, Bytes whole) {
  return whole.value() > 0 ? fmt::format("{:.1f}%", 100 * (part / whole)) : "";
}

/// "36.3% less than the 400 us of the identity"
std::string compared(Objective objective, double cost, double identity_cost) {
  if (std::isinf(identity_cost)) return "the identity puts ranks that talk on places that nothing connects";
  const double gain = identity_cost > 0 ? 1 - cost / identity_cost : 0.0;
  constexpr double kPercent = 100;
  constexpr double kShown = 5e-4;  // less is shown as 0.0%
  return fmt::format("{:.1f}% {} than the {} of the identity", kPercent * std::abs(gain),
                     gain <= -kShown ? "more" : "less", cost_text(objective, identity_cost));
}

/// " to 1 part in 10^9"; empty for an exact proof.
std::string tolerance_text(double tolerance) {
  return tolerance > 0 ? fmt::format(" to 1 part in 10^{:.0f}", -std::log10(tolerance)) : std::string();
}

bool is_proven(const HopBytes& hops) {
  constexpr double kRounding = 1e-9;
  return hops.cost <= hops.lower_bound * (1 + kRounding);
}

/// True if all pairs of usable places cost the same, so that every mapping of one rank per place does.
bool is_uniform(const MapProblem& problem) {
  const std::vector<Place> places = usable_places(problem);
  if (places.size() < 2 || places.size() > kMostForPairs) return false;
  const double first = problem.topology.pair_cost(problem.metric, places[0], places[1]);
  return std::ranges::all_of(place_capacities(problem), [](const PlaceCapacity& each) { return each.capacity == 1; }) &&
         std::ranges::all_of(places, [&](Place a) {
           return std::ranges::all_of(
               places, [&](Place b) { return a == b || problem.topology.pair_cost(problem.metric, a, b) == first; });
         });
}

/// Between usable places: "are equally far apart (PIX)", or "have the same bandwidth (NV1, NV2)" if that hides classes.
std::string equal_pairs(const MapProblem& problem) {
  const std::vector<Place> places = usable_places(problem);
  std::vector<std::string> classes;
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = a + 1; b < places.size(); ++b) {
      std::string name = to_string(problem.topology.path_class(places[a], places[b]));
      if (std::ranges::find(classes, name) == classes.end()) classes.push_back(std::move(name));
    }
  }
  return classes.size() == 1
             ? fmt::format("are equally far apart ({})", classes.front())
             : fmt::format("have the same {} ({})", to_string(problem.metric), fmt::join(classes, ", "));
}

/// What no mapping can have where the identity is optimal.
std::string_view nothing_better(Objective objective) {
  switch (objective) {
    case Objective::hop_bytes:
      return "no mapping has fewer hop-bytes";
    case Objective::max_congestion:
      return "no mapping has a smaller max congestion";
    case Objective::predicted_time:
      return "no mapping takes less time by the congestion model";
    case Objective::mix:
      return "no mapping has a smaller mix";
  }
  return "no mapping is better";
}

/// The NIC that `run --nic-bind near` gives each of the first `count` ranks; empty if there is none near.
std::vector<std::string> nics_of_ranks(const Topology& topology, const Mapping& mapping, std::size_t count) {
  std::vector<std::string> names(count);
  if (nics_of(topology).empty()) return names;
  const Placement placement = place_ranks(mapping, topology);
  std::map<std::size_t, std::vector<std::optional<std::string>>> of_node;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const PlacedRank& placed = placement.ranks[rank];
    const auto [found, is_new] = of_node.try_emplace(placed.node);
    if (is_new) found->second = nics_of_node(placement, placed.node, mapping, topology);
    names[rank] = printable(found->second[placed.local_rank].value_or(""));
  }
  return names;
}

}  // namespace

std::string cost_text(Objective objective, double cost) {
  if (objective == Objective::mix) return fmt::format("{:.3f}", cost);
  return objective == Objective::hop_bytes ? to_string(Bytes(cost)) : to_string(Seconds(cost));
}

std::string_view number_name(Objective objective) {
  switch (objective) {
    case Objective::hop_bytes:
      return "hop-bytes";
    case Objective::max_congestion:
      return "max congestion";
    case Objective::predicted_time:
      return "predicted time";
    case Objective::mix:
      return "mix";
  }
  return "cost";
}

std::vector<std::string> rank_cells(const Topology& topology, Rank rank, Place place) {
  const Vertex& vertex = topology.vertex_of(place);
  return {std::to_string(rank.index()),
          std::to_string(place.index()),
          vertex.name,
          vertex.node,
          vertex.pci ? vertex.pci->to_string() : "",
          vertex.numa >= 0 ? std::to_string(vertex.numa) : ""};
}

void show_mapping(const MapProblem& problem, const Mapping& mapping, Terminal& terminal) {
  Table table({{"rank", Align::right},
               {"place", Align::right},
               {"name"},
               {"node"},
               {"PCI bus id"},
               {"NUMA", Align::right},
               {"NIC"}});
  const std::size_t rows = std::min(mapping.ranks(), kMostRows);
  const std::vector<std::string> nics = nics_of_ranks(problem.topology, mapping, rows);
  for (std::size_t rank = 0; rank < rows; ++rank) {
    std::vector<std::string> cells = rank_cells(problem.topology, Rank(rank), mapping[Rank(rank)]);
    cells.push_back(nics[rank]);
    table.add(std::move(cells));
  }
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
  if (mapping.ranks() > kMostRows)
    terminal.print("  ... and {} more; --json has them all\n", mapping.ranks() - kMostRows);
}

void show_levels(const MapProblem& problem, const Mapping& identity, const Mapping& mapping, Terminal& terminal) {
  const Topology& topology = problem.topology;
  const LevelTraffic before = level_traffic(problem.traffic, topology, identity);
  const LevelTraffic after = level_traffic(problem.traffic, topology, mapping);
  Bytes total = before.within;
  for (const Bytes bytes : before.by_level) total += bytes;
  Table table({{"traffic by level"},
               {"class"},
               {"distance", Align::right},
               {"before", Align::right},
               {"", Align::right},
               {"after", Align::right},
               {"", Align::right}});
  if (before.within.value() > 0 || after.within.value() > 0) {
    table.add({"same place", "X", "0", to_string(before.within), percent(before.within, total), to_string(after.within),
               percent(after.within, total)});
  }
  const std::size_t rows = std::min(topology.levels().size(), kMostRows);
  for (std::size_t level = 0; level < rows; ++level) {
    const Bytes old = before.by_level[level];
    const Bytes now = after.by_level[level];
    table.add({fmt::format("level {}", level), to_string(topology.levels()[level]),
               topology.has_pair_matrix(Metric::distance) ? "" : fmt::format("{:g}", topology.level_distances()[level]),
               to_string(old), percent(old, total), to_string(now), percent(now, total)});
  }
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
  if (topology.levels().size() > rows) terminal.print("  ... and {} more levels\n", topology.levels().size() - rows);
}

std::string proof_text(const MapProblem& problem, const MappingResult& result) {
  // Nothing is proven about a machine whose bonds the source does not show.
  if (result.proven_optimal && bonds_are_hidden(problem.topology)) return ": optimal for what the source shows";
  if (result.proven_optimal)
    return fmt::format(": proven optimal in {}{}{}", number_name(problem.objective),
                       problem.objective == Objective::predicted_time ? " by the congestion model" : "",
                       tolerance_text(result.proof_tolerance));
  if (!result.contradiction.empty() || joins_nothing(problem.topology)) return "";
  if (result.lower_bound <= 0) return "";
  const std::string gap = gap_text(result.cost, result.lower_bound, "mapping");
  const bool is_partial = gap.starts_with("at most") && bonds_are_hidden(problem.topology);
  return fmt::format(": {}{}", gap, is_partial ? " for what the source shows" : "");
}

std::string bound_text(const HopBytes& hops) {
  return hops.lower_bound > 0 || hops.cost == 0 ? "lower bound " + to_string(Bytes(hops.lower_bound))
                                                : "no lower bound was found";
}

bool has_gain(const MappingResult& result) {
  const bool is_nearer = result.hop_bytes && result.hop_bytes->cost < result.hop_bytes->identity_cost;
  return result.cost < result.identity_cost || is_nearer;
}

// Only time and nearness together say that nothing can help.
std::string why_no_gain(const MapProblem& problem, const MappingResult& result) {
  if (result.identity_cost == 0 && problem.traffic.total_bytes() == Bytes())
    return "the ranks send nothing: every mapping is as good as any other";
  if (joins_nothing(problem.topology))
    return fmt::format("nothing says how the places of '{}' are joined: no mapping can be judged",
                       printable(problem.topology.name()));
  const auto row = std::ranges::find(mappers(), result.mapper, &Mapper::name);
  const bool has_searched = row == mappers().end() || row->considers != Considers::places;
  if (bonds_are_hidden(problem.topology) && (result.proven_optimal || has_searched))
    return fmt::format(
        "{} in what the source shows; with the NVLink or xGMI that it does not show a mapping may help",
        result.proven_optimal ? nothing_better(problem.objective) : "no mapping better than the identity was found");
  const bool by_both = result.hop_bytes && result.proven_optimal && is_proven(*result.hop_bytes);
  const std::string_view nothing = by_both ? "no mapping can help" : nothing_better(problem.objective);
  if ((by_both || problem.objective == Objective::hop_bytes) && is_uniform(problem)) {
    return fmt::format("every two {}places of '{}' {}: {}", problem.allowed.empty() ? "" : "allowed ",
                       printable(problem.topology.name()), equal_pairs(problem), nothing);
  }
  if (!result.contradiction.empty()) return "no mapping better than the identity was found";
  const std::string tolerance = tolerance_text(result.proof_tolerance);
  if (by_both)
    return fmt::format("the identity is optimal already, in predicted time and in hop-bytes{}: {}", tolerance, nothing);
  if (result.proven_optimal) return fmt::format("the identity is optimal already{}: {}", tolerance, nothing);
  if (result.spared) return "no better mapping that is worth its hop-bytes was found";
  if (result.mapper == "identity") return "this is the identity: no other mapping was looked for";
  if (!has_searched)
    return fmt::format("'{}' does not look at the messages, and its mapping is not better than the identity",
                       result.mapper);
  return "no mapping better than the identity was found";
}

std::vector<std::string> contradictions(const MapProblem& problem, const MappingResult& result) {
  std::vector<std::string> lines;
  if (!result.contradiction.empty())
    lines.push_back(fmt::format("nothing is called optimal, since the description of '{}' contradicts itself: {}",
                                printable(problem.topology.name()), result.contradiction));
  const bool by_order = problem.metric == Metric::distance || problem.metric == Metric::hops;
  if (const std::string faster = by_order ? faster_far_level(problem.topology) : ""; !faster.empty())
    lines.push_back(
        fmt::format("the rates contradict the order of the classes: {}; {}", faster,
                    problem.objective == Objective::hop_bytes
                        ? std::string("--metric bandwidth and --objective predicted-time map by the rates")
                        : std::string("hop-bytes follow the order, the other numbers the rates of the links")));
  return lines;
}

std::string spared_text(const MappingResult& result) {
  if (!result.spared || !result.hop_bytes) return {};
  const double less = 100 * (1 - result.spared->cost / result.cost);
  const double more = 100 * (result.spared->hop_bytes / result.hop_bytes->cost - 1);
  return fmt::format(
      "by assumed rates {:.1f}% less predicted time would cost {:.1f}% more hop-bytes: --objective predicted-time "
      "looks for the least time alone",
      less, more);
}

void show_result(const MapProblem& problem, const MappingResult& result, Terminal& terminal) {
  const Objective objective = problem.objective;
  const std::string unit = fmt::format(" ({} x bytes)", to_string(problem.metric));
  if (!result.objective_reason.empty()) terminal.print("objective {}: {}\n", result.objective, result.objective_reason);
  terminal.print("{} {}{}: {}\n", number_name(objective), terminal.bold(cost_text(objective, result.cost)),
                 objective == Objective::hop_bytes ? unit : "", compared(objective, result.cost, result.identity_cost));
  const std::string bound =
      !result.has_bound()
          ? std::string(result.bound_sought ? "no lower bound was found" : "no lower bound was asked for")
          : fmt::format("lower bound {}{}", cost_text(objective, result.lower_bound), proof_text(problem, result));
  terminal.print("{}; mapper {}, {}\n", bound, result.mapper, to_string(result.seconds));
  if (const std::optional<HopBytes>& hops = result.hop_bytes) {
    terminal.print("hop-bytes {}{}: {}; {}\n", to_string(Bytes(hops->cost)), unit,
                   compared(Objective::hop_bytes, hops->cost, hops->identity_cost), bound_text(*hops));
  }
  if (const std::string spared = spared_text(result); !spared.empty()) terminal.print("{}\n", spared);
  show_assumptions(result.assumptions, terminal);
  for (const std::string& line : contradictions(problem, result)) terminal.print("{}\n", line);
  if (!has_gain(result)) terminal.print("{}\n", why_no_gain(problem, result));
}

std::function<void(const MapProgress&)> map_progress(Objective objective, const Terminal& terminal) {
  if (::isatty(STDERR_FILENO) != 1) return {};
  using Clock = std::chrono::steady_clock;
  struct Told {
    MapProgress best;
    Seconds at;
  };
  return [objective, &terminal, begin = Clock::now(), told = std::optional<Told>()](MapProgress progress) mutable {
    const Seconds elapsed(std::chrono::duration<double>(Clock::now() - begin).count());
    if (elapsed < kQuietTime) return;
    if (told) {  // a stage may begin from a mapping that is not the best
      progress.cost = std::min(progress.cost, told->best.cost);
      progress.lower_bound = std::max(progress.lower_bound, told->best.lower_bound);
      const bool goes_on = progress.next == told->best.next;
      if (goes_on && (progress.cost == told->best.cost || elapsed < told->at + kQuietTime)) return;
    }
    told = Told{progress, elapsed};
    const std::string bound =
        progress.lower_bound > 0 ? ", lower bound " + cost_text(objective, progress.lower_bound) : "";
    terminal.note(fmt::format("{}: best {}{}; next: {}", to_string(elapsed), cost_text(objective, progress.cost), bound,
                              progress.next));
  };
}

}  // namespace topowise::cli
