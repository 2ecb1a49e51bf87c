// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reorder/engine.hpp>

namespace topowise::interpose::reordering {

/// Opens the library that maps, beside this one, at the first call. Null, after saying why once, where that fails.
[[nodiscard]] engine::Function engine_function() noexcept;

}  // namespace topowise::interpose::reordering
