// SPDX-License-Identifier: BSD-3-Clause
// Whether this job reduces on GPUs, and the library that does it.
#pragma once

#include <topowise/collective/plugin_interface.hpp>

namespace topowise::interpose::allreduce {

namespace plugin_interface = collective::plugin_interface;

struct Settings {
  const char* algorithm = nullptr;  ///< null: off
  bool report = false;
};
/// Read at the first call, then constant.
[[nodiscard]] const Settings& settings() noexcept;

/// Opens the library beside this one at the first call. Null, after saying why once, where that fails.
[[nodiscard]] const plugin_interface::Functions* reducer() noexcept;
/// The library if it is open; null if nobody has opened it.
[[nodiscard]] const plugin_interface::Functions* opened_reducer() noexcept;

}  // namespace topowise::interpose::allreduce
