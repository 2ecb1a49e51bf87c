// SPDX-License-Identifier: BSD-3-Clause
// The kernels of bfloat16 for NVIDIA GPUs of compute capability 8.0 and newer, which round to it by one instruction.
// tools/make_kernels.sh makes folds_sm80.ptx of this.
#include <topowise/device/fold_kernel.hpp>
#include <topowise/device/nvidia_threads.hpp>

namespace topowise::device::kernel {

struct NativeBfloat {
  unsigned short bits;
};
template <>
struct Accumulator<NativeBfloat> {
  using Type = float;
  static __attribute__((device)) float load(const NativeBfloat& stored) {
    return Accumulator<Bfloat>::load({stored.bits});
  }
  static __attribute__((device)) void store(NativeBfloat& to, float value) {
    unsigned short rounded = 0;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(value));
    to.bits = value == value ? rounded : 0x7fc0U;
  }
};
template <>
struct OnGpu<Bfloat> {
  using Type = NativeBfloat;
};

}  // namespace topowise::device::kernel

TOPOWISE_REAL_FOLDS(TOPOWISE_FOLD_KERNEL, bf16, topowise::device::kernel::Bfloat)
