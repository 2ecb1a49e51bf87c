// SPDX-License-Identifier: BSD-3-Clause
// Names of the GPUs of a node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/gpu_vendor.hpp>

namespace topowise {

/// "NVIDIA", "AMD" or "Intel" by PCI vendor id; empty for others.
[[nodiscard]] std::string_view gpu_vendor(int pci_vendor);

/// Intel, if that is the name; unknown for others, whose programs are served alike.
[[nodiscard]] GpuVendor vendor_if_intel(std::string_view vendor);

/// Makes names "GPU3", by the numbers that the vendor's programs give, else counted. If GPUs of several vendors are in
/// one node, they are "AMD GPU0", "NVIDIA GPU0", "NVIDIA GPU1", because each vendor's tools and variables count only
/// its own GPUs. launch/ uses these names.
class GpuNames {
 public:
  /// Adds the next GPU, in the order of the numbers. `number` is -1 if none is stated.
  void add(std::string_view vendor, int number = -1) {
    vendors_.emplace_back(vendor);
    numbers_.push_back(number);
  }
  [[nodiscard]] std::vector<std::string> names() const;
  /// A warning if there are several vendors.
  [[nodiscard]] std::optional<std::string> warning() const;

  /// True if there are GPUs of more than one vendor, and all vendors are known.
  [[nodiscard]] bool several() const;

 private:
  std::vector<std::string> vendors_;
  std::vector<int> numbers_;
};

}  // namespace topowise
