// SPDX-License-Identifier: BSD-3-Clause
// Only for code that clang compiles for a GPU.
#pragma once

#include <topowise/device/fold_groups.hpp>

namespace topowise::device {

/// The elements of a vector that belong to this thread of the GPU. What it reads and writes at once is spelled in PTX:
/// clang makes many small accesses of one that is taken apart. They are volatile, so that none is done early, from
/// where a vector does not exist.
struct NvidiaThreads {
  static __attribute__((device)) unsigned long long first() {
    return static_cast<unsigned long long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
           __nvvm_read_ptx_sreg_tid_x();
  }
  static __attribute__((device)) unsigned long long step() {
    return static_cast<unsigned long long>(__nvvm_read_ptx_sreg_nctaid_x()) * __nvvm_read_ptx_sreg_ntid_x();
  }
  static __attribute__((device)) kernel::Words read(unsigned long long address) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(address));
    return kernel::Words{a, b, c, d};
  }
  static __attribute__((device)) void write(unsigned long long address, kernel::Words words) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(address), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
  }
};

}  // namespace topowise::device

#define TOPOWISE_FOLD_BOUNDS \
  __attribute__((launch_bounds(topowise::device::kernel::kFoldThreads, topowise::device::kernel::kFoldBlocks)))
#define TOPOWISE_GPU_THREADS topowise::device::NvidiaThreads
