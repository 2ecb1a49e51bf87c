// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/pci_address.hpp>

#include <fmt/format.h>

#include <charconv>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

std::optional<std::uint32_t> parse_hex(std::string_view text, std::uint32_t largest) {
  std::uint32_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (failure != std::errc{} || end != text.data() + text.size() || value > largest) return std::nullopt;
  return value;
}

}  // namespace

std::optional<PciAddress> PciAddress::parse(std::string_view text) {
  std::vector<std::string_view> parts = split(trim(text), ':');
  if (parts.size() == 2) parts.insert(parts.begin(), "0");
  if (parts.size() != 3) return std::nullopt;
  const std::vector<std::string_view> tail = split(parts[2], '.');
  if (tail.size() > 2) return std::nullopt;
  const auto domain = parse_hex(parts[0], 0xffffffffU);
  const auto bus = parse_hex(parts[1], 0xff);
  const auto device = parse_hex(tail[0], 0x1f);
  const auto function = tail.size() == 2 ? parse_hex(tail[1], 7) : std::optional<std::uint32_t>(0);
  if (!domain || !bus || !device || !function) return std::nullopt;
  return PciAddress{*domain, static_cast<std::uint8_t>(*bus), static_cast<std::uint8_t>(*device),
                    static_cast<std::uint8_t>(*function)};
}

std::string PciAddress::to_string() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

}  // namespace topowise
