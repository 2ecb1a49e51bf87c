// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/exchange/short/short_kernels.hpp>

namespace topowise {

extern const ShortKernels kPlainShortKernels;
#if defined(__x86_64__)
extern const ShortKernels kAvx2ShortKernels;
extern const ShortKernels kIceLakeShortKernels;
#endif

}  // namespace topowise
