// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues of a dense symmetric matrix.
#pragma once

#include <cstddef>
#include <vector>

namespace topowise {

/// The eigenvalues, ascending. `matrix` is size x size, row-major; it has to be symmetric only up to rounding.
/// O(size^3).
[[nodiscard]] std::vector<double> symmetric_eigenvalues(std::vector<double> matrix, std::size_t size);

}  // namespace topowise
