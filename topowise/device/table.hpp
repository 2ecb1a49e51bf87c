// SPDX-License-Identifier: BSD-3-Clause
// Every back-end, in one table; which of them is on this machine.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <topowise/device/backend.hpp>
#include <topowise/device/driver.hpp>

namespace topowise::device {

/// All back-ends, in the order in which they are tried.
[[nodiscard]] std::span<const Backend* const> backends();

/// The driver of one back-end. Throws Error(not_available): the library cannot be opened, or it has no GPU.
[[nodiscard]] Driver open_driver(const Backend& backend);
/// The first back-end that works on this machine. If none does, the error is that of the first driver that is there and
/// refuses, or says for each why it is not there.
[[nodiscard]] Driver open_driver();
/// The same, without a throw: nothing, and the reason.
[[nodiscard]] std::optional<Driver> find_driver(std::string& reason);

}  // namespace topowise::device
