// SPDX-License-Identifier: BSD-3-Clause
// `cluster:FABRIC,NODE`: a cluster of GPU nodes, made from a description of its network and a description of a node.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/cluster/job_hosts.hpp>

namespace topowise {

inline constexpr std::string_view kClusterPrefix = "cluster:";
/// The TOPOLOGY that is the network of the site, which `live` means as FABRIC (this_machine.hpp).
inline constexpr std::string_view kLiveFabric = "live:fabric";

/// `description` is the text after the prefix, in the words below. `read` reads the TOPOLOGYs that it names. Throws
/// Error for a description without sense, hosts that the fabric does not know, and hosts without a description.
[[nodiscard]] Topology read_cluster(std::string_view description,
                                    const std::function<Topology(const std::string&)>& read);

// The words of `cluster:FABRIC,NODE` as a user writes them. The machines that they name are not read yet.

/// A description of nodes, and the hosts that are such nodes.
struct NodeWords {
  std::string topology;
  std::vector<std::string> hosts;  ///< empty: all hosts that no other description names
};

struct ClusterWords {
  std::string fabric;
  std::vector<NodeWords> nodes;
  std::optional<std::vector<std::string>> hosts;  ///< the job's hosts, in its order; nothing: all of the fabric
  std::vector<HostPart> parts;                    ///< the same, with how much of each the job has
  std::vector<std::string> warnings;              ///< about the lists of hosts
  bool shared_nvlink = false;                     ///< the NVSwitches of all hosts on a leaf switch are one plane
  std::optional<BytesPerSecond> nic;              ///< rate of an adapter's link where the fabric does not state it
  std::vector<std::string> adapters;              ///< those whose cables count, by name; empty: all
};

/// Reads the text after the prefix:
///
///   FABRIC,NODE                          every host of the fabric is such a node
///   FABRIC,n[01-16]=NODE,n17=NODE        some hosts each
///   ...,hosts=job                        only the hosts of this job, in its order (Slurm, PBS, LSF, Grid Engine)
///   ...,hosts=n[01-04]  ...,hosts=@FILE  only these; @FILE is a hostfile
///   ...,nic=50GB/s                       rate of each adapter
///   ...,hca=mlx5_0  ...,hca=mlx5_[0-3]   only the cables of these adapters
///   ...,nvlink=leaf                      hosts on one leaf switch share their NVSwitches: trays of a rack
///
/// A comma inside [] belongs to the list of hosts. So does a comma between hosts, as in `hosts=n01,n03` and
/// `n01,n03=NODE`: a part is a host if no file has its name and it follows hosts= or is before a list. Throws
/// Error(usage or bad_input).
[[nodiscard]] ClusterWords parse_cluster(std::string_view description);

}  // namespace topowise
