// SPDX-License-Identifier: BSD-3-Clause
// Recognises a description of a machine that was given where traffic is wanted.
#pragma once

#include <string_view>

namespace topowise {

/// True for the beginning of a text that plainly describes a machine: our own JSON, an XML file of NCCL or hwloc, the
/// table of a vendor's tool, a fabric.
[[nodiscard]] bool is_machine_text(std::string_view head);

}  // namespace topowise
