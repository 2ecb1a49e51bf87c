// SPDX-License-Identifier: BSD-3-Clause
// This is a module of its own beside kernels.cu, because a driver compiles all kernels of a module when it loads it.
#include <topowise/device/fold_groups.hpp>
#include <topowise/device/fold_list.hpp>
#include <topowise/device/gpu_threads.hpp>

#define ROW(operation, Operation, element, ...)                                                                \
  extern "C" __attribute__((global)) void topowise_fold_##operation##_##element(                               \
      topowise::device::kernel::FoldOperands operands, unsigned from, unsigned to, unsigned long long count) { \
    topowise::device::kernel::fold_in_groups<topowise::device::kernel::Operation, __VA_ARGS__>(                \
        topowise::device::GpuThreads{}, operands, from, to, count);                                            \
  }

TOPOWISE_FOLDS(ROW)
