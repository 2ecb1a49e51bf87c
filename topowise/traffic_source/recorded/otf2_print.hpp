// SPDX-License-Identifier: BSD-3-Clause
// Traces of Score-P and others in the format OTF2: archives, and the text that OTF2's own tool makes of them,
// otf2-print --show-all traces.otf2
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

/// True for the anchor file of an archive, traces.otf2.
[[nodiscard]] bool looks_like_otf2_archive(std::string_view head);
/// The traffic of MPI in the archive whose anchor file is at the path `where`: the events are in files beside it.
/// OTF2's own library, opened at run time, reads them in a child of this process, so that a damaged archive can harm
/// nothing. Throws Error(bad_input), also without the library.
[[nodiscard]] Traffic read_otf2_archive(const std::string& where, std::string_view anchor,
                                        const collective::Model& model, std::vector<Diagnostic>& warnings);

}  // namespace topowise
