// SPDX-License-Identifier: BSD-3-Clause
// Kernels by name, as the host's compiler made them from the source of the GPU's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <topowise/device/functions.hpp>

namespace topowise::fake {

/// Makes a pointer that the host can use out of a device pointer; null for one that points nowhere.
using Translate = std::function<char*(device::Address)>;

/// A launch whose arguments have been copied, ready to be run later. Empty if one of its pointers points nowhere.
using Launch = std::function<void()>;
/// Reads the arguments as cuLaunchKernel gets them.
using Prepare =
    std::function<Launch(device::Extent grid, device::Extent block, void** arguments, const Translate& translate)>;

/// Empty for a kernel that is not among ours.
[[nodiscard]] Prepare find_host_kernel(std::string_view name);

}  // namespace topowise::fake
