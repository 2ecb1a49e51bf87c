// SPDX-License-Identifier: BSD-3-Clause
// Finds cells in a table of `nvidia-smi topo -m` that a screen or a selection cut off, at its right edge or below. The
// rest of a list is often a valid list as well: "0-11,24-35" becomes "0-11,2".
#pragma once

#include <vector>

#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

namespace topowise {

/// True if the text ends in this cell, whose number may go on: "NV1" may have been "NV18".
[[nodiscard]] bool is_cut_off(const TextLines& lines, const SmiTable& table, const SmiRow& row, std::string_view cell);

/// For each row: true if its list of processors may not be whole.
[[nodiscard]] std::vector<bool> cropped_lists(const TextLines& lines, const SmiTable& table);

}  // namespace topowise
