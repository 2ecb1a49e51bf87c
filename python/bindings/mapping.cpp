// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <topowise/evaluate.hpp>
#include <topowise/graph/fingerprint.hpp>
#include <topowise/json.hpp>
#include <topowise/launch.hpp>
#include <topowise/map.hpp>

#include "bindings.hpp"
#include "interruptible.hpp"
#include "names.hpp"

namespace topowise::python {
namespace {

Rank rank_of(std::int64_t number) {
  if (number < 0) throw bad_input(fmt::format("rank {} is none: ranks count from 0", number));
  return Rank(static_cast<std::size_t>(number));
}

Place place_of(std::int64_t number) {
  if (number < 0) throw bad_input(fmt::format("place {} is none: places count from 0", number));
  return Place(static_cast<std::size_t>(number));
}

/// The names, and one more that the command line knows.
std::vector<std::string> with(std::vector<std::string> names, std::string more) {
  names.push_back(std::move(more));
  return names;
}

/// The arguments of topowise.map() as they come from Python.
struct MapArguments {
  std::optional<std::string> objective;
  std::optional<std::string> metric;
  std::vector<std::int64_t> allowed;
  std::map<std::int64_t, std::int64_t> fixed;
};

MapRequest request_of(MapRequest request, const MapArguments& arguments) {
  const std::string objective = arguments.objective.value_or("auto");
  if (objective != "auto") request.objective = choose(kObjectives, objective, parse_objective);
  if (arguments.metric) request.metric = choose(kMetrics, *arguments.metric, parse_metric);
  for (const std::int64_t place : arguments.allowed) request.allowed.push_back(place_of(place));
  for (const auto& [rank, place] : arguments.fixed) request.fixed.emplace_back(rank_of(rank), place_of(place));
  return request;
}

/// (result, whether it was interrupted)
nb::tuple map_interruptibly(const Traffic& traffic, const Topology& machine, MapRequest request,
                            const MapArguments& arguments) {
  request = request_of(std::move(request), arguments);
  auto found = interruptible([&](const std::atomic<bool>& stop) {
    request.stop = &stop;
    return map_ranks(traffic, machine, request);
  });
  return nb::make_tuple(std::move(found.result), found.interrupted);
}

nb::dict evaluation(const Traffic& traffic, const Topology& machine, const Column<std::int64_t>& places,
                    const std::string& metric) {
  const Metric chosen = choose(kMetrics, metric, parse_metric);
  const Mapping mapping = mapping_of(places);
  Evaluation numbers;
  {
    const nb::gil_scoped_release released;
    numbers = evaluate(traffic, machine, mapping, chosen);
  }
  std::vector<double> loads;
  for (const Bytes load : numbers.link_load) loads.push_back(load.value());
  nb::dict all;
  all["hop_bytes"] = numbers.hop_bytes;
  all["average_dilation"] = numbers.average_dilation;
  all["max_dilation"] = numbers.max_dilation;
  all["link_load"] = to_array(std::move(loads));
  all["max_congestion"] = nb::none();
  all["predicted_time"] = nb::none();
  all["fullest_link"] = nb::none();
  nb::list spread;
  for (const GroupSpread& kind : numbers.spread) {
    nb::dict touched;
    for (const PartsTouched& part : kind.touched)
      touched[part.part.c_str()] = nb::make_tuple(part.mean, part.most, part.least_possible);
    nb::dict row;
    row["groups"] = kind.kind;
    row["number"] = kind.groups;
    row["ranks"] = kind.largest;
    row["bytes"] = kind.bytes.value();
    row["touched"] = touched;
    spread.append(row);
  }
  all["spread"] = spread;
  all["unknown"] = numbers.unknown;
  all["assumptions"] = numbers.assumptions;
  if (numbers.max_congestion) all["max_congestion"] = numbers.max_congestion->value();
  if (numbers.predicted_time) all["predicted_time"] = numbers.predicted_time->value();
  if (numbers.fullest_link) {
    const Link& link = machine.link(*numbers.fullest_link);
    all["fullest_link"] = nb::make_tuple(machine.vertex(link.from).name, machine.vertex(link.to).name);
  }
  return all;
}

nb::tuple saved_mapping(const std::filesystem::path& path) {
  const MappingResult saved = load_mapping(path.string());
  return nb::make_tuple(saved, to_array(numbers_of(saved.mapping)));
}

template <class Type>
void bind_result(Type& type) {
  using Result = const MappingResult&;
  type.def_prop_ro("places", [](Result result) { return to_array(numbers_of(result.mapping)); })
      .def_ro("mapper", &MappingResult::mapper)
      .def_ro("objective", &MappingResult::objective)
      .def_ro("objective_reason", &MappingResult::objective_reason)
      .def_ro("weights", &MappingResult::weights)
      .def_ro("assumptions", &MappingResult::assumptions)
      .def_ro("contradiction", &MappingResult::contradiction)
      .def_ro("metric", &MappingResult::metric)
      .def_prop_ro("hop_bytes",
                   [](Result result) -> std::optional<std::map<std::string, double>> {
                     if (!result.hop_bytes) return std::nullopt;
                     return std::map<std::string, double>{{"cost", result.hop_bytes->cost},
                                                          {"identity_cost", result.hop_bytes->identity_cost},
                                                          {"lower_bound", result.hop_bytes->lower_bound}};
                   })
      .def_ro("cost", &MappingResult::cost)
      .def_ro("identity_cost", &MappingResult::identity_cost)
      .def_ro("lower_bound", &MappingResult::lower_bound)
      .def_ro("proven_optimal", &MappingResult::proven_optimal)
      .def_ro("proof_tolerance", &MappingResult::proof_tolerance)
      .def_prop_ro("seconds", [](Result result) { return result.seconds.value(); })
      .def_ro("seed", &MappingResult::seed)
      .def_prop_ro("gain", &MappingResult::gain)
      .def("to_json", [](Result result) { return to_json(result); })
      .def(
          "save",
          [](Result result, nb::handle path, const Topology& machine) { save_mapping(path_of(path), result, machine); },
          nb::arg("path").none(), nb::arg("machine"))
      .def("launcher_text", [](Result result, const Topology& machine, const std::string& launcher) {
        check({"launcher", launcher_names(), "--emit"}, launcher);
        return launcher_text(result.mapping, machine, launcher);
      });
}

}  // namespace

void check_table(std::size_t count, const char* things) {
  constexpr std::size_t kMost = 16384;
  if (count > kMost)
    throw bad_input(fmt::format("a table of all pairs of {} {} would be too large", count, things),
                    fmt::format("it is made of at most {} {}", kMost, things));
}

Mapping mapping_of(const Column<std::int64_t>& places) {
  std::vector<Place> place_of_rank;
  place_of_rank.reserve(places.size());
  for (std::size_t rank = 0; rank < places.size(); ++rank) place_of_rank.push_back(place_of(places(rank)));
  return Mapping(std::move(place_of_rank));
}

std::vector<std::int64_t> numbers_of(const Mapping& mapping) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(mapping.ranks());
  for (const Place place : mapping.places()) numbers.push_back(static_cast<std::int64_t>(place.index()));
  return numbers;
}

