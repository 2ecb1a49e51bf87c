// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

/// Faraji and Afsahi (2014), section 3.2: a binomial tree whose ranks reduce into their receive buffers; then rank 0's
/// result is copied by all. (9 N - 5) m bytes, and half the ranks have scratch memory.
///
/// In the paper a rank copies into its parent's buffer as soon as it is at that level of the tree, though the parent
/// may still read there what it got at the level before, or others the result of the call before. Here the parent says
/// for each level that it is ready, and rank 0 does so when all have taken the last result. The order of operands is
/// that of the ranks, but grouped by the tree: sums of floating-point numbers may differ from the other algorithms' in
/// the last digits.
[[nodiscard]] Plan binomial(const Layout& layout);

}  // namespace topowise::collective
