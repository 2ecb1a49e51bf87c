// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/infiniband.hpp>

namespace topowise {

/// True if a line is one of `iblinkinfo`.
[[nodiscard]] bool looks_like_link_list(const TextLines& lines);

/// Reads what `iblinkinfo` prints, with or without -l. The ids of devices are their local identifiers.
[[nodiscard]] Fabric read_link_list(const TextLines& lines, Warnings& warnings);

}  // namespace topowise
