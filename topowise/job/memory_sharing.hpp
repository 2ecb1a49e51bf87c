// SPDX-License-Identifier: BSD-3-Clause
// Whether processes can open each other's GPU memory (CUDA IPC, HIP IPC). A driver may say that GPUs reach each other,
// and give out handles that the system then refuses to open: in containers without a common namespace, or where a batch
// system hides the GPU of the other process. Only a trial shows it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/base/units.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/device/owned.hpp>
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

// GPU memory that a process offers to others, as the text that it sends to them: a handle, or why there is none.

/// Device memory of this process that others can open as long as this object lives.
struct Offer {
  std::optional<device::OwnedMemory> memory;
  std::string text;  ///< empty: nothing is offered
};
[[nodiscard]] Offer offer_of(const device::Driver& driver, int device);

/// Empty if the offered memory can be opened, or if nothing is offered; else the text of a refusal. `offered` comes
/// from another process: a text that is no offer is refused, too.
[[nodiscard]] std::string try_to_open(const device::Driver& driver, int device, const std::string& offered);

[[nodiscard]] std::string to_text(const device::IpcHandle& handle);
/// Nothing if the text is not that of a handle.
[[nodiscard]] std::optional<device::IpcHandle> handle_from_text(std::string_view text);

[[nodiscard]] std::string refusal_text(std::string_view why);
/// Why memory was refused; nothing if the text is no refusal.
[[nodiscard]] std::optional<std::string> refusal_in(std::string_view text);

}  // namespace topowise::job
