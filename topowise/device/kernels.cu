// SPDX-License-Identifier: BSD-3-Clause
// Only clang compiles this to PTX, with no file of NVIDIA's (cmake/kernels.cmake).
#include <topowise/device/gpu_threads.hpp>
#include <topowise/device/kernel_code.hpp>
#include <topowise/device/kernel_list.hpp>

#define REDUCTION(name, Operation, type)                                                                              \
  extern "C" __attribute__((global)) void name(type* to, const type* from, unsigned long long count) {                \
    topowise::device::kernel::reduce<topowise::device::kernel::Operation>(topowise::device::GpuThreads{}, to, from, count);                \
  }
#define COPY(name, type)                                                                                              \
  extern "C" __attribute__((global)) void name(type* to, const type* from, unsigned long long count) {                \
    topowise::device::kernel::copy(topowise::device::GpuThreads{}, to, from, count);                                                       \
  }
#define FILL(name, type)                                                                                              \
  extern "C" __attribute__((global)) void name(type* to, type value, unsigned long long count) {                      \
    topowise::device::kernel::fill(topowise::device::GpuThreads{}, to, value, count);                                                      \
  }
#define ROW(name, type) TOPOWISE_KERNELS_OF_TYPE(REDUCTION, COPY, FILL, name, type)

TOPOWISE_ELEMENT_TYPES(ROW)
