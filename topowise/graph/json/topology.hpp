// SPDX-License-Identifier: BSD-3-Clause
// A topology as a part of a larger JSON text. Only graph/json/ includes it.
#pragma once

#include <topowise/graph/json/value.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// An object with all that topology_from_node() needs; `matrix` as in to_json().
void write_topology(JsonWriter& writer, const Topology& topology, std::string_view matrix);
[[nodiscard]] Topology topology_from_node(const JsonNode& root);

}  // namespace topowise
