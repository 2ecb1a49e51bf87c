// SPDX-License-Identifier: BSD-3-Clause
// An InfiniBand subnet as its discovery tools print it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/text_lines.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {

// All names are views into the text that was read.

/// Most devices of one fabric; the largest known fabrics have a fifth of that.
inline constexpr std::size_t kMostFabricDevices = std::size_t{1} << 19;
/// Most cables of one fabric, and most entries of all its forwarding tables.
inline constexpr std::size_t kMostFabricCables = std::size_t{1} << 20;
inline constexpr std::size_t kMostForwarding = std::size_t{1} << 24;

struct FabricDevice {
  enum class Kind : unsigned char { unknown, channel_adapter, fabric_switch };
  Kind kind = Kind::unknown;
  bool is_likely_switch = false;  ///< a guess from its id or its ports, used if its kind is not known
  std::string_view description;   ///< "a08-p1-dgx-04-c01 mlx5_5" as in the text; empty if not printed
};

/// Devices by id: "H-e09d7303007a4bd8", a port GUID, or ibsim's name.
using FabricDevices = std::map<std::string_view, FabricDevice>;

struct FabricPort {
  const FabricDevices::value_type* device = nullptr;
  int port = 0;

  friend bool operator==(const FabricPort&, const FabricPort&) = default;
  /// Ordered by the id of the device, then by the port.
  friend bool operator<(const FabricPort& a, const FabricPort& b) {
    return a.device == b.device ? a.port < b.port : a.device->first < b.device->first;
  }
};

/// A cable, with its smaller end first. Its bandwidth is 0 if its width or speed is not printed.
struct FabricCable {
  FabricPort a, b;
  BytesPerSecond bandwidth;
};

/// An entry of a forwarding table: data for the local identifier leaves the switch by the port.
struct FabricForwarding {
  std::uint64_t guid = 0;  ///< of the switch
  std::uint16_t lid = 0;
  std::uint16_t port = 0;
};

struct Fabric {
  FabricDevices devices;
  std::vector<FabricCable> cables;                 ///< sorted by their ends, each once
  std::map<int, std::string_view> adapter_of_lid;  ///< local identifier -> id, as far as it is printed
  std::vector<FabricForwarding> forwarding;        ///< sorted by switch and identifier, one entry each
};

/// True if a line of `lines` is a record of one of the two forms.
[[nodiscard]] bool looks_like_fabric(const TextLines& lines);

/// True if the text begins like forwarding tables (`ibroute`, `dump_lfts`) or routes (`ibtracert`), which are useless
/// without the fabric.
[[nodiscard]] bool looks_like_forwarding(std::string_view head);

/// The number in "S-0002c902004a5b10" or "0x2c902004a5b10".
[[nodiscard]] std::optional<std::uint64_t> guid_of(std::string_view id);

[[nodiscard]] Fabric read_fabric(const TextLines& lines, Warnings& warnings);

/// Sorts the cables. Both ends print a cable; it is kept once, with the faster rate that they state.
void order_cables(Fabric& fabric);
/// Adds a cable that line `l` states. Throws Error(bad_input) if there are too many.
void add_cable(const TextLines& lines, std::size_t l, Fabric& fabric, FabricPort a, FabricPort b, BytesPerSecond rate);

/// The places are the hosts whose adapters are described as "HOST ADAPTER". `source` states the links. Throws
/// Error(bad_input) for a fabric without hosts.
[[nodiscard]] Topology fabric_topology(const std::string& name, const Fabric& fabric, const Origin& source,
                                       Warnings& warnings);

/// The data rate of one direction of a link, for "4xNDR" or "4x NDR" given as ("4x", "NDR"); 0 for an unknown one.
[[nodiscard]] BytesPerSecond infiniband_rate(std::string_view width, std::string_view speed);

}  // namespace topowise
