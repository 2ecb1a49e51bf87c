// SPDX-License-Identifier: BSD-3-Clause
// GPUs that a test driver acts out say so in their names, and everything that is learned of them says it, too.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace topowise {

inline constexpr std::string_view kSimulated = "SIMULATED";

/// "nvml", or "nvml SIMULATED" if one of the GPUs is simulated.
template <class Gpus, class Name>
[[nodiscard]] std::string provenance(std::string source, const Gpus& gpus, Name name_of) {
  const bool simulated = std::ranges::any_of(
      gpus, [&](const auto& gpu) { return std::string_view(name_of(gpu)).find(kSimulated) != std::string_view::npos; });
  return simulated ? source.append(" ").append(kSimulated) : source;
}

}  // namespace topowise
