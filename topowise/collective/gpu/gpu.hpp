// SPDX-License-Identifier: BSD-3-Clause
// What one process has of its GPUs for all its communicators.
#pragma once

#include <memory>

#include <topowise/collective/gpu/sharing.hpp>
#include <topowise/device/folds.hpp>

namespace topowise::collective {

struct Gpu {
  explicit Gpu(const device::Driver& opened);
  device::Driver driver;
  std::unique_ptr<device::Folds> folds;  ///< null: this build or this driver has no kernels
  Exports exports;
  Imports imports;
};

/// Opened at the first call. Throws Error(not_available) without a driver, at every call.
[[nodiscard]] Gpu& gpu();
/// Null if nobody has opened it.
[[nodiscard]] Gpu* opened_gpu();

}  // namespace topowise::collective
