// SPDX-License-Identifier: BSD-3-Clause
// The CUDA driver API, libcuda.so.1.
#pragma once

#include <topowise/device/backend.hpp>

namespace topowise::device {

[[nodiscard]] const Backend& cuda_backend();

}  // namespace topowise::device
