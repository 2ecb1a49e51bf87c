// SPDX-License-Identifier: BSD-3-Clause
// Only for code that hiprtc or clang compiles for an AMD GPU.
#pragma once

#include <topowise/device/fold_groups.hpp>

namespace topowise::device {

/// The elements of a vector that belong to this thread of the GPU.
struct AmdThreads {
  static __attribute__((device)) unsigned long long first() {
    return static_cast<unsigned long long>(__builtin_amdgcn_workgroup_id_x()) * __builtin_amdgcn_workgroup_size_x() +
           __builtin_amdgcn_workitem_id_x();
  }
  /// The packet of a launch holds the number of threads of the whole grid.
  static __attribute__((device)) unsigned long long step() { return __builtin_amdgcn_grid_size_x(); }

  using Global = __attribute__((address_space(1))) kernel::Words;
  static __attribute__((device)) kernel::Words read(unsigned long long address) {
    return *reinterpret_cast<const Global*>(address);
  }
  static __attribute__((device)) void write(unsigned long long address, kernel::Words words) {
    *reinterpret_cast<Global*>(address) = words;
  }
};

}  // namespace topowise::device

/// Without it, the compiler leaves room for blocks of 1024 threads.
#define TOPOWISE_FOLD_BOUNDS __attribute__((launch_bounds(topowise::device::kernel::kFoldThreads)))
#define TOPOWISE_GPU_THREADS topowise::device::AmdThreads
