// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

namespace topowise {

std::optional<GpuIdentities> read_smi_p2p(const std::string& where, std::string_view text) {
  const std::string plain = smi_text(text);
  const TextLines lines(where, plain, kLongestLine);
  Warnings ignored;
  const std::optional<SmiTable> table = find_smi_table(lines, ignored);
  if (!table || !table->is_p2p) return std::nullopt;
  GpuIdentities identities;
  identities.gpus.resize(static_cast<std::size_t>(std::ranges::count_if(table->columns, is_gpu_name)));
  std::size_t refused = 0;
  std::size_t pairs = 0;
  std::string example;
  for (const SmiRow& row : table->rows) {
    for (std::size_t c = 0; c < std::min(row.cells.size(), table->columns.size()); ++c) {
      if (row.cells[c] == "X") continue;
      ++pairs;
      if (row.cells[c] == "OK") continue;
      if (refused++ == 0)
        example =
            fmt::format("{} and {} are {}", printable(row.name), printable(table->columns[c]), in_quotes(row.cells[c]));
    }
  }
  if (refused > 0)
    identities.warnings.push_back(fmt::format(
        "{}: {} of {} pairs of GPUs cannot read each other's memory ({} is the first): their copies go through "
        "host memory",
        where, refused, pairs, example));
  return identities;
}

}  // namespace topowise
