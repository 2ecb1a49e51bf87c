// SPDX-License-Identifier: BSD-3-Clause
// What messages are on the wires of a network: their payload, and the headers of each frame or packet.
#pragma once

#include <span>
#include <string_view>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

struct WireFormat {
  std::string_view name;
  std::string_view help;  ///< one line
  double payload = 0;     ///< bytes of data that one frame or packet carries at most
  double header = 0;      ///< bytes of its headers and checksums
};
[[nodiscard]] std::span<const WireFormat> wire_formats();

/// A pair's bytes with the headers of its messages. The sizes of the messages are not known one by one: each counts as
/// the mean of the pair. A message without bytes is one packet. Acknowledgements, and an MPI library's own headers and
/// messages, are not counted.
[[nodiscard]] Bytes on_the_wire(const TrafficEntry& entry, const WireFormat& format);

/// Bytes without and with headers.
struct BetweenNodes {
  Bytes payload, wire;
};
/// The sum of what leaves a compute node, or the group of nodes that reach each other without the network: between the
/// others there is no such wire.
[[nodiscard]] BetweenNodes between_nodes(const Traffic& traffic, const Topology& topology, const Mapping& mapping,
                                         const WireFormat& format);

}  // namespace topowise
