// SPDX-License-Identifier: BSD-3-Clause
// Finding the matrix of `nvidia-smi topo -m` in a text, and cutting it into cells.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>

namespace topowise {

/// One row. Views into the text; empty where the cell is empty or missing.
struct SmiRow {
  std::size_t line = 0;  ///< index into the TextLines
  std::string_view name;
  std::vector<std::string_view> cells;  ///< of the device columns, as many as there are
  std::string_view cpus;                ///< CPU Affinity
  std::string_view numa;                ///< NUMA Affinity
  bool glued_tail = false;              ///< `cpus` may hold the NUMA id too
  std::string_view uncertain;           ///< a word of glued cells that may be cut in several ways
};

struct SmiTable {
  std::size_t header_line = 0;
  std::vector<std::string_view> columns;  ///< device names, in the order of the header
  std::vector<SmiRow> rows;
  std::map<std::string, std::string, std::less<>> nic_names;  ///< NIC Legend: "NIC0" -> "mlx5_0"
  bool is_p2p = false;                                        ///< the cells are those of `topo -p2p`
  bool pci_only = false;  ///< the legend knows no NVLink: that of `topo -mp`, or cut off
};

/// The text without what a copy from a terminal leaves in it, also of colour codes that lost their ESC ("[4mGPU0"), and
/// with the lines of a table joined that a narrow terminal broke at its width.
[[nodiscard]] std::string smi_text(std::string_view text);

/// The first matrix in `lines` that is not of `topo -p2p`, else the first; nothing if there is none.
/// What is odd but can be read goes into `warnings`.
[[nodiscard]] std::optional<SmiTable> find_smi_table(const TextLines& lines, Warnings& warnings);

}  // namespace topowise
