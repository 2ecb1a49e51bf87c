// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/node/device_topology.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>
#include <topowise/topology_source/smi/amd_links.hpp>
#include <topowise/topology_source/smi/amd_records.hpp>

namespace topowise {
namespace {

/// NUMA domains alone: the bonds between the GPUs are hidden.
void warn_of_numa_only(const std::string& where, Warnings& warnings) {
  warnings.assume(std::string(kNoOtherBonds));
  warnings.add(fmt::format("{}: only NUMA domains, no links between GPUs: it {}; rocm-smi --showtopo prints both",
                           where, kBondsNotShown));
}

/// The number of the GPU at the beginning of "GPU[3]  : ..." or "GPU 3  : ...".
std::optional<std::int64_t> leading_gpu(std::string_view line) {
  constexpr std::string_view kPrefix = "GPU";
  line = trim(line);
  if (!line.starts_with(kPrefix)) return std::nullopt;
  line.remove_prefix(kPrefix.size());
  while (!line.empty() && (line.front() == '[' || is_blank(line.front()))) line.remove_prefix(1);
  const auto end = std::ranges::find_if_not(line, is_digit);
  const std::optional<std::int64_t> number =
      parse_integer(line.substr(0, static_cast<std::size_t>(end - line.begin())));
  return number && *number < static_cast<std::int64_t>(DeviceMatrix::kMost) ? number : std::nullopt;
}

/// The numbers in "(Topology) Numa Node: 3" and "(Topology) Numa Affinity: 3".
struct NumaLines {
  std::map<std::int64_t, int> node;
  std::map<std::int64_t, int> affinity;
};

NumaLines read_numa(const TextLines& lines) {
  NumaLines found;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::optional<std::int64_t> gpu = leading_gpu(lines[l]);
    const std::size_t colon = lines[l].rfind(':');
    if (!gpu || colon == std::string_view::npos) continue;
    const std::optional<std::int64_t> value = parse_integer(trim(lines[l].substr(colon + 1)));
    if (!value || *value < -1 || *value > 1'000'000) continue;
    if (lines[l].find("Numa Node") != std::string_view::npos) found.node[*gpu] = static_cast<int>(*value);
    if (lines[l].find("Numa Affinity") != std::string_view::npos) found.affinity[*gpu] = static_cast<int>(*value);
  }
  return found;
}

/// The GPUs of all tables and of the NUMA lines, by number.
std::vector<std::string> find_gpus(const TextLines& lines, const std::vector<AmdTable>& tables, const NumaLines& numa) {
  std::map<std::int64_t, std::string> gpus;
  for (const auto& [gpu, domain] : numa.node) gpus.emplace(gpu, fmt::format("GPU{}", gpu));
  for (const auto& [gpu, domain] : numa.affinity) gpus.emplace(gpu, fmt::format("GPU{}", gpu));
  for (const AmdTable& table : tables) {
    for (const std::string_view name : table.columns) gpus.emplace(*parse_integer(name.substr(3)), name);
    for (const AmdTable::Row& row : table.rows) gpus.emplace(*parse_integer(row.name.substr(3)), row.name);
    if (gpus.size() > DeviceMatrix::kMost)
      fail(lines.at(table.header_line, {}, fmt::format("more than {} GPUs in one machine", DeviceMatrix::kMost)));
  }
  std::vector<std::string> names;
  names.reserve(gpus.size());
  for (auto& [gpu, name] : gpus) names.push_back(std::move(name));
  return names;
}

/// Makes the devices. A GPU whose two NUMA numbers differ is bound to neither, because their meaning depends on the
/// tool's version.
std::vector<Device> make_devices(const std::string& where, const std::vector<std::string>& names, const NumaLines& numa,
                                 Warnings& warnings) {
  std::vector<Device> devices;
  std::vector<std::string> differing;
  for (const std::string& name : names) {
    const std::int64_t gpu = *parse_integer(std::string_view(name).substr(3));
    const auto node = numa.node.find(gpu);
    const auto affinity = numa.affinity.find(gpu);
    Device device{.name = name, .number = static_cast<int>(gpu)};
    if (node != numa.node.end()) device.numa = node->second;
    if (affinity != numa.affinity.end()) device.numa = affinity->second;
    if (node != numa.node.end() && affinity != numa.affinity.end() && node->second != affinity->second) {
      device.numa = -1;
      differing.push_back(name);
    }
    devices.push_back(std::move(device));
  }
  if (!differing.empty())
    warnings.add(fmt::format("{}: Numa Node and Numa Affinity differ for {}; they will not be bound by either", where,
                             fmt::join(differing, ", ")));
  return devices;
}

void report_tool_errors(const TextLines& lines, Warnings& warnings) {
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::string text = lower(lines[l].substr(0, 400));
    if (text.find("error") != std::string::npos || text.find("not supported") != std::string::npos)
      warnings.add(lines.at(l, {}, fmt::format("the tool says {}", in_quotes(trim(lines[l])))));
  }
}

