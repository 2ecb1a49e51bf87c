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
#include <topowise/topology_source/smi/nvidia_smi_words.hpp>

namespace topowise {

struct SmiTable {
  std::size_t header_line = 0;
  std::vector<std::string_view> columns;  ///< device names, in the order of the header
  std::vector<SmiRow> rows;
  std::map<std::string, std::string, std::less<>> nic_names;  ///< NIC Legend: "NIC0" -> "mlx5_0"
  bool is_p2p = false;                                        ///< the table is one of `topo -p2p`
  SmiWords unknown;                                           ///< headings of columns that are not read
  std::map<std::string_view, std::string_view> legend;        ///< "MX" -> "Connection traversing MetaXLink"
  bool pci_only = false;  ///< the legend names no NVLink: it is that of `topo -mp`, or cut off
};

/// The text without what a copy from a terminal leaves in it, such as colour codes that lost their ESC ("[4mGPU0"). The
/// lines of a table that a narrow terminal broke at its width are joined.
[[nodiscard]] std::string smi_text(std::string_view text);

struct SmiTables {
  std::optional<SmiTable> links;  ///< of `topo -m`
  std::optional<SmiTable> peers;  ///< of `topo -p2p`
};
/// The first table of each kind. What is odd but can be read goes into `warnings`.
[[nodiscard]] SmiTables find_smi_tables(const TextLines& lines, Warnings& warnings);

}  // namespace topowise
