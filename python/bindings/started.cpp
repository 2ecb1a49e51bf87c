// SPDX-License-Identifier: BSD-3-Clause
// What launchers of Python programs ask: the profile of an earlier run, and the GPUs of a node's workers. The public
// headers do not deal with starts of jobs, so this part uses the folders job/ and launch/ themselves.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include <topowise/job/process.hpp>
#include <topowise/job/profile_store.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/placement.hpp>
#include <topowise/map.hpp>

#include "bindings.hpp"

namespace topowise::python {

void bind_started(nb::module_& module) {
  module.def("stored_profile", [](const std::vector<std::string>& command, std::size_t ranks) {
    const std::optional<std::string> store = job::store_folder(job::environment);
    if (!store) return std::string();
    const std::optional<std::string> path = job::environment("PATH");
    return job::stored_profile(*store, job::program_of(command, path.value_or("")), ranks);
  });
  module.def("places_are_gpus", [](const Topology& machine) {
    const auto places = machine.places();
    return std::all_of(places.begin(), places.end(),
                       [](const PlaceEntry& place) { return place.kind == PlaceKind::gpu; });
  });
  module.def("variables_of_node", [](const MappingResult& result, const Topology& machine) {
    return gpu_environment_of_parent(place_ranks(result.mapping, machine), 0,
                                     [](const std::string&) { return std::optional<std::string>(); });
  });
}

}  // namespace topowise::python
