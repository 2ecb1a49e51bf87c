// SPDX-License-Identifier: BSD-3-Clause
// A mapping in the terms of launchers: compute nodes, local ranks, and the numbers of GPUs on their node.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/launch/node_gpu.hpp>

namespace topowise {

/// A compute node of the machine.
struct PlacedNode {
  std::string name;             ///< host name; empty on a machine of one node
  std::vector<NodeGpu> gpus;    ///< its GPU places in the order of their numbers; empty if its places are no GPUs
  bool cores_in_order = false;  ///< place k is the core with processor k alone, so that all ways to count cores agree
  std::optional<std::size_t> place{};  ///< its number, if it is a single place that no host is stated for: a node of a
                                       ///< network, a position
  bool is_invented = false;            ///< no source states the name, and no launcher knows it

  [[nodiscard]] bool is_place() const { return place.has_value(); }
};

/// The number by which the vendor's runtime and tools know a GPU of the node, with CUDA_DEVICE_ORDER=PCI_BUS_ID. Where
/// the machine describes only some of a node's GPUs there are gaps.
[[nodiscard]] std::size_t number_of(const PlacedNode& node, std::size_t gpu);
/// True if the numbers of the node's GPUs are not 0, 1, 2, ...
[[nodiscard]] bool has_gaps(const PlacedNode& node);

/// Where one rank goes.
struct PlacedRank {
  std::size_t node = 0;            ///< index into Placement::nodes
  std::size_t local_rank = 0;      ///< number among the ranks of that node, in the order of the ranks
  std::optional<std::size_t> gpu;  ///< index into PlacedNode::gpus
  std::string place;               ///< name of its place
  std::string cpus;                ///< Linux cpulist of its place, empty if not known
};

struct Placement {
  std::string topology;
  std::vector<PlacedNode> nodes;  ///< in the order of their first places; what is no device of a node, and on no
                                  ///< named one, is a node of its own
  std::vector<PlacedRank> ranks;

  /// The ranks of each node, by local rank.
  [[nodiscard]] std::vector<std::vector<std::size_t>> ranks_by_node() const;
};

/// False if ranks are on places of which it is not known on which node they are.
[[nodiscard]] bool knows_nodes(const Placement& placement);

/// Throws Error(bad_input) if the mapping does not fit the machine.
[[nodiscard]] Placement place_ranks(const Mapping& mapping, const Topology& topology);

}  // namespace topowise
