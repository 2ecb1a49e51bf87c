// SPDX-License-Identifier: BSD-3-Clause
// Where a sent buffer lies.
#pragma once

#include <topowise/traffic_source/profile_format.hpp>

namespace topowise::interpose {

/// The one place that tells device memory from host memory, asked once per recorded message. No device library is
/// consulted yet, so every buffer is recorded as host memory; the file format and the rows' keys already tell the kinds
/// apart.
[[nodiscard]] inline profile::Memory memory_kind(const void* /*buffer*/) noexcept {
  return profile::Memory::host;
}

}  // namespace topowise::interpose
