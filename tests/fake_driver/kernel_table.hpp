// SPDX-License-Identifier: BSD-3-Clause
// Kernels by name, which the host's compiler made from the source of the GPU kernels.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <topowise/device/functions.hpp>

namespace topowise::fake {

/// Turns a device pointer into a pointer that the host can use; null if it points nowhere.
using Translate = std::function<char*(device::Address)>;

/// A launch whose arguments are copied, ready to run later. Empty if one of its pointers points nowhere.
using Launch = std::function<void()>;
/// Reads the arguments as cuLaunchKernel gets them.
using Prepare =
    std::function<Launch(device::Extent grid, device::Extent block, void** arguments, const Translate& translate)>;

/// Empty if there is no such kernel.
[[nodiscard]] Prepare find_host_kernel(std::string_view name);

}  // namespace topowise::fake
