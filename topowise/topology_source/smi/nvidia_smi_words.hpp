// SPDX-License-Identifier: BSD-3-Clause
// The words of the table of `nvidia-smi topo -m`, and how to cut cells that lost the TABs between them: "GPU0GPU1CPU
// AffinityNUMA Affinity", "GPU1NV18 X NV18PIXSYS0-31,64-950".
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace topowise {

using SmiWords = std::vector<std::string_view>;

/// One row of views into the text. A view is empty if its cell is empty or missing.
struct SmiRow {
  std::size_t line = 0;  ///< index into the TextLines
  std::string_view name;
  std::vector<std::string_view> cells;  ///< cells of the device columns, as many as there are
  std::string_view cpus;                ///< CPU Affinity
  std::string_view numa;                ///< NUMA Affinity
  bool glued_tail = false;              ///< `cpus` may also hold the NUMA id, or not the whole list
  std::string_view uncertain;           ///< a word of glued cells that may be cut in several ways
};

/// True for a cell of `topo -p2p`.
[[nodiscard]] bool is_p2p_word(std::string_view word);
/// True for a cell of either table.
[[nodiscard]] bool is_smi_cell(std::string_view word);
/// True for "GPU0", "NIC3", "mlx5_bond_0", "rocep12s0f0"; false for a class ("NV12") and for a word without a number.
[[nodiscard]] bool is_device_name(std::string_view word);
/// True for "GPU1rocep12s0f0": nothing shows where the name ends and what is glued to it begins.
[[nodiscard]] bool is_glued_name(std::string_view word);

/// Words of a header, cut before each name.
[[nodiscard]] SmiWords unglued_header(const SmiWords& words);

/// What is known about where a glued cell ends.
struct SmiCellEnds {
  std::set<std::string_view> names;   ///< names of devices
  std::set<std::string_view> widths;  ///< widths of the bonds whose end is plain, as digits: "18"
};
/// Adds the widths that `line` shows plainly.
void add_bond_widths(std::string_view line, SmiCellEnds& ends);

struct SmiRowWords {
  SmiWords words;
  bool glued = false;
  std::string_view uncertain;  ///< a word that may be cut in several ways
};
/// The words of a row, cut after the name and after each class.
[[nodiscard]] SmiRowWords unglued_row(const SmiWords& words, const SmiCellEnds& ends);

}  // namespace topowise
