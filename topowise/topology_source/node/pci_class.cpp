// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/pci_class.hpp>

#include <charconv>

namespace topowise {
namespace {

constexpr int kNvidia = 0x10de;
constexpr int kAmd = 0x1002;
constexpr int kIntel = 0x8086;

int parse_hex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return failure == std::errc{} && end == text.data() + text.size() && value >= 0 ? value : 0;
}

}  // namespace

PciClass parse_pci_class(std::string_view code, std::string_view vendor) {
  const bool with_interface = code.size() >= (code.starts_with("0x") ? 8U : 6U);
  const int value = parse_hex(code);
  return {with_interface ? value >> 8 : value, parse_hex(vendor)};
}

bool is_compute_gpu(PciClass device) {
  const bool unknown = device.vendor == 0 || device.vendor == 0xffff;
  switch (device.code) {
    case 0x0302:  // 3D controller: data centre cards of NVIDIA
      return true;
    case 0x0300:  // VGA: GeForce, Radeon; also every management controller (ASPEED, Matrox)
      return unknown || device.vendor == kNvidia || device.vendor == kAmd;
    case 0x0380:  // display controller: AMD Instinct, Intel Data Center GPU Max
      return unknown || device.vendor == kAmd || device.vendor == kIntel;
    case 0x1200:  // processing accelerator: MI300; also FPGA cards of others
      return unknown || device.vendor == kAmd;
    default:
      return false;
  }
}

}  // namespace topowise
