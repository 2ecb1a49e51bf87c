// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>

namespace topowise {

std::size_t gpus_in(const SmiTable& table) {
  return static_cast<std::size_t>(std::ranges::count_if(table.columns, is_accelerator_name));
}

std::vector<std::string> peer_warnings(const std::string& where, const SmiTable& table) {
  constexpr std::string_view kUnknown = "U";
  std::set<std::pair<std::string_view, std::string_view>> seen;  // a pair is printed twice
  std::vector<std::string> refused;
  std::vector<std::string> unknown;
  for (const SmiRow& row : table.rows) {
    for (std::size_t c = 0; c < std::min(row.cells.size(), table.columns.size()); ++c) {
      const std::string_view word = row.cells[c];
      if (word == "OK" || is_self_word(word) || !seen.insert(std::minmax(row.name, table.columns[c])).second) continue;
      std::string pair = fmt::format("{}-{}", printable(row.name), printable(table.columns[c]));
      if (word == kUnknown)
        unknown.push_back(std::move(pair));
      else
        refused.push_back(fmt::format("{} {}", pair, printable(word)));
    }
  }
  std::vector<std::string> warnings;
  const std::size_t n = gpus_in(table);
  if (!refused.empty()) warnings.push_back(fmt::format("{}: {}", where, without_peer_access(refused, n * (n - 1) / 2)));
  if (!unknown.empty())
    warnings.push_back(
        fmt::format("{}: whether {} can read each other's memory is not known", where, fmt::join(unknown, ", ")));
  return warnings;
}

std::optional<GpuIdentities> read_smi_p2p(const std::string& where, std::string_view text) {
  const std::string plain = smi_text(text);
  const TextLines lines(where, plain, kLongestLine);
  Warnings ignored;
  const SmiTables tables = find_smi_tables(lines, ignored);
  if (tables.links || !tables.peers) return std::nullopt;
  GpuIdentities identities;
  identities.gpus.resize(gpus_in(*tables.peers));
  identities.warnings = peer_warnings(where, *tables.peers);
  return identities;
}

}  // namespace topowise
