// SPDX-License-Identifier: BSD-3-Clause
// The matrix of `nvidia-smi topo -m` as people pass it on: a Markdown table, a box of lines, CSV. The columns have the
// order of the header; often the affinity columns come first.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <topowise/topology_source/smi/nvidia_smi_words.hpp>

namespace topowise {

class SmiGrid {
 public:
  /// Reads the header `line` with `separator` between its cells; nothing if it is no header.
  [[nodiscard]] static std::optional<SmiGrid> with_header(std::string_view line, char separator);

  [[nodiscard]] const SmiWords& devices() const { return devices_; }
  /// Reads a row; nothing if the line is none.
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
