// SPDX-License-Identifier: BSD-3-Clause
// One row of the table of file formats that describe machines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// Largest description of one compute node. The largest seen have a few megabytes.
inline constexpr std::size_t kLargestNode = std::size_t{64} << 20;
/// Largest description of a cluster, and largest log that holds the description of a node.
inline constexpr std::size_t kLargestCluster = std::size_t{1} << 30;

/// A file format. The functions of a format are pure: text in, Topology out.
struct TopologyFormat {
  std::string_view name;                                              ///< for --format: "nvidia-smi", "nccl-xml", ...
  std::string_view help;                                              ///< one line
  bool (*recognises)(std::string_view head);                          ///< looks at the first 64 KiB at most
  Topology (*read)(const std::string& where, std::string_view text);  ///< `where` names the text in messages
  std::size_t largest = kLargestNode;                                 ///< bytes of a text, unpacked
};

}  // namespace topowise
