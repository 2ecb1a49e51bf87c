// SPDX-License-Identifier: BSD-3-Clause
// GPU memory that a process offers to others, as the text that it sends to them: a handle, or why there is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/device/owned.hpp>

namespace topowise::job {

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
