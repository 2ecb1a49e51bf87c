// SPDX-License-Identifier: BSD-3-Clause
// An InfiniBand subnet as its discovery tools print it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/text_lines.hpp>
#include <topowise/base/units.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {

struct FabricDevice {
  enum class Kind : unsigned char { unknown, channel_adapter, fabric_switch };
  Kind kind = Kind::unknown;
  std::string description;  ///< "a08-p1-dgx-04-c01 mlx5_5"; empty if not printed
};

struct FabricPort {
  std::string device;  ///< id: "H-e09d7303007a4bd8", a port GUID, or ibsim's name
  int port = 0;
  friend auto operator<=>(const FabricPort&, const FabricPort&) = default;
};

struct Fabric {
  std::map<std::string, FabricDevice, std::less<>> devices;  ///< by id
  /// Each cable once, smaller end first; bandwidth 0 if its width or speed is not printed.
  std::map<std::pair<FabricPort, FabricPort>, BytesPerSecond> cables;
  std::map<int, std::string> adapter_of_lid;  ///< local identifier -> id, as far as it is printed
  /// What for the local identifier leaves the switch by the port: (GUID of the switch, identifier) -> port.
  std::map<std::pair<std::uint64_t, int>, int> forwarding;
};

/// True if a line of `lines` is a record of one of the two forms.
[[nodiscard]] bool looks_like_fabric(const TextLines& lines);

/// True if the text begins as forwarding tables (`ibroute`, `dump_lfts`) or routes (`ibtracert`) do, which say nothing
/// without the fabric.
[[nodiscard]] bool looks_like_forwarding(std::string_view head);

/// The number in "S-0002c902004a5b10" or "0x2c902004a5b10".
[[nodiscard]] std::optional<std::uint64_t> guid_of(std::string_view id);

[[nodiscard]] Fabric read_fabric(const TextLines& lines, Warnings& warnings);

/// Data rate of one direction of a link, "4xNDR" or "4x NDR" as ("4x", "NDR"); 0 for an unknown one.
[[nodiscard]] BytesPerSecond infiniband_rate(std::string_view width, std::string_view speed);

}  // namespace topowise
