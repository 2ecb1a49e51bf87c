// SPDX-License-Identifier: BSD-3-Clause
// The bandwidth of a PCIe link, and the PCIe link that has a given bandwidth.
#pragma once

#include <optional>

#include <topowise/base/units.hpp>

namespace topowise {

/// Peak of one direction after line coding: 8b/10b up to 5 GT/s, 128b/130b to 32 GT/s, 242/256 FLITs beyond. 0 for 0.
[[nodiscard]] BytesPerSecond pcie_bandwidth(double gigatransfers_per_second, int lanes);

struct PcieLink {
  double gigatransfers_per_second = 0;
  int lanes = 0;
};

/// The widest link with that peak, to within a hundredth: 31.5 GB/s gives "16 GT/s x 16", not "32 GT/s x 8". Nothing
/// for other rates.
[[nodiscard]] std::optional<PcieLink> pcie_link_of(BytesPerSecond bandwidth);

}  // namespace topowise
