// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_affinity.hpp>

#include <fmt/format.h>

#include <map>
#include <optional>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/cpu_list.hpp>

namespace topowise {
namespace {

bool is_absent(std::string_view cell) {
  return cell.empty() || cell == "N/A";
}

/// A NUMA cell is one id, or a list that begins with the domain of the processors ("0,3-9" on Grace, whose further
/// domains are memory only).
std::optional<int> parse_numa(std::string_view cell) {
  const std::optional<CpuRanges> ids = parse_cpu_list(cell);
  if (!ids) return std::nullopt;
  const std::optional<std::int64_t> first = parse_integer(cell.substr(0, cell.find_first_of(",-")));
  return first ? std::optional(static_cast<int>(*first)) : std::nullopt;
}

/// Lists that share some processors with a list of more rows, or of as many: one of the two has lost a digit, and it is
/// not the one that most rows agree on.
std::vector<CpuRanges> contradicted(const std::map<CpuRanges, std::size_t>& rows_with) {
  std::vector<CpuRanges> bad;
  for (const auto& [list, rows] : rows_with) {
    for (const auto& [other, other_rows] : rows_with) {
      if (other_rows >= rows && partly_overlap(list, other)) {
        bad.push_back(list);
        break;
      }
    }
  }
  return bad;
}

}  // namespace

std::vector<SmiAffinity> read_smi_affinity(const TextLines& lines, const SmiTable& table, Warnings& warnings) {
  std::vector<SmiAffinity> affinity(table.rows.size());
  std::vector<std::optional<CpuRanges>> lists(table.rows.size());
  std::map<CpuRanges, std::size_t> rows_with;
  const auto refuse = [&](std::size_t r, std::string_view cell, std::string_view why) {
    warnings.add(
        lines.at(table.rows[r].line, cell,
                 fmt::format("{} {}; {} will not be bound by it", quoted(cell), why, printable(table.rows[r].name))));
    affinity[r] = {};
  };
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const SmiRow& row = table.rows[r];
    if (!is_absent(row.numa)) {
      const std::optional<int> numa = parse_numa(row.numa);
      if (numa) {
        affinity[r].numa = *numa;
      } else {
        refuse(r, row.numa, "is no NUMA domain");
      }
    }
    if (is_absent(row.cpus)) continue;
    lists[r] = parse_cpu_list(row.cpus);
    if (lists[r]) {
      affinity[r].cpus = std::string(row.cpus);
      ++rows_with[*lists[r]];
    } else {
      refuse(r, row.cpus, "is no list of processors");
    }
  }
  for (const CpuRanges& list : contradicted(rows_with)) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (lists[r] == list) refuse(r, table.rows[r].cpus, "overlaps the processors of other rows in part");
    }
  }
  return affinity;
}

}  // namespace topowise
