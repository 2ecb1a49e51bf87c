// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/graph/fingerprint.hpp>
#include <topowise/launch.hpp>
#include <topowise/launch/launcher.hpp>
#include <topowise/map.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/objective_choice.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>

namespace topowise {
namespace {

MapProblem problem_of(const Traffic& traffic, const Topology& machine, const MapRequest& request) {
  MapProblem problem{.traffic = traffic, .topology = machine};
  problem.metric = request.metric.value_or(Metric::distance);
  problem.mix.hop_share = request.hop_share;
  problem.allowed = request.allowed;
  problem.ranks_per_place = request.ranks_per_place;
  problem.imbalance = request.imbalance;
  problem.loads = request.loads;
  for (const auto& [rank, place] : request.fixed) problem.fixed.push_back({rank, place});
  problem.seed = request.seed;
  return problem;
}

}  // namespace

MappingResult map_ranks(const Traffic& traffic, const Topology& machine, const MapRequest& request) {
  if (!(request.time_limit.value() > 0) || !std::isfinite(request.time_limit.value()))
    throw bad_input(fmt::format("the time limit is {} s, which is no time above 0", request.time_limit.value()));
  const Seconds bound_time = request.bound_time.value_or(Seconds(0));
  if (bound_time.value() < 0 || !std::isfinite(bound_time.value()))
    throw bad_input(fmt::format("the time for the bound is {} s, which is no time", bound_time.value()));
  MapProblem problem = problem_of(traffic, machine, request);
  const ObjectiveChoice choice =
      choose_objective(problem, {request.objective, request.metric.has_value(), request.mapper});
  problem.objective = choice.objective;
  problem.spares_hop_bytes = choice.spares_hop_bytes;
  MappingResult result = map_ranks(problem, request.mapper,
                                   {.time_limit = request.time_limit,
                                    .threads = request.threads,
                                    .bound_time = request.bound_time,
                                    .stop = request.stop});
  // Nothing is proven about a machine whose bonds the source does not show.
  result.proven_optimal = result.proven_optimal && !bonds_are_hidden(machine);
  result.objective_reason = choice.reason;
  result.made_for = {fingerprint(traffic), fingerprint(machine)};
  return result;
}

std::vector<std::string> mapper_names() {
  return names_of(mappers());
}

std::string launcher_text(const Mapping& mapping, const Topology& machine, std::string_view launcher) {
  return launcher_text(launcher, place_ranks(mapping, machine), machine);
}

std::vector<std::string> launcher_names() {
  return names_of(launchers());
}

}  // namespace topowise
