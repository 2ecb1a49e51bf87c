// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace topowise {

/// Factors of the congestion models are compared with this slack: "a > b" is a > b + kTolerance.
inline constexpr double kTolerance = 1e-9;

}  // namespace topowise
