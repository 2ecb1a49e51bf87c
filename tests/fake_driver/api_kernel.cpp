// SPDX-License-Identifier: BSD-3-Clause
// Modules and launches. The stand-in reads only the names of the kernels from PTX. It runs the same source, compiled
// for the host.
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "environment.hpp"
#include "process.hpp"

using namespace topowise::fake;
using topowise::device::Extent;

namespace {

/// Without MPS, kernels of different processes never overlap on a GPU, and a change of process takes time.
void run_in_time_slice(Process& self, int gpu, const Launch& launch) {
  if (environment().mps || environment().timeslice_us <= 0) return launch();
  SharedGpu& shared = self.shared().gpus[static_cast<std::size_t>(gpu)];
  const std::lock_guard turn(shared.mutex);
  if (shared.last != ::getpid() && shared.last != 0) {
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(environment().timeslice_us));
  }
  shared.last = ::getpid();
  launch();
}

}  // namespace

extern "C" {

int cuModuleLoadData(void** module, const void* image) {
  return call_in_context("cuModuleLoadData", [&](Process& self, Context&) {
    const auto* text = static_cast<const char*>(image);
    if (text == nullptr || std::strstr(text, ".version") == nullptr) return result::kInvalidImage;
    *module = self.load(text);
    return result::kSuccess;
  });
}

int cuModuleUnload(void* module) {
  return call_in_context("cuModuleUnload", [&](Process& self, Context&) { return self.unload(module); });
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  return call_in_context("cuModuleGetFunction",
                         [&](Process& self, Context&) { return self.find(module, name, *function); });
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned /*shared_memory*/, void* stream_handle,
                   void** arguments, void** /*extra*/) {
  return call_in_context("cuLaunchKernel", [&](Process& self, Context& context) {
    const Function* kernel = self.function(function);
    const std::shared_ptr<Stream> stream = self.stream(stream_handle);
    if (kernel == nullptr || !stream) return result::kInvalidHandle;
    if (grid_x == 0 || block_x == 0 || block_x > 1024) return result::kInvalidValue;
    const auto translate = [&](topowise::device::Address address) {
      return self.memory().is_device_range(address) ? self.memory().reach(address, 1) : nullptr;
    };
    const Launch launch = kernel->prepare({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments, translate);
    if (!launch) return result::kInvalidValue;
    self.push(stream, [&self, launch, gpu = self.gpu_of(context.device)](Nanoseconds) {
      run_in_time_slice(self, gpu, launch);
      return now();
    });
    return result::kSuccess;
  });
}

}  // extern "C"
