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
  bool surplus = false;                 ///< more cells follow than the header has columns
  std::string_view uncertain;           ///< a word of glued cells that may be cut in several ways
};

/// True for a cell of `topo -p2p`.
[[nodiscard]] bool is_p2p_word(std::string_view word);
/// True for the cell of a device and itself.
[[nodiscard]] bool is_self_word(std::string_view word);
/// True for a cell of either table.
[[nodiscard]] bool is_smi_cell(std::string_view word);
/// True for such a cell, and for a word that has the form of a class that a legend may define: "HT", "FL2".
[[nodiscard]] bool may_be_cell(std::string_view word);
/// True for the names of accelerators in the tools of all vendors: "GPU0", "GPU0.1" (a tile), "NPU3", "Phy-ID12".
[[nodiscard]] bool is_accelerator_name(std::string_view word);
/// 3 for "GPU3"; -1 for a tile.
[[nodiscard]] int number_of_accelerator(std::string_view name);
/// True if a line holds the name of the first one: "GPU0".
[[nodiscard]] bool names_first_accelerator(std::string_view line);
/// True if a line may hold such names.
[[nodiscard]] bool may_name_accelerators(std::string_view line);
/// True for "GPU0", "NIC3", "mlx5_bond_0", "rocep12s0f0"; false for a class ("NV12") and for a word without a number.
[[nodiscard]] bool is_device_name(std::string_view word);
/// True for "GPU1rocep12s0f0": nothing shows where the name ends and what is glued to it begins.
[[nodiscard]] bool is_glued_name(std::string_view word);

/// Words of a header, cut before each name.
[[nodiscard]] SmiWords unglued_header(const SmiWords& words);
/// Names of a header, cut where they are several of `labels`, the names of the rows, and that in one way only.
[[nodiscard]] SmiWords cut_by_labels(const SmiWords& names, const std::set<std::string_view>& labels);

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
