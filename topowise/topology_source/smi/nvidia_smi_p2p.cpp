// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>

namespace topowise {

namespace {

/// The capability that `nvidia-smi topo -p2p CAPABILITY` asks for, as a text that holds the command shows it: "r";
/// empty if it does not. "-p2p rw" stands for both.
std::string_view capability_in(std::string_view text) {
  constexpr std::string_view kOption = "topo -p2p";
  const std::size_t at = text.find(kOption);
  if (at == std::string_view::npos) return {};
  const std::string_view line = text.substr(at + kOption.size(), text.find('\n', at) - at - kOption.size());
  const std::vector<std::string_view> words = split_blanks(line, 1);
  const bool is_letter =
      !words.empty() && words.front().size() <= 2 && words.front().find_first_not_of("rwnap") == std::string_view::npos;
  return is_letter ? words.front() : std::string_view();
}

}  // namespace

PeerReport read_peers(const std::string& where, std::string_view text, const SmiTable& table) {
  constexpr std::string_view kUnknown = "U";
  PeerReport report;
  std::map<std::string_view, std::size_t> numbers;
  for (const std::string_view column : table.columns) {
    if (is_accelerator_name(column)) numbers.emplace(column, numbers.size());
  }
  report.gpus = numbers.size();
  const std::string_view capability = capability_in(text);
  if (!capability.empty() && capability.find_first_of("rw") == std::string_view::npos) {
    report.warnings.push_back(
        fmt::format("{}: 'topo -p2p {}' does not say which GPUs can read each other's memory, 'topo -p2p r' does",
                    where, capability));
    return report;
  }
  std::set<std::pair<std::size_t, std::size_t>> seen;  // a pair is printed twice
  std::vector<std::string> refused;
  std::vector<std::string> unknown;
  for (const SmiRow& row : table.rows) {
    const auto a = numbers.find(row.name);
    for (std::size_t c = 0; a != numbers.end() && c < std::min(row.cells.size(), table.columns.size()); ++c) {
      const std::string_view word = row.cells[c];
      const auto b = numbers.find(table.columns[c]);
      if (word == "OK" || is_self_word(word) || b == numbers.end() || a == b) continue;
      const std::pair<std::size_t, std::size_t> pair = std::minmax(a->second, b->second);
      if (!seen.insert(pair).second) continue;
      std::string names = fmt::format("{}-{}", printable(row.name), printable(table.columns[c]));
      if (word == kUnknown) {
        unknown.push_back(std::move(names));
        continue;
      }
      refused.push_back(fmt::format("{} {}", names, printable(word)));
      report.refused.insert(pair);
    }
  }
  if (!refused.empty())
    report.warnings.push_back(
        fmt::format("{}: {}", where, without_peer_access(refused, report.gpus * (report.gpus - 1) / 2)));
  if (!refused.empty() && capability.empty())
    report.assumption = fmt::format("the table of 'topo -p2p' in {} is that of reading (-p2p r)", where);
  if (!unknown.empty())
    report.warnings.push_back(
        fmt::format("{}: whether {} can read each other's memory is not known", where, fmt::join(unknown, ", ")));
  return report;
}

std::optional<GpuIdentities> read_smi_p2p(const std::string& where, std::string_view text) {
  const std::string plain = smi_text(text);
  const TextLines lines(where, plain, kLongestLine);
  Warnings ignored;
  const SmiTables tables = find_smi_tables(lines, ignored);
  if (tables.links || !tables.peers) return std::nullopt;
  PeerReport report = read_peers(where, plain, *tables.peers);
  GpuIdentities identities;
  identities.gpus.resize(report.gpus);
  identities.without_peer_access = std::move(report.refused);
  identities.warnings = std::move(report.warnings);
  identities.assumption = std::move(report.assumption);
  return identities;
}

}  // namespace topowise
