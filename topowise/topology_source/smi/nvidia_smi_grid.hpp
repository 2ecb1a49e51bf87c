// SPDX-License-Identifier: BSD-3-Clause
// The matrix of `nvidia-smi topo -m` as people hand it on: a Markdown table, a box of lines, CSV. The columns stand
// where the header puts them, the affinity columns often first.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <topowise/topology_source/smi/nvidia_smi_words.hpp>

namespace topowise {

class SmiGrid {
 public:
  /// The header `line` with its cells between `separator`; nothing if it is none.
  [[nodiscard]] static std::optional<SmiGrid> with_header(std::string_view line, char separator);

  [[nodiscard]] const SmiWords& devices() const { return devices_; }
  /// Nothing for a line that is no row.
  [[nodiscard]] std::optional<SmiRow> read_row(std::string_view line) const;

 private:
  [[nodiscard]] SmiWords cut(std::string_view line) const;

  char separator_ = '|';
  std::size_t width_ = 0;
  SmiWords devices_;
  std::vector<bool> is_device_;  ///< by column
  std::optional<std::size_t> cpu_column_, numa_column_;
};

}  // namespace topowise
