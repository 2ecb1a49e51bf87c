// SPDX-License-Identifier: BSD-3-Clause
// Whether processes can open each other's GPU memory (CUDA IPC, HIP IPC). A driver says that GPUs reach each other, and
// hands out handles, where the system then refuses to open them: in containers without a common namespace, or where a
// batch system hides the other's GPU. Only trying tells.
#pragma once

#include <optional>
#include <string>

#include <topowise/base/units.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/job/notices.hpp>
#include <topowise/job/process.hpp>

namespace topowise::job {

/// Between the ranks of a node, in a ring: one warning of the node's first rank if some are refused. All ranks of the
/// node must call it, those without a GPU with no driver.
void try_sharing(const std::optional<device::Driver>& driver, int device, const Process& process, Seconds timeout,
                 const Notices& notices);

/// Between two processes that are made for it. The reason why one cannot open the other's memory; nothing if it can.
/// Must be called before this process uses a driver.
[[nodiscard]] std::optional<std::string> sharing_refusal();

}  // namespace topowise::job
