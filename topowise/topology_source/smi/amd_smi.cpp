// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/node/device_topology.hpp>
#include <topowise/topology_source/smi/amd_links.hpp>
#include <topowise/topology_source/smi/amd_records.hpp>

namespace topowise {
namespace {

/// True for a full bus id, with its domain: "0000:0c:00.0".
bool is_bus_id(std::string_view word) {
  return std::ranges::count(word, ':') == 2 && PciAddress::parse(word).has_value();
}

/// The table of `amd-smi xgmi`: one line per GPU with the rate of its links, then its counters to each other GPU.
struct XgmiReport {
  std::vector<std::string_view> columns;
  std::string wrong;  ///< the first rate that is none, located
  struct Row {
    std::string_view bus_id;
    BytesPerSecond per_link;
    std::vector<bool> linked;  ///< by column: true if it holds a counter, not N/A
  };
  std::vector<Row> rows;
};

constexpr std::size_t kBandwidth = 4;  ///< the word of the rate in a line GPU, bdf, bit_rate, max_bandwidth, link_type

bool has_max_bandwidth(const std::vector<std::string_view>& words) {
  return words.size() > kBandwidth + 1 && words[kBandwidth + 1] == "Gb/s" && words[kBandwidth] != "N/A";
}

/// The rate "512 Gb/s" after "32 Gb/s".
BytesPerSecond parse_max_bandwidth(const std::vector<std::string_view>& words) {
  if (!has_max_bandwidth(words)) return {};
  const std::optional<double> gigabits = parse_double(words[kBandwidth]);
  constexpr double kLargest = 1e6;
  return gigabits && *gigabits > 0 && *gigabits < kLargest ? BytesPerSecond(*gigabits * 1e9 / 8) : BytesPerSecond();
}

/// Reads the cells of a counter line: "N/A" or a number and its unit.
std::vector<bool> parse_counters(const std::vector<std::string_view>& words) {
  std::vector<bool> counted;
  for (std::size_t w = 1; w < words.size(); ++w) {
    const bool is_number = is_digit(words[w].front());
    if (is_number || words[w] == "N/A") counted.push_back(is_number);
  }
  return counted;
}

XgmiReport read_xgmi(const TextLines& lines) {
  XgmiReport report;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::vector<std::string_view> words = split_blanks(lines[l]);
    if (words.size() < 2) continue;
    if (words[0] == "bdf" && report.columns.empty()) {
      std::ranges::copy_if(words, std::back_inserter(report.columns), is_bus_id);
    } else if (is_gpu_name(words[0]) && is_bus_id(words[1])) {
      if (report.rows.size() > DeviceMatrix::kMost)
        fail(lines.at(l, {}, fmt::format("more than {} GPUs in one machine", DeviceMatrix::kMost)));
      report.rows.push_back({words[1], parse_max_bandwidth(words), {}});
      if (has_max_bandwidth(words) && report.wrong.empty() && !(report.rows.back().per_link.value() > 0))
        report.wrong = located(lines.at(
            l, words[kBandwidth], fmt::format("{} is no rate in Gb/s: it is not used", in_quotes(words[kBandwidth]))));
    } else if (words[0] == "Read" && !report.rows.empty()) {
      report.rows.back().linked = parse_counters(words);
    }
  }
  return report;
}

/// Bus ids in the order in which they are printed, which is the order of the tool's GPU numbers.
std::vector<std::string_view> find_gpus(const TextLines& lines, const std::vector<AmdTable>& tables,
                                        const XgmiReport& report) {
  std::vector<std::string_view> ids;
  std::set<std::string_view> seen;
  const auto add = [&](std::string_view id) {
    if (seen.insert(id).second) ids.push_back(id);
    if (ids.size() > DeviceMatrix::kMost)
      fail({lines.where(), {}, fmt::format("more than {} GPUs in one machine", DeviceMatrix::kMost), {}, {}});
  };
  for (const AmdTable& table : tables) {
    for (const std::string_view id : table.columns) add(id);
    for (const AmdTable::Row& row : table.rows) add(row.name);
  }
  for (const std::string_view id : report.columns) add(id);
  for (const XgmiReport::Row& row : report.rows) add(row.bus_id);
  return ids;
}

void read_links(const std::vector<AmdTable>& tables, const XgmiReport& report, AmdLinks& links) {
  for (const AmdTable& table : tables) {
    if (table.title == "WEIGHT TABLE") links.read_weights(table);
    if (table.title == "HOPS TABLE") links.read_hops(table);
    if (table.title == "LINK TYPE TABLE") links.read_types(table);
    if (table.title == "NUMA BW TABLE") links.read_bandwidths(table);
    if (table.title == "ACCESS TABLE") links.read_access(table);
  }
  for (const XgmiReport::Row& row : report.rows) {
    const std::optional<std::size_t> a = links.index_of(row.bus_id);
    for (std::size_t c = 0; c < std::min(row.linked.size(), report.columns.size()); ++c) {
      const std::optional<std::size_t> b = links.index_of(report.columns[c]);
      if (row.linked[c] && a && b && a != b) links.set_xgmi(*a, *b, row.per_link);
    }
  }
}

/// True for the list of `amd-smi topology --json`.
bool looks_like_json(std::string_view head) {
  if (amd_json_begin(head, '[') == std::string_view::npos || head.find("\"gpu\"") == std::string_view::npos)
    return false;
  return head.find("\"link_type\"") != std::string_view::npos || head.find("\"weight\"") != std::string_view::npos ||
         head.find("\"num_hops\"") != std::string_view::npos || head.find("\"hops\"") != std::string_view::npos;
}

bool recognises(std::string_view head) {
  if (looks_like_json(head) || looks_like_amd_csv(head)) return true;
  for (const std::string_view word : {"LINK TYPE TABLE:", "WEIGHT TABLE:", "HOPS TABLE:", "LINK METRIC TABLE:"}) {
    if (head.find(word) != std::string_view::npos) return true;
  }
  return false;
}

Topology topology_of(const TextLines& lines, const AmdRecords& records) {
  if (records.gpus().empty())
    fail({lines.where(), {}, "no GPU in this output of 'amd-smi topology'", {}, "amd-smi topology --json > FILE"});
  Warnings warnings;
  std::vector<Device> devices;
  std::vector<std::string> names;
  for (const auto& [number, gpu] : records.gpus()) {
    names.push_back(fmt::format("GPU{}", number));
    devices.push_back({.name = names.back(), .pci = PciAddress::parse(gpu.bus_id), .number = static_cast<int>(number)});
  }
  DeviceMatrix matrix(std::move(devices));
  AmdLinks links(lines, {names.begin(), names.end()}, warnings);
  records.pass_to(links, warnings);
  links.pass_to(matrix);
  return build_topology(lines.where(), matrix, origin::kAmdSmi, warnings);
}

Topology read(const std::string& where, std::string_view input) {
  std::string cleaned;
  std::string_view text = plain_text(input, cleaned);
  const std::size_t json = amd_json_begin(text, '[');
  const bool is_json = json != std::string_view::npos;
  if (is_json) text = without_banner(text, json, cleaned);
  const TextLines lines(where, text, is_json ? text.size() : kLongestLine);
  if (is_json) {
    const JsonDocument document = parse_json(where, text);
    return topology_of(lines, read_amd_json(JsonNode(document)));
  }
  if (looks_like_amd_csv(text)) return topology_of(lines, read_amd_csv(lines));
  Warnings warnings;
  const std::vector<AmdTable> tables = find_amd_tables(lines, is_bus_id);
  const XgmiReport report = read_xgmi(lines);
  const std::vector<std::string_view> ids = find_gpus(lines, tables, report);
  if (ids.empty()) {
    Diagnostic diagnostic{.where = where, .what = "no table of 'amd-smi topology' or 'amd-smi xgmi' found"};
    diagnostic.hint = "--format NAME chooses another format";
    fail(std::move(diagnostic));
  }
  std::vector<Device> devices;
  devices.reserve(ids.size());
  for (const std::string_view id : ids)
    devices.push_back({.name = fmt::format("GPU{}", devices.size()),
                       .pci = PciAddress::parse(id),
                       .number = static_cast<int>(devices.size())});
  DeviceMatrix matrix(std::move(devices));
  if (!report.wrong.empty()) warnings.add(report.wrong);
  for (const std::string_view title :
       {"WEIGHT TABLE", "HOPS TABLE", "LINK TYPE TABLE", "NUMA BW TABLE", "ACCESS TABLE"}) {
    if (text.find(fmt::format("{}:", title)) != std::string_view::npos &&
        std::ranges::none_of(tables, [&](const AmdTable& table) { return table.title == title; }))
      warnings.add(fmt::format("{}: no header of bus ids is below '{}': the table is not read", where, title));
  }
  AmdLinks links(lines, ids, warnings);
  read_links(tables, report, links);
  links.pass_to(matrix);
  return build_topology(where, matrix, origin::kAmdSmi, warnings);
}

}  // namespace

const TopologyFormat kAmdSmiFormat{"amd-smi", "amd-smi topology (also --json, --csv), amd-smi xgmi", recognises, read};

}  // namespace topowise
