// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

/// Goes through the host, as MPI libraries do it, but with one copy each way: all copy into memory of the host that
/// they share, each reduces its share of the elements there, all copy the result back. It needs neither kernels nor
/// access of one process to another's GPU memory.
[[nodiscard]] Plan staged_host(Collective collective, const Layout& layout, int root);

}  // namespace topowise::collective
