// SPDX-License-Identifier: BSD-3-Clause
// The output of Open MPI's own monitoring component (pml_monitoring_enable, output 3) at the end of a job.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

[[nodiscard]] bool looks_like_ompi_monitoring(std::string_view head);
/// Reads one rank's NAME.RANK.prof, or those of all ranks one after the other. Ranks without any row get a warning.
[[nodiscard]] Traffic read_ompi_monitoring(const std::string& where, std::string_view text,
                                           std::vector<Diagnostic>& warnings);
/// The same of several files; `where` names them all.
[[nodiscard]] Traffic read_ompi_monitoring_files(const std::string& where, std::span<const std::string> paths,
                                                 std::vector<Diagnostic>& warnings);

}  // namespace topowise
