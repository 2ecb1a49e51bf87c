// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/memory_kind.hpp>

#include <pthread.h>

#include <atomic>

#include <topowise/interpose/base/print_stderr.hpp>

namespace topowise::interpose {
namespace {

/// Whether a driver that fails with this code has no memory: it is not initialised, was shut down, has no device, or
/// its context was destroyed. CUDA and HIP have the same numbers.
bool has_no_memory(int code) {
  return code == 3 || code == 4 || code == 100 || code == 201 || code == 709;
}

}  // namespace

device::PointerAttributes LoadedDriver::attributes(const void* pointer) noexcept {
  static std::atomic<bool> told{false};
  device::PointerAttributes result;
  const int code = device::ask_pointer(pointer, result);
  if (code != device::kSuccess && !has_no_memory(code) && !told.exchange(true))
    print_stderr(-1, "the GPU driver does not say where buffers lie (error %d): recorded as memory of the host", code);
  return result;
}

std::uintptr_t end_of_stack() noexcept {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  if (pthread_attr_getstack(&attributes, &lowest, &size) != 0) size = 0;
  pthread_attr_destroy(&attributes);
  return size > 0 ? reinterpret_cast<std::uintptr_t>(lowest) + size : 0;
}

}  // namespace topowise::interpose
