// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/wire.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace topowise {
namespace {

constexpr std::array<WireFormat, 2> kFormats{
    {// Ethernet 14, IPv4 20, TCP 20 with 12 of time stamps, in frames of 1500 bytes.
     {"ethernet-tcp", "TCP over Ethernet: 66 bytes for each 1448", 1448, 66},
     // Local route 8, base transport 12, immediate data 4, checksums 4 and 2, at an MTU of 4096.
     {"infiniband", "InfiniBand: 30 bytes for each 4096", 4096, 30}}};

}  // namespace

std::span<const WireFormat> wire_formats() {
  return kFormats;
}

Bytes on_the_wire(const TrafficEntry& entry, const WireFormat& format) {
  const auto messages = static_cast<double>(std::max<std::uint64_t>(1, entry.messages));
  const double packets = messages * std::max(1.0, std::ceil(entry.bytes.value() / messages / format.payload));
  return entry.bytes + Bytes(packets * format.header);
}

BetweenNodes between_nodes(const Traffic& traffic, const Topology& topology, const Mapping& mapping,
                           const WireFormat& format) {
  BetweenNodes sum;
  for (const TrafficEntry& entry : traffic.entries()) {
    const int level = topology.level(mapping[entry.source], mapping[entry.destination]);
    if (level < 0 || topology.level_scopes()[static_cast<std::size_t>(level)] != LevelScope::between) continue;
    sum.payload += entry.bytes;
    sum.wire += on_the_wire(entry, format);
  }
  return sum;
}

}  // namespace topowise
