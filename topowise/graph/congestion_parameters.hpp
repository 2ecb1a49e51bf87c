// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is known of a machine's PCIe links beyond their nominal rates: by calibration, or because somebody says so.
#pragma once

#include <optional>

#include <topowise/base/units.hpp>

namespace topowise {

/// Parameters of the congestion model; nothing where its own are to be used.
struct CongestionParameters {
  std::optional<BytesPerSecond> link_bandwidth;  ///< of a PCIe link; of a whole machine also of links without a rate
  std::optional<double> tau;                     ///< what crossing a root complex costs, a share in [0, 1/2)

  /// Nothing is stated.
  [[nodiscard]] bool empty() const { return !link_bandwidth && !tau; }
};

}  // namespace topowise
