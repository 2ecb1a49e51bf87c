// SPDX-License-Identifier: BSD-3-Clause
// What kind of device a PCI function is.
#pragma once

#include <string_view>

namespace topowise {

struct PciClass {
  static constexpr int kNetworkBase = 0x02;
  static constexpr int kBridge = 0x0604;  ///< PCI to PCI: a port of a switch, or a root port

  int code = 0;    ///< base class and subclass, such as 0x0302
  int vendor = 0;  ///< 0 if not known

  [[nodiscard]] int base() const { return code >> 8; }
};

/// Reads "0x030200" (with programming interface) or "0302", and "0x10de" or "10de". What cannot be read is 0.
[[nodiscard]] PciClass parse_pci_class(std::string_view code, std::string_view vendor);

/// True for a GPU that programs compute on; false for the display chip of a management controller.
[[nodiscard]] bool is_compute_gpu(PciClass device);

}  // namespace topowise
