// SPDX-License-Identifier: BSD-3-Clause
// The profiler plugin: what NCCL and RCCL find in this library where NCCL_PROFILER_PLUGIN names it.
#pragma once

namespace topowise::interpose::nccl {

/// Whether NCCL has made this library its profiler, so that calls come by that way.
[[nodiscard]] bool plugin_is_used() noexcept;

}  // namespace topowise::interpose::nccl
