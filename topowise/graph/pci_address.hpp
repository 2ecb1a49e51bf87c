// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A PCI bus id: the only name of a device on which all sources agree.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace topowise {

/// domain:bus:device.function. Sources print the domain with 4 or 8 digits and in either case; this is the value.
struct PciAddress {
  std::uint32_t domain = 0;   ///< also called segment
  std::uint8_t bus = 0;       ///< 0 to 255
  std::uint8_t device = 0;    ///< 0 to 31
  std::uint8_t function = 0;  ///< 0 to 7

  /// "0000:c4:00.0", "00000000:C4:00.0", "c4:00.0" (domain 0). Nothing if it is not one.
  [[nodiscard]] static std::optional<PciAddress> parse(std::string_view text);
  /// "0000:c4:00.0"
  [[nodiscard]] std::string to_string() const;

  friend auto operator<=>(const PciAddress&, const PciAddress&) = default;
};

}  // namespace topowise
