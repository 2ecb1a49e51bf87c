// SPDX-License-Identifier: BSD-3-Clause
// Places as a user names them.
#pragma once

#include <string_view>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise::cli {

/// A place by its number, its name ("GPU3") or its PCI bus id. `option` is named in messages. Throws Error(usage).
[[nodiscard]] Place place_named(const Topology& topology, std::string_view text, std::string_view option);
/// Reads places in the order given: "0-3,8,GPU12". Throws Error(usage), also for a place that is named twice.
[[nodiscard]] std::vector<Place> parse_place_list(const Topology& topology, std::string_view text,
                                                  std::string_view option);
/// The same machine with places of `kind`: its own if it has some, else one on each vertex of that kind, which holds
/// as many ranks as the places below it. Throws Error(bad_input) if there are none.
[[nodiscard]] Topology with_places(const Topology& topology, PlaceKind kind);

}  // namespace topowise::cli
