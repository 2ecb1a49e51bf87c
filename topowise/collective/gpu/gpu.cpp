// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/gpu/gpu.hpp>

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include <topowise/base/hash.hpp>
#include <topowise/device/mps.hpp>
#include <topowise/device/table.hpp>

namespace topowise::collective {
namespace {

std::atomic<Gpu*> the_gpu{nullptr};  // never destroyed: the driver may be gone before this library

}  // namespace

Gpu::Gpu(const device::Driver& opened)
    : driver(opened), lack_of_kernels(device::lack_of_kernels(opened)), exports(opened), imports(opened) {
  if (lack_of_kernels.empty()) folds = std::make_unique<device::Folds>(opened);
}

Gpu& gpu() {
  static std::mutex mutex;
  if (Gpu* opened = the_gpu.load(std::memory_order_acquire)) return *opened;
  const std::lock_guard lock(mutex);
  if (Gpu* opened = the_gpu.load(std::memory_order_acquire)) return *opened;
  the_gpu.store(new Gpu(device::open_driver()), std::memory_order_release);
  return *the_gpu.load(std::memory_order_acquire);
}

std::uint64_t name_of_gpu(const device::Device& device) {
  Fnv1a name;
  name.add(device.uuid);
  name.add(device.pci);
  return name.value();
}

std::string machine_of(const device::Driver& driver) {
  return fmt::format("{}, {} {}, {}", driver.devices().front().name, driver.backend(), driver.version(),
                     device::is_mps_client(driver, 0) ? "with MPS" : "no MPS");
}

Gpu* opened_gpu() {
  return the_gpu.load(std::memory_order_acquire);
}

}  // namespace topowise::collective
