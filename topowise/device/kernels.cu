// SPDX-License-Identifier: BSD-3-Clause
// Compiled to PTX by clang alone, with no file of NVIDIA's (cmake/kernels.cmake).
#include <topowise/device/kernel_code.hpp>
#include <topowise/device/kernel_list.hpp>

namespace {

struct Threads {
  static __attribute__((device)) unsigned long long first() {
    return static_cast<unsigned long long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
           __nvvm_read_ptx_sreg_tid_x();
  }
  static __attribute__((device)) unsigned long long step() {
    return static_cast<unsigned long long>(__nvvm_read_ptx_sreg_nctaid_x()) * __nvvm_read_ptx_sreg_ntid_x();
  }
};

}  // namespace

#define REDUCTION(name, Operation, type)                                                                              \
  extern "C" __attribute__((global)) void name(type* to, const type* from, unsigned long long count) {                \
    topowise::device::kernel::reduce<topowise::device::kernel::Operation>(Threads{}, to, from, count);                \
  }
#define COPY(name, type)                                                                                              \
  extern "C" __attribute__((global)) void name(type* to, const type* from, unsigned long long count) {                \
    topowise::device::kernel::copy(Threads{}, to, from, count);                                                       \
  }
#define FILL(name, type)                                                                                              \
  extern "C" __attribute__((global)) void name(type* to, type value, unsigned long long count) {                      \
    topowise::device::kernel::fill(Threads{}, to, value, count);                                                      \
  }
#define ROW(name, type) TOPOWISE_KERNELS_OF_TYPE(REDUCTION, COPY, FILL, name, type)

TOPOWISE_ELEMENT_TYPES(ROW)