bool read_links(const std::vector<AmdTable>& tables, AmdLinks& links) {
  const auto titled = [](const AmdTable& table, std::string_view start) { return table.title.starts_with(start); };
  bool any = false;
  for (const AmdTable& table : tables) {
    any = true;
    if (titled(table, "Weight between")) {
      links.read_weights(table);
    } else if (titled(table, "Hops between")) {
      links.read_hops(table);
    } else if (titled(table, "Link Type between")) {
      links.read_types(table);
    } else if (titled(table, "Link accessibility between")) {
      links.read_access(table);
    }
  }
  return any;
}

/// Reads the output of `rocm-smi --showtopo --json`.
Topology read_json(const TextLines& lines, const AmdRecords& records) {
  Warnings warnings;
  NumaLines numa;
  std::vector<std::string> names;
  for (const auto& [number, gpu] : records.gpus()) {
    names.push_back(fmt::format("GPU{}", number));
    if (gpu.numa_node) numa.node[number] = *gpu.numa_node;
    if (gpu.numa_affinity) numa.affinity[number] = *gpu.numa_affinity;
  }
  if (names.empty()) fail({lines.where(), {}, "no GPU in this output of 'rocm-smi --showtopo'", {}, {}});
  DeviceMatrix matrix(make_devices(lines.where(), names, numa, warnings));
  AmdLinks links(lines, {names.begin(), names.end()}, warnings);
  records.pass_to(links, warnings);
  if (records.statements().empty())
    warn_of_numa_only(lines.where(), warnings);
  else
    links.pass_to(matrix);
  return build_topology(lines.where(), matrix, origin::kRocmSmi, warnings);
}

bool recognises(std::string_view head) {
  for (const std::string_view word :
       {"(Topology) Numa ", "(Topology) Weight ", "(Topology) Hops ", "(Topology) Link type ",
        "Weight between two GPUs", "Hops between two GPUs", "Link Type between two GPUs"}) {
    if (head.find(word) != std::string_view::npos) return true;
  }
  return false;
}

Topology read(const std::string& where, std::string_view input) {
  std::string cleaned;
  std::string_view text = plain_text(input, cleaned);
  const std::size_t json = amd_json_begin(text, '{');
  const bool is_json = json != std::string_view::npos;
  if (is_json) text = without_banner(text, json, cleaned);
  const TextLines lines(where, text, is_json ? text.size() : kLongestLine);
  if (is_json) {
    const JsonDocument document = parse_json(where, text);
    return read_json(lines, read_rocm_json(JsonNode(document)));
  }
  Warnings warnings;
  const NumaLines numa = read_numa(lines);
  const std::vector<AmdTable> tables = find_amd_tables(lines, is_gpu_name);
  const std::vector<std::string> names = find_gpus(lines, tables, numa);
  if (names.empty()) {
    Diagnostic diagnostic{.where = where, .what = "no table of 'rocm-smi --showtopo' found"};
    diagnostic.hint = "--format NAME chooses another format";
    fail(std::move(diagnostic));
  }
  report_tool_errors(lines, warnings);
  DeviceMatrix matrix(make_devices(where, names, numa, warnings));
  AmdLinks links(lines, {names.begin(), names.end()}, warnings);
  if (read_links(tables, links)) {
    links.pass_to(matrix);
  } else {
    warn_of_numa_only(where, warnings);
  }
  return build_topology(where, matrix, origin::kRocmSmi, warnings);
}

}  // namespace

const TopologyFormat kRocmSmiFormat{"rocm-smi", "rocm-smi --showtopo (also --json)", recognises, read};

}  // namespace topowise
