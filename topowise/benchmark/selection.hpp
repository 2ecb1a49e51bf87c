// SPDX-License-Identifier: BSD-3-Clause
// The mappings that a benchmark compares.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/benchmark/workload.hpp>
#include <topowise/mapper/mapper.hpp>

namespace topowise::benchmark {

/// How a mapping is chosen.
struct Selection {
  std::string_view name;    ///< "distance"
  std::string_view mapper;  ///< a mapper of the registry, or one of the orders of launchers
  Metric metric = Metric::distance;
  bool weighted = true;       ///< false: all dimensions count alike
  bool network_aware = true;  ///< false: all pairs of different compute nodes are as far as the farthest
  Seconds work{};             ///< time of the mapper, turned into a number of steps
};

/// The mappings of Faraji, Mirsadeghi, Afsahi (AsHES 2016): the default, three metrics of GPU pairs, and Scotch, which
/// they used.
[[nodiscard]] std::span<const Selection> gpu_selections();
/// Three of gpu_selections(): the default, distance and Scotch.
[[nodiscard]] std::span<const Selection> start_selections();
/// The mappings of Rashti, Green, Balaji, Afsahi, Gropp (EuroMPI 2011): block, cyclic, and those by three graphs that
/// MPI_Graph_create is given.
[[nodiscard]] std::span<const Selection> graph_selections();

/// The machine, with as many ranks on a place as there are processes; places without one may not be used.
struct Places {
  Topology machine;
  std::vector<Place> place_of;  ///< the place of each process

  /// Puts `ranks` processes on the machine: process i on the i-th slot. Throws Error(usage) if the machine has fewer
  /// slots.
  [[nodiscard]] static Places in_order(const Topology& machine, std::size_t ranks);
};

struct Chosen {
  std::string name;
  Mapping mapping;
  std::optional<double> seconds;  ///< measured time of choosing it; nothing if it existed before
};

/// What the seconds of a choice count: only the mapping, or also reading the traffic and the machine from files, as the
/// start of a job does.
enum class Counted : unsigned char { mapping, start };

/// The mappings that `selections` choose for a workload, in their order. A selection that is not available here (no
/// Scotch, a metric that is not known for this machine) is left out and named in `notes`; it is an error if this is the
/// first one.
[[nodiscard]] std::vector<Chosen> choose(const Workload& workload, int weight, const Places& places,
                                         std::span<const Selection> selections, std::vector<std::string>& notes,
                                         Counted counted = Counted::mapping);

/// The same machine, but all pairs of places on different compute nodes are as far apart as the farthest. Machines
/// that name no nodes stay as they are.
[[nodiscard]] Topology without_network(const Topology& machine);

}  // namespace topowise::benchmark
