// SPDX-License-Identifier: BSD-3-Clause
// tools/make_kernels.sh makes folds.ptx of this, which is kept: every build contains it, whatever compilers it has.
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
