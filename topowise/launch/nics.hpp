// SPDX-License-Identifier: BSD-3-Clause
// Which NIC each rank of a compute node uses, and the environment variables that say so to MPI libraries.
//
// UCX reads UCX_NET_DEVICES (InfiniBand and RoCE, "mlx5_0:1"). Cray MPICH reads one list for the node,
// MPICH_OFI_NIC_MAPPING ("0:0,1;1:2,3": NIC 0 for local ranks 0 and 1), under MPICH_OFI_NIC_POLICY=USER. NCCL and RCCL
// themselves choose among the NICs near a GPU, use several, and want all ranks of a node to see the same NICs; so
// NCCL_IB_HCA ("=mlx5_0,mlx5_1") names all NICs that are near any rank of the node.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <topowise/launch/gpu_environment.hpp>

namespace topowise {

/// Gives each rank one of the NICs that it may use, so that two ranks share a NIC only where that cannot be avoided,
/// three only where that cannot be avoided, and so on (an optimal semi-matching: N. Harvey et al. 2006). `near` has,
/// for each rank, the numbers of the NICs that it may use; a rank without any gets none. Among equal choices the lowest
/// number goes to the lowest rank. O(R * E) for R ranks and E entries, times the ranks on the most loaded NIC.
[[nodiscard]] std::vector<std::optional<std::size_t>> share_nics(std::span<const std::vector<std::size_t>> near);

/// The name of one NIC for each rank of a node (index into Placement::nodes), by local rank; each NIC is near the
/// rank's place.
[[nodiscard]] std::vector<std::optional<std::string>> nics_of_node(const Placement& placement, std::size_t node,
                                                                   const Mapping& mapping, const Topology& topology);

/// The names of all NICs that are nearest to the place of any rank of the node, sorted. Empty if a rank has no NIC near
/// it.
[[nodiscard]] std::vector<std::string> nics_near_node(const Placement& placement, std::size_t node,
                                                      const Mapping& mapping, const Topology& topology);

/// The variables that give the NICs to the ranks of a node, as the process with number `local_rank` must set them.
/// Empty if no variable can name its kind of NIC, or if the variables are set already: whoever set them knew more.
/// `near` is what nics_near_node() returns.
[[nodiscard]] Variables nic_environment(std::span<const std::optional<std::string>> nics,
                                        std::span<const std::string> near, std::size_t local_rank,
                                        const Inherited& inherited);

/// The NICs that the variables of a process name: its own NIC, and all that are near the node's ranks if NCCL is asked
/// about them. Empty if no variable is to be set.
[[nodiscard]] std::vector<std::string> nics_in_use(const Variables& variables, const std::string& own,
                                                   std::span<const std::string> near);

}  // namespace topowise
