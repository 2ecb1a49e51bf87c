// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_affinity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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

/// "56-111,168-2231": the list and the NUMA id behind it, glued together. Hyperthreads make ranges of one length, and
/// without its last digits the list has them again.
bool is_glued(std::string_view cell, const CpuRanges& list) {
  const auto even = [](const CpuRanges& ranges) {
    return std::ranges::all_of(ranges, [&](const std::pair<int, int>& range) {
      return range.second - range.first == ranges[0].second - ranges[0].first;
    });
  };
  if (list.size() < 2 || even(list)) return false;
  for (std::size_t digits = 1; digits <= 2 && digits < cell.size(); ++digits) {
    const std::optional<CpuRanges> shorter = parse_cpu_list(cell.substr(0, cell.size() - digits));
    if (shorter && shorter->size() == list.size() && even(*shorter)) return true;
  }
  return false;
}

/// Lists of all GPUs alike say nothing where some pair of them is in different domains: a virtual machine or a
/// container that does not tell.
void doubt_equal_lists(const TextLines& lines, const SmiTable& table,
                       const std::vector<std::optional<CpuRanges>>& lists, Warnings& warnings) {
  std::size_t gpus = 0;
  std::size_t first = 0;
  bool apart = false;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (!is_gpu_name(table.rows[r].name)) continue;
    if (gpus++ == 0) first = r;
    if (!lists[r] || lists[r] != lists[first]) return;
    for (std::size_t c = 0; c < std::min(table.rows[r].cells.size(), table.columns.size()); ++c)
      apart = apart ||
              (is_gpu_name(table.columns[c]) && (table.rows[r].cells[c] == "SYS" || table.rows[r].cells[c] == "SOC"));
  }
  if (gpus < 2 || !apart) return;
  warnings.add(
      lines.at(table.rows[first].line, table.rows[first].cpus,
               fmt::format("{} for all {} GPUs, although some of them are SYS apart: these are all processors, "
                           "not the near ones",
                           quoted(table.rows[first].cpus), gpus)));
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
    if (lists[r] && is_absent(row.numa) && is_glued(row.cpus, *lists[r])) {
      lists[r].reset();
      refuse(r, row.cpus, "looks like two cells that were glued together");
    } else if (lists[r]) {
      affinity[r].cpus = std::string(row.cpus);
      ++rows_with[*lists[r]];
    } else {
      refuse(r, row.cpus, "is no list of processors");
    }
  }
  doubt_equal_lists(lines, table, lists, warnings);
  for (const CpuRanges& list : contradicted(rows_with)) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (lists[r] == list) refuse(r, table.rows[r].cpus, "overlaps the processors of other rows in part");
    }
  }
  return affinity;
}

}  // namespace topowise
