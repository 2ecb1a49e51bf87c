// SPDX-License-Identifier: BSD-3-Clause
// The source of the kernels for AMD GPUs. Every build contains the text of this file and of what it includes
// (cmake/embed_kernels.cmake). A line "TOPOWISE_FOLD_KERNEL(sum, Sum, f32, float)" behind it makes one kernel, which
// hiprtc compiles where the GPU is, when it is used for the first time.
#include <topowise/device/amd_threads.hpp>
#include <topowise/device/fold_kernel.hpp>
