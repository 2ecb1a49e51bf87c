// SPDX-License-Identifier: BSD-3-Clause
// Chooses which process of a running job plays which vertex. The public headers do not deal with running jobs, so this
// part uses the folder reorder/ itself, as the preloaded library's engine does.
#include <topowise/reorder/reorder.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace topowise::python {
namespace {

struct Played {
  std::vector<std::int64_t> process_of_vertex;
  double cost_before = 0;
  double cost = 0;
  bool proven_optimal = false;
};

Played played(const Traffic& graph, const std::vector<std::string>& hosts, const Topology* cluster,
              std::optional<double> seconds) {
  const JobMachine machine = cluster != nullptr ? described_hosts(*cluster, hosts) : equal_hosts(hosts);
  const std::optional<MapOptions> options =
      seconds ? std::optional(MapOptions{.time_limit = Seconds(*seconds)}) : std::nullopt;
  const Reordering found = reorder(graph, machine, options);
  return {{found.process_of_vertex.begin(), found.process_of_vertex.end()},
          found.cost_before,
          found.cost,
          found.proven_optimal};
}

}  // namespace

void bind_reorder(nb::module_& module) {
  module.def(
      "reorder",
      [](const Traffic& graph, const std::vector<std::string>& hosts, const Topology* cluster,
         std::optional<double> seconds) {
        Played answer;
        {
          const nb::gil_scoped_release released;
          answer = played(graph, hosts, cluster, seconds);
        }
        return nb::make_tuple(to_array(std::move(answer.process_of_vertex)), answer.cost_before, answer.cost,
                              answer.proven_optimal);
      },
      nb::arg("graph"), nb::arg("hosts"), nb::arg("cluster").none(), nb::arg("seconds").none());
}

}  // namespace topowise::python
