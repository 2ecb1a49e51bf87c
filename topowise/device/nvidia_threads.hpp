// SPDX-License-Identifier: BSD-3-Clause
// Only for code that clang compiles for a GPU.
#pragma once

namespace topowise::device {

/// The elements of a vector that belong to this thread of the GPU.
struct NvidiaThreads {
  static __attribute__((device)) unsigned long long first() {
    return static_cast<unsigned long long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
           __nvvm_read_ptx_sreg_tid_x();
  }
  static __attribute__((device)) unsigned long long step() {
    return static_cast<unsigned long long>(__nvvm_read_ptx_sreg_nctaid_x()) * __nvvm_read_ptx_sreg_ntid_x();
  }
};

}  // namespace topowise::device

/// NVIDIA's assembler would spill registers for old GPUs if it knew how many threads a block has.
#define TOPOWISE_FOLD_BOUNDS
#define TOPOWISE_GPU_THREADS topowise::device::NvidiaThreads
