// SPDX-License-Identifier: BSD-3-Clause
// Where the machine of a job comes from, in words.
#pragma once

#include <span>
#include <string>

#include <topowise/reorder/node_part.hpp>

namespace topowise {

/// "4 hosts, taken to be equally far from each other; ranks are bound to 8 packages, 16 L3 caches". `topology`: as the
/// user wrote it; null: nobody describes the network. The text states the levels that keep some processes of a host
/// together and others apart. `part_of_process`: empty, or one for each entry of `host_of_process`.
[[nodiscard]] std::string machine_summary(std::span<const std::string> host_of_process, const char* topology,
                                          std::span<const NodePart> part_of_process);

}  // namespace topowise
