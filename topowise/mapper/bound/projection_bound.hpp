// SPDX-License-Identifier: BSD-3-Clause
// A lower bound on hop-bytes from eigenvalues.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

// Eigenvalues of a dense symmetric matrix.

/// The eigenvalues, ascending. `matrix` is size x size, row-major; it has to be symmetric only up to rounding.
/// O(size^3).
[[nodiscard]] std::vector<double> symmetric_eigenvalues(std::vector<double> matrix, std::size_t size);

/// The bound of a symmetric instance; 0 for other instances, and where it would be negative. O(slots^3).
[[nodiscard]] double projection_bound(const Instance& instance);

}  // namespace topowise
