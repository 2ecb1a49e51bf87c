// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include <topowise/base/error.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// Does the work and turns what goes wrong into a message and an exit status. `before_message` is called before the
/// message is printed.
[[nodiscard]] ExitStatus guarded(
    const std::function<ExitStatus()>& work, const Terminal& terminal,
    const std::function<void()>& before_message = [] {});

}  // namespace topowise::cli
