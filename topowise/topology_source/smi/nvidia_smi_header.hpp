// SPDX-License-Identifier: BSD-3-Clause
// The header of a table of `nvidia-smi topo -m`: device names, then columns of affinity in any order and language.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <topowise/topology_source/smi/nvidia_smi_words.hpp>

namespace topowise {

enum class AffinityColumn : unsigned char { cpu, numa, gpu_numa, other };

/// What a heading names: "CPU Affinity", "NUMA Affinity", "Node Affinity", "GPU NUMA ID", or the like in another
/// language. A heading that lost the blanks between several columns names them all.
[[nodiscard]] std::vector<AffinityColumn> affinity_columns(std::string_view heading);

struct SmiHeader {
  SmiWords devices;
  std::vector<AffinityColumn> lead;  ///< the columns before the devices; few tools print some
  std::vector<AffinityColumn> tail;  ///< the columns after the devices
  bool glued = false;                ///< the columns lost the TABs between them
  SmiWords unknown;                  ///< headings that no known tool prints
};

/// Reads "... GPU0 GPU1 mlx5_0 CPU Affinity NUMA Affinity GPU NUMA ID".
[[nodiscard]] std::optional<SmiHeader> parse_smi_header(const SmiWords& words);

/// Puts names that are before the first accelerator in front of the devices, where they are labels of rows: NICs.
void add_devices_before(SmiHeader& header, const SmiWords& words, const std::set<std::string_view>& labels);

/// Assigns the words after the device cells, or before them. As many words as columns are taken in order. If there are
/// fewer, a list
/// ("0-19,40-59") is the CPU cell, and a final N/A belongs to the last column, because only that one is printed for
/// every row.
void assign_affinity(SmiRow& row, std::span<const AffinityColumn> tail, std::span<const std::string_view> words);

}  // namespace topowise
