// SPDX-License-Identifier: BSD-3-Clause
// Patterns that are only exchanges, not traffic: one rank is an end of all messages.
#pragma once

#include <optional>
#include <string>

#include <topowise/graph/traffic/exchange.hpp>

namespace topowise {

/// Makes pattern:scatter:N and pattern:gather:N, with :bytes=SIZE; nothing for any other name. Throws
/// Error(bad_input) that points into the argument for one of these two that is wrong.
[[nodiscard]] std::optional<Exchange> exchange_pattern(const std::string& name);

}  // namespace topowise
