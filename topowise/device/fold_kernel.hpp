// SPDX-License-Identifier: BSD-3-Clause
// What a kernel is, for the GPUs of every vendor. It needs what nvidia_threads.hpp or amd_threads.hpp defines.
#pragma once

#include <topowise/device/fold_groups.hpp>
#include <topowise/device/fold_list.hpp>

#define TOPOWISE_FOLD_KERNEL(operation, Operation, element, ...)                                               \
  extern "C" __attribute__((global)) TOPOWISE_FOLD_BOUNDS void topowise_fold_##operation##_##element(          \
      topowise::device::kernel::FoldOperands operands, unsigned from, unsigned to, unsigned long long count) { \
    topowise::device::kernel::fold_in_groups<topowise::device::kernel::Operation, __VA_ARGS__>(                \
        TOPOWISE_GPU_THREADS{}, operands, from, to, count);                                                    \
  }
