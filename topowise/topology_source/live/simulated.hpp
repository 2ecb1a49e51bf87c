// SPDX-License-Identifier: BSD-3-Clause
// GPUs that a test driver only pretends to have say so in their names, and so does the provenance of what they say.
#pragma once

#include <algorithm>
#include <string_view>

#include <topowise/graph/provenance.hpp>

namespace topowise {

/// "nvml", or "nvml SIMULATED" if one of the GPUs is simulated.
template <class Gpus, class Name>
[[nodiscard]] Provenance provenance(const Provenance& source, const Gpus& gpus, Name name_of) {
  const bool simulated = std::ranges::any_of(gpus, [&](const auto& gpu) {
    return std::string_view(name_of(gpu)).find("SIMULATED") != std::string_view::npos;
  });
  return simulated ? source.simulated() : source;
}

}  // namespace topowise
