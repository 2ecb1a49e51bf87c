// SPDX-License-Identifier: BSD-3-Clause
// AMD's compiler of kernels, hiprtc, which comes with every ROCm: in the library of HIP itself up to ROCm 6, and in a
// library beside it.
#pragma once

#include <topowise/base/shared_library.hpp>
#include <topowise/device/functions.hpp>

namespace topowise::device {

/// The compiler is looked for at the first question.
void bind_compiler(Functions& table, const SharedLibrary& hip);

}  // namespace topowise::device
