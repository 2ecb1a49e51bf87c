// SPDX-License-Identifier: BSD-3-Clause
// Recognises records of communication that people have and topowise does not read, and says what to give instead.
#pragma once

#include <optional>
#include <string_view>

#include <topowise/reading/foreign_input.hpp>

namespace topowise {

/// What such an input is, by its beginning; nothing if it is none that is known.
[[nodiscard]] std::optional<ForeignInput> foreign_traffic(std::string_view head);

}  // namespace topowise