void bind_mapping(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<MappingResult> result(module, "MappingResult");
  bind_result(result);
  module.def(
      "map_ranks",
      [](const Traffic& traffic, const Topology& machine, const std::string& mapper,
         const std::optional<std::string>& objective, const std::optional<std::string>& metric, double hop_share,
         const std::vector<std::int64_t>& allowed, int ranks_per_place, std::optional<double> imbalance,
         const std::vector<int>& loads, const std::map<std::int64_t, std::int64_t>& fixed, std::uint64_t seed,
         double time_limit, std::optional<double> bound_time, int threads) {
        check({"mapper", mapper == "list" ? mapper_names() : with(mapper_names(), "list")}, mapper);
        MapRequest request{.mapper = mapper, .hop_share = hop_share, .ranks_per_place = ranks_per_place};
        request.imbalance = imbalance;
        request.loads = loads;
        request.seed = seed;
        request.time_limit = Seconds(time_limit);
        if (bound_time) request.bound_time = Seconds(*bound_time);
        request.threads = threads;
        return map_interruptibly(traffic, machine, std::move(request), {objective, metric, allowed, fixed});
      },
      nb::kw_only(), "traffic"_a, "topology"_a, "mapper"_a, "objective"_a.none(), "metric"_a.none(), "hop_share"_a,
      "allowed"_a, "ranks_per_place"_a, "imbalance"_a.none(), "loads"_a, "fixed"_a, "seed"_a, "time_limit"_a,
      "bound_time"_a.none(), "threads"_a);
  module.def("evaluate", &evaluation);
  module.def("load_mapping", &saved_mapping);
  module.def("signs_of_another_question", &signs_of_another_question);
  module.def("mapping_from_text", [](const std::string& text) { return mapping_from_json("text", text); });
  module.def("mapper_names", &mapper_names);
  module.def("launcher_names", &launcher_names);
  module.def("parse_seconds", [](const std::string& text) {
    const std::optional<Seconds> time = parse_seconds(text);
    if (!time) throw usage_error(fmt::format("'{}' is no time", text), "seconds, or '500ms'");
    return time->value();
  });
}

}  // namespace topowise::python
