// SPDX-License-Identifier: BSD-3-Clause
// Where on its node this process runs, by its processor binding and by what Linux says of the processors. The files
// under /sys are those from which hwloc makes its tree. A process needs a dozen small ones of them, those of one of its
// processors. What hwloc reads to know the whole node takes thousands of times as long on a large one, and each process
// would have to be told of it.
#pragma once

#include <span>
#include <string>

#include <topowise/reorder/node_part.hpp>

namespace topowise::interpose::reordering {

/// `root`: the folder that holds /sys. `processors`: their numbers, ascending.
[[nodiscard]] NodePart part_with(const std::string& root, std::span<const int> processors);

/// The part where the calling thread is bound now. HWLOC_FSROOT names another root than '/', as it does for hwloc.
[[nodiscard]] NodePart own_part();

}  // namespace topowise::interpose::reordering
