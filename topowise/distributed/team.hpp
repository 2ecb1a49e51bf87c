// SPDX-License-Identifier: BSD-3-Clause
// The processes that share one mapping problem.
#pragma once

#include <topowise/mpi/team.hpp>

namespace topowise::distributed {

using mpi::AgreedError;
using mpi::Team;

}  // namespace topowise::distributed
