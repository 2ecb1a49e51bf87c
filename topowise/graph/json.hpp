// SPDX-License-Identifier: BSD-3-Clause
// Our own file formats: writes and reads JSON text. The parser is in graph/json/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// The "schema" of a JSON object ("topowise.topology/1"), looked up in the first bytes of a text; empty if it is not
/// one of ours.
[[nodiscard]] std::string_view json_schema(std::string_view head);

/// Has the keys of docs/cli.md. `matrix`: "", "level", "distance", "latency" or "bandwidth" adds the key "matrix".
[[nodiscard]] std::string to_json(const Topology& topology, std::string_view matrix = {});
/// `matrix`: "", "bytes" or "messages" adds the key "matrix", dense by rank.
[[nodiscard]] std::string to_json(const Traffic& traffic, std::string_view matrix = {});
/// What `map --json` prints.
[[nodiscard]] std::string to_json(const MappingResult& result);
/// The same with the machine that the mapping was made for, as `map --save` writes it: `run` needs it to find a rank's
/// GPU.
[[nodiscard]] std::string to_json(const MappingResult& result, const Topology& topology);
/// Lists the messages in their order.
[[nodiscard]] std::string to_json(const Exchange& exchange);

/// Reads back what to_json() wrote, or what a user wrote in that form. `where` names the text in messages. Throws
/// Error(bad_input) with line and column for broken JSON, and with the key's path for a wrong or missing value.
[[nodiscard]] Topology topology_from_json(const std::string& where, std::string_view text);
/// Reads and throws like topology_from_json().
[[nodiscard]] Traffic traffic_from_json(const std::string& where, std::string_view text);
/// Reads and throws like topology_from_json(). What the text does not say has the value of a fresh MappingResult.
[[nodiscard]] MappingResult mapping_from_json(const std::string& where, std::string_view text);
/// The machine in a text that `map --save` wrote; nothing if it holds none.
[[nodiscard]] std::optional<Topology> mapped_topology_from_json(const std::string& where, std::string_view text);
/// Reads and throws like topology_from_json().
[[nodiscard]] Exchange exchange_from_json(const std::string& where, std::string_view text);

}  // namespace topowise
