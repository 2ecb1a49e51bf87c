// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_affinity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/reading/cpu_list.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/smi/nvidia_smi_cropped.hpp>

namespace topowise {
namespace {

bool is_absent(std::string_view cell) {
  return cell.empty() || cell == "N/A";
}

/// Reads a NUMA cell: one id, or a list that begins with the domain of the processors ("0,3-9" on Grace, where the
/// other domains are memory only).
std::optional<int> parse_numa(std::string_view cell) {
  const std::optional<CpuRanges> ids = parse_cpu_list(cell);
  if (!ids) return std::nullopt;
  const std::optional<std::int64_t> first = parse_integer(cell.substr(0, cell.find_first_of(",-")));
  return first ? std::optional(static_cast<int>(*first)) : std::nullopt;
}

/// Lists that share only some processors with a list of more rows, or of as many rows. One of the two lists has lost a
/// digit, and it is not the list on which most rows agree.
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

/// True for "56-111,168-2231": the list and the NUMA id after it are glued together. Hyperthreads make ranges of one
/// length, and without its last digits the list has ranges of one length again.
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

/// True if the next line is the rest of a row that a narrow terminal broke inside its lists, "-155    0" or ",8-11": it
/// has only ends of cells.
bool goes_on(const TextLines& lines, std::size_t row) {
  if (row + 1 >= lines.size()) return false;
  const std::string_view next = trim(lines[row + 1]);
  return !next.empty() && next.find_first_not_of("0123456789,- \tN/A") == std::string_view::npos;
}

bool is_far(std::string_view cell) {
  return cell == "SYS" || cell == "SOC";
}

/// Says why GPUs with equal lists cannot all be in one domain; empty if they can. NVLink hides where two GPUs meet on
/// the host. Then an adapter tells it that is SYS to only some of the GPUs. And no machine has eight GPUs on one socket
/// that are all joined by NVLink.
std::string why_apart(const SmiTable& table, const std::vector<std::size_t>& gpus) {
  constexpr std::size_t kTwoSockets = 8;
  std::size_t hidden = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t far = 0;
    for (const std::size_t r : gpus) {
      if (c >= table.rows[r].cells.size()) continue;
      const std::string_view cell = table.rows[r].cells[c];
      if (is_far(cell)) ++far;
      if (cell.starts_with("NV")) ++hidden;
    }
    if (far == 0) continue;
    if (is_accelerator_name(table.columns[c])) return "although some of them are SYS apart";
    if (far < gpus.size())
      return fmt::format("although {} is SYS from some of them and near to others", printable(table.columns[c]));
  }
  const bool all_hidden = hidden == gpus.size() * (gpus.size() - 1);
  return gpus.size() >= kTwoSockets && all_hidden ? "which NVLink joins, and such boards hang on two sockets" : "";
}

/// Warns if all GPUs have the same list although some pair of them is in different domains: the list comes from a
/// virtual machine or a container that does not know better.
void doubt_equal_lists(const TextLines& lines, const SmiTable& table,
                       const std::vector<std::optional<CpuRanges>>& lists, Warnings& warnings) {
  std::vector<std::size_t> gpus;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (!is_accelerator_name(table.rows[r].name)) continue;
    gpus.push_back(r);
    if (!lists[r] || lists[r] != lists[gpus[0]]) return;
  }
  const std::string why = gpus.size() < 2 ? "" : why_apart(table, gpus);
  if (why.empty()) return;
  const SmiRow& first = table.rows[gpus[0]];
  warnings.add(lines.at(first.line, first.cpus,
                        fmt::format("{} for all {} GPUs, {}: these are all processors, not the near ones",
                                    in_quotes(first.cpus), gpus.size(), why)));
}

}  // namespace

std::vector<SmiAffinity> read_smi_affinity(const TextLines& lines, const SmiTable& table, Warnings& warnings) {
  std::vector<SmiAffinity> affinity(table.rows.size());
  std::vector<std::optional<CpuRanges>> lists(table.rows.size());
  std::vector<std::optional<CpuRanges>> as_printed(table.rows.size());
  std::map<CpuRanges, std::size_t> rows_with;
  const auto refuse = [&](std::size_t r, std::string_view cell, std::string_view why) {
    warnings.add(lines.at(
        table.rows[r].line, cell,
        fmt::format("{} {}; {} will not be bound by it", in_quotes(cell), why, printable(table.rows[r].name))));
    affinity[r] = {};
  };
  const std::vector<bool> cropped = cropped_lists(lines, table);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const SmiRow& row = table.rows[r];
    if (!is_absent(row.cpus) && goes_on(lines, row.line)) {
      refuse(r, row.cpus, "goes on in the next line, where a terminal broke it");
      continue;
    }
    if (cropped[r]) {
      refuse(r, row.cpus, "may be cut off where its line ends");
      continue;
    }
    if (row.glued_tail && !is_absent(row.cpus)) {
      refuse(r, row.cpus, "is not told apart from the cell behind it");
      continue;
    }
    if (!is_absent(row.numa)) {
      const std::optional<int> numa = parse_numa(row.numa);
      if (numa) {
        affinity[r].numa = *numa;
      } else {
        refuse(r, row.numa, "is no NUMA domain");
      }
    }
    if (is_absent(row.cpus)) continue;
    as_printed[r] = lists[r] = parse_cpu_list(row.cpus);
    if (lists[r] && is_glued(row.cpus, *lists[r])) {
      lists[r].reset();
      refuse(r, row.cpus, "looks like two cells that were glued together");
    } else if (lists[r]) {
      affinity[r].cpus = std::string(row.cpus);
      ++rows_with[*lists[r]];
    } else {
      refuse(r, row.cpus, "is no list of processors");
    }
  }
  doubt_equal_lists(lines, table, as_printed, warnings);
  for (const CpuRanges& list : contradicted(rows_with)) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (lists[r] == list) refuse(r, table.rows[r].cpus, "overlaps the processors of other rows in part");
    }
  }
  return affinity;
}

}  // namespace topowise
