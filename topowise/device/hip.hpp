// SPDX-License-Identifier: BSD-3-Clause
// AMD HIP, libamdhip64. Experimental: no AMD GPU has seen it yet.
#pragma once

#include <topowise/device/backend.hpp>

namespace topowise::device {

[[nodiscard]] const Backend& hip_backend();

}  // namespace topowise::device
