// SPDX-License-Identifier: BSD-3-Clause
// tools/make_kernels.sh makes folds.ptx of this, which is kept: every build contains it, whatever compilers it has.
#include <topowise/device/fold_kernel.hpp>
#include <topowise/device/nvidia_threads.hpp>

TOPOWISE_FOLDS(TOPOWISE_FOLD_KERNEL)
