// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/interpose/base/communicator.hpp>

namespace topowise::interpose::allreduce {

/// The ranks of a communicator as the reducing library has them: null if they cannot reduce on GPUs. At the first call
/// on a communicator it is collective.
[[nodiscard]] void* node_team(Communicator& communicator) noexcept;

}  // namespace topowise::interpose::allreduce
