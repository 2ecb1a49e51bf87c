// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/memory_kind.hpp>

#include <atomic>

#include <topowise/interpose/base/complain.hpp>

namespace topowise::interpose {
namespace {

/// Not initialised, shut down, no device, the context was destroyed: the same numbers in CUDA and HIP.
bool has_no_memory(int code) {
  return code == 3 || code == 4 || code == 100 || code == 201 || code == 709;
}

}  // namespace

device::PointerAttributes LoadedDriver::attributes(const void* pointer) noexcept {
  static std::atomic<bool> told{false};
  device::PointerAttributes result;
  const int code = device::ask_pointer(pointer, result);
  if (code != device::kSuccess && !has_no_memory(code) && !told.exchange(true))
    complain(-1, "the GPU driver does not tell where buffers lie (error %d): recorded as memory of the host", code);
  return result;
}

}  // namespace topowise::interpose
