// SPDX-License-Identifier: BSD-3-Clause
// Source: PCI Express base specifications (line coding).
#include <topowise/graph/pcie_link.hpp>

#include <cmath>

namespace topowise {

BytesPerSecond pcie_bandwidth(double gigatransfers_per_second, int lanes) {
  if (!(gigatransfers_per_second > 0) || lanes <= 0) return {};
  const double coding =
      gigatransfers_per_second <= 5.0 ? 8.0 / 10.0 : (gigatransfers_per_second <= 32.0 ? 128.0 / 130.0 : 242.0 / 256.0);
  return BytesPerSecond(gigatransfers_per_second * lanes * coding / 8.0 * 1e9);
}

std::optional<PcieLink> pcie_link_of(BytesPerSecond bandwidth) {
  for (const int lanes : {16, 8, 4, 2, 1}) {
    for (const double transfers : {2.5, 5.0, 8.0, 16.0, 32.0, 64.0}) {
      const double peak = pcie_bandwidth(transfers, lanes).value();
      if (std::abs(bandwidth.value() - peak) <= peak / 100) return PcieLink{transfers, lanes};
    }
  }
  return std::nullopt;
}

}  // namespace topowise
