// SPDX-License-Identifier: BSD-3-Clause
// What one process keeps of its GPUs for all its communicators.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <topowise/collective/gpu/sharing.hpp>
#include <topowise/device/folds.hpp>

namespace topowise::collective {

struct Gpu {
  explicit Gpu(const device::Driver& opened);
  device::Driver driver;
  std::string lack_of_kernels;
  std::unique_ptr<device::Folds> folds;  ///< null where there is a lack of kernels
  Exports exports;
  Imports imports;
};

/// The GPUs of this process, opened at the first call. Throws Error(not_available) without a driver, at every call.
[[nodiscard]] Gpu& gpu();
/// A number of this GPU, or part of one, that is the same in every process.
[[nodiscard]] std::uint64_t name_of_gpu(const device::Device& device);
/// What a measurement holds for: "NVIDIA H100 80GB HBM3, cuda 13000, no MPS". The driver must have a GPU.
[[nodiscard]] std::string machine_of(const device::Driver& driver);
/// What gpu() has opened; null if it has opened nothing.
[[nodiscard]] Gpu* opened_gpu();

}  // namespace topowise::collective
