// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is known of a machine's PCIe links beyond their nominal rates, from calibration or from a user.
#pragma once

#include <optional>

#include <topowise/base/units.hpp>

namespace topowise {

/// Parameters of the congestion model. A parameter that is empty leaves the model's own value.
struct CongestionParameters {
  std::optional<BytesPerSecond> link_bandwidth;  ///< of a PCIe link; a machine's value also for links without a rate
  std::optional<double> tau;                     ///< what crossing a root complex costs, a share in [0, 1/2)

  /// Nothing is stated.
  [[nodiscard]] bool empty() const { return !link_bandwidth && !tau; }
};

}  // namespace topowise
