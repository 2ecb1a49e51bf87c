// SPDX-License-Identifier: BSD-3-Clause
// This process's rank as its launcher states it, for programs that communicate without MPI.
#pragma once

#include <functional>
#include <optional>

#include <topowise/interpose/base/world.hpp>

namespace topowise::interpose {

/// Reads RANK and WORLD_SIZE, by which PyTorch programs go, whoever set them; else the launcher's own variables.
/// Nothing where there are none. `environment` returns the value of a variable, or null.
[[nodiscard]] std::optional<World> launched_world(const std::function<const char*(const char*)>& environment);
[[nodiscard]] std::optional<World> launched_world();

/// Whether an MPI that knows this process only is a bystander: PyTorch's launchers start processes that MPI takes to be
/// alone.
[[nodiscard]] bool mpi_is_bystander(const World& mpi);

}  // namespace topowise::interpose
