// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace topowise::interpose {

/// Opens a library that lies in the folder of this one, for nobody else to see; null, with dlerror(), if that fails.
[[nodiscard]] void* open_beside(const char* name) noexcept;

}  // namespace topowise::interpose
