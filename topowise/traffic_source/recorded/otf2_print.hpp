// SPDX-License-Identifier: BSD-3-Clause
// Traces of Score-P and others in the format OTF2, as OTF2's own tool prints them: otf2-print --show-all traces.otf2
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/traffic_source/collective/model.hpp>

namespace topowise {

[[nodiscard]] bool looks_like_otf2_print(std::string_view head);
/// The traffic of MPI. `model` says which pairs a collective call is made of. Throws Error(bad_input).
[[nodiscard]] Traffic read_otf2_print(const std::string& where, std::string_view text, const collective::Model& model,
                                      std::vector<Diagnostic>& warnings);

}  // namespace topowise
