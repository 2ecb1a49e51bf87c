// SPDX-License-Identifier: BSD-3-Clause
// Whether this job reduces on GPUs, and the library that does it.
#pragma once

#include <topowise/collective/door.hpp>

namespace topowise::interpose::allreduce {

namespace door = collective::door;

struct Settings {
  const char* algorithm = nullptr;  ///< null: off
  bool report = false;
};
/// Read at the first call, then constant.
[[nodiscard]] const Settings& settings() noexcept;

/// Opens the library beside this one at the first call. Null, after saying why once, where that fails.
[[nodiscard]] const door::Functions* reducer() noexcept;
/// Null if nobody has opened it.
[[nodiscard]] const door::Functions* opened_reducer() noexcept;

}  // namespace topowise::interpose::allreduce
