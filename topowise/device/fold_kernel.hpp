// SPDX-License-Identifier: BSD-3-Clause
// What a kernel is, for the GPUs of every vendor: the fold code with what a GPU computes by an instruction of its own
// and a host does not. It needs what nvidia_threads.hpp or amd_threads.hpp defines.
#pragma once

#include <topowise/device/fold_groups.hpp>
#include <topowise/device/fold_list.hpp>

namespace topowise::device::kernel {

/// IEEE 754 binary16 that the GPU itself converts. Every NaN is stored as the same one, as the host stores it.
struct NativeHalf {
  unsigned short bits;
};
template <>
struct Accumulator<NativeHalf> {
  using Type = float;
  static __attribute__((device)) float load(const NativeHalf& stored) {
    return static_cast<float>(__builtin_bit_cast(__fp16, stored.bits));
  }
  static __attribute__((device)) void store(NativeHalf& to, float value) {
    const auto rounded = static_cast<__fp16>(value);
    to.bits = value == value ? __builtin_bit_cast(unsigned short, rounded) : 0x7e00U;
  }
};

/// The type by which a GPU folds an element.
template <class T>
struct OnGpu {
  using Type = T;
};
template <>
struct OnGpu<Half> {
  using Type = NativeHalf;
};

}  // namespace topowise::device::kernel

#define TOPOWISE_FOLD_KERNEL(operation, Operation, element, ...)                                                    \
  extern "C" __attribute__((global)) TOPOWISE_FOLD_BOUNDS void topowise_fold_##operation##_##element(               \
      topowise::device::kernel::FoldOperands operands, unsigned from, unsigned to, unsigned long long count,        \
      unsigned long long before) {                                                                                  \
    using namespace topowise::device::kernel;                                                                       \
    fold_in_groups<Operation, OnGpu<__VA_ARGS__>::Type>(TOPOWISE_GPU_THREADS{}, operands, from, to, count, before); \
  }
