// SPDX-License-Identifier: BSD-3-Clause
// Names of the GPUs of a node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// "NVIDIA", "AMD" or "Intel" by PCI vendor id; empty for others.
[[nodiscard]] std::string_view gpu_vendor(int pci_vendor);

/// The same of the provenance of a link ("rocm-smi (nominal)", "cuda"); empty if it tells none.
[[nodiscard]] std::string_view vendor_of_source(std::string_view source);

/// "GPU3"; where GPUs of several vendors are in one node "AMD GPU0", "NVIDIA GPU0", "NVIDIA GPU1": each vendor's tools
/// and variables count its own alone, and launch/ goes by these names.
class GpuNames {
 public:
  /// The next GPU, in the order of the numbers.
  void add(std::string_view vendor) { vendors_.emplace_back(vendor); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// What to warn of if there are several vendors.
  [[nodiscard]] std::optional<std::string> warning() const;

  /// GPUs of more than one vendor, all of which are known.
  [[nodiscard]] bool several() const;

 private:
  std::vector<std::string> vendors_;
};

}  // namespace topowise
