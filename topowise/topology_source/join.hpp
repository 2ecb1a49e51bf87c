// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of one machine, joined: `node.xml+p2p.txt`, and what the parts of this machine say of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/node/gpu_identities.hpp>

namespace topowise {

/// The same machine with further warnings about the whole of it.
[[nodiscard]] Topology with_warnings(const Topology& machine, const std::vector<std::string>& warnings);

/// The places that are GPUs.
[[nodiscard]] std::vector<Place> gpu_places(const Topology& machine);

/// Replaces an assumed rate of NVLink by that of the GPUs that one of the texts names.
[[nodiscard]] Topology with_named_rates(Topology machine, const std::vector<std::string_view>& texts);

/// Joins what one vendor's software says with what is known. The part may describe the same GPUs, one vendor's GPUs
/// among others, or GPUs beside those of another vendor.
[[nodiscard]] Topology with_part(const Topology& known, const Topology& part);

/// Adds the identities of GPUs to the machine, with the warnings of their source, which is called `where`. GPUs are
/// matched by bus id where both sides have one, else by order.
[[nodiscard]] Topology with_gpu_identities(const Topology& machine, const GpuIdentities& identities,
                                           const std::string& where);

}  // namespace topowise
