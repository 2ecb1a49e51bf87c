// SPDX-License-Identifier: BSD-3-Clause
// Short names by which a mapping remembers what it was made for.
#pragma once

#include <string>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// Equal for the same bytes between the same ranks, whatever file they came from; 16 hexadecimal digits.
[[nodiscard]] std::string fingerprint(const Traffic& traffic);
/// Equal for places of the same kinds, hosts, bus ids and capacities that are as far from each other, whatever the
/// machine is called. If there are many places, only some pairs are compared.
[[nodiscard]] std::string fingerprint(const Topology& machine);

/// Warnings if a saved mapping, called `name`, was made for another machine or for other traffic. There are none if the
/// file has no fingerprints (it is older than they are, or written by hand), and none about traffic without entries.
[[nodiscard]] std::vector<std::string> signs_of_another_question(const std::string& name, const MappingResult& saved,
                                                                 const Topology& machine, const Traffic& traffic);

}  // namespace topowise
