// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

/// Faraji and Afsahi, "GPU-Aware Intranode MPI_Allreduce" (EuroMPI/ASIA 2014), section 3.1: all copy into a buffer on
/// rank 0's GPU, which reduces there, and all copy the result out. (5 N + 1) m bytes.
///
/// Two things differ from the paper. It orders the copies by one event that all ranks record, and an event only
/// remembers its latest record: here each rank waits for its own copy before it says so. And in the paper nothing keeps
/// rank 0 from writing to the buffer in the next call while a slow rank still reads the result of this one: here it
/// waits until all have taken it.
[[nodiscard]] Plan shared_buffer(const Layout& layout);

}  // namespace topowise::collective
