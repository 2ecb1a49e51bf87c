// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a vector that belong to its type. The bytes in its gaps are the program's: it may write there while the
// MPI library still reduces, or begin another request of a vector that lies there. So nothing but the type's bytes may
// be written back.
#pragma once

#include <vector>

#include <topowise/interpose/allreduce/host_copy.hpp>
#include <topowise/interpose/base/arguments.hpp>

namespace topowise::interpose::allreduce {

/// The runs count from the receive buffer's address on, ascending and apart from each other. False, after saying so, if
/// MPI does not say or there is no memory for them.
[[nodiscard]] bool covered_runs(const Call& call, const Span& span, std::vector<plugin_interface::Run>& runs) noexcept;
/// The same of a vector in parts: `counts` elements each, `begins` elements from the address on.
[[nodiscard]] bool covered_runs_of_parts(const Call& call, const Counts& counts, const Counts& begins, int number,
                                         std::vector<plugin_interface::Run>& runs) noexcept;

}  // namespace topowise::interpose::allreduce
