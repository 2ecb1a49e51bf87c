// SPDX-License-Identifier: BSD-3-Clause
// Whether processes can open each other's GPU memory (CUDA IPC, HIP IPC). A driver may say that GPUs reach each other,
// and give out handles that the system then refuses to open: in containers without a common namespace, or where a batch
// system hides the GPU of the other process. Only a trial shows it.
#pragma once

#include <optional>
#include <string>

#include <topowise/base/units.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/job/notices.hpp>
#include <topowise/job/process.hpp>

namespace topowise::job {

/// Tries sharing between the ranks of a node, in a ring; the first rank of the node prints one warning if some are
/// refused. All ranks of the node must call it; ranks without a GPU pass no driver.
void try_sharing(const std::optional<device::Driver>& driver, int device, const Process& process, Seconds timeout,
                 const Notices& notices);

/// Tries sharing between two processes that are started for it. Returns the reason why one cannot open the other's
/// memory; nothing if it can. Must be called before this process uses a driver.
[[nodiscard]] std::optional<std::string> sharing_refusal();

}  // namespace topowise::job
