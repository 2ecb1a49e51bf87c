// SPDX-License-Identifier: BSD-3-Clause
// `nvidia-smi -q -x`: bus id and UUID of each GPU, and nothing of how they are joined.
#pragma once

#include <string>
#include <string_view>

#include <topowise/topology_source/node/gpu_identities.hpp>

namespace topowise {

[[nodiscard]] bool is_nvidia_smi_xml(std::string_view head);

/// Throws Error(bad_input) that points at what is wrong.
[[nodiscard]] GpuIdentities read_nvidia_smi_xml(const std::string& where, std::string_view text);

}  // namespace topowise
