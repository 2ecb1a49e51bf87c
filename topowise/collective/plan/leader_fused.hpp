// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

/// One process reads every input and writes every output in one kernel (where there are shares, in one for each). An
/// allreduce moves 2 N m bytes, and no algorithm that reads N vectors and writes N can move less. The other processes
/// run nothing on the GPU, so it never changes from one process to another, which is what limits ranks that share a GPU
/// without MPS.
///
/// An allreduce across nodes goes through scratch memory and the host between reading and writing.
[[nodiscard]] Plan leader_fused(Collective collective, const Layout& layout, int root);

}  // namespace topowise::collective
