// SPDX-License-Identifier: BSD-3-Clause
// A lower bound on hop-bytes from eigenvalues.
#pragma once

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// The bound of a symmetric instance; 0 for other instances, and where it would be negative. O(slots^3).
[[nodiscard]] double projection_bound(const Instance& instance);

}  // namespace topowise
