// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_hosts.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/reading/line_prefix.hpp>
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostHosts = 4096;

/// The lines with one label, without the label.
struct Host {
  std::string_view label;
  std::string text;
  std::string table;  ///< the table's content in a form that does not depend on its layout
};

/// The content of a table as text, to compare it with another; empty if there is none.
std::string table_in(std::string_view lines_of_host) {
  const std::string text = smi_text(lines_of_host);
  Warnings ignored;
  SmiTables tables = find_smi_tables(TextLines({}, text), ignored);
  const std::optional<SmiTable>& table = tables.links ? tables.links : tables.peers;
  if (!table) return {};
  std::string said = fmt::format("{}\n", fmt::join(table->columns, " "));
  for (const SmiRow& row : table->rows)
    said += fmt::format("{} {} {} {}\n", row.name, fmt::join(row.cells, " "), row.cpus, row.numa);
  for (const auto& [number, name] : table->nic_names) said += fmt::format("{} {}\n", number, name);
  return said;
}

/// Hosts that have a table, in the order of their first headers.
std::vector<Host> hosts_in(std::string_view text) {
  std::vector<Host> hosts;
  std::map<std::string_view, std::size_t> number;
  for (std::string_view rest = text; !rest.empty() && hosts.size() < kMostHosts;) {
    const std::string_view line = take_part(rest, '\n');
    const std::string_view label = line_label(line);
    if (label.empty() || !names_first_accelerator(line.substr(label.size()))) continue;
    if (number.emplace(label, hosts.size()).second) hosts.push_back({label, {}, {}});
  }
  if (hosts.size() < 2) return {};
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_part(rest, '\n');
    const std::string_view label = line_label(line);
    if (const auto host = number.find(label); host != number.end())
      hosts[host->second].text.append(line.substr(label.size())).append("\n");
  }
  for (Host& host : hosts) host.table = table_in(host.text);
  std::erase_if(hosts, [](const Host& host) { return host.table.empty(); });
  return hosts;
}

std::string without_others(std::string_view text, std::string_view label) {
  std::string kept;
  kept.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_part(rest, '\n');
    if (line_label(line) == label) kept.append(label.size(), ' ').append(line.substr(label.size()));
    kept += '\n';
  }
  return kept;
}

std::string name_of(const Host& host) {
  std::string_view name = trim(host.label);
  if (name.ends_with(':')) name.remove_suffix(1);
  return printable(name);
}

}  // namespace

bool has_labelled_tables(std::string_view text) {
  return !hosts_in(text).empty();
}

std::string lines_of_one_host(const std::string& where, std::string text, Warnings& warnings) {
  const std::vector<Host> hosts = hosts_in(text);
  if (hosts.size() < 2) return text;
  constexpr std::size_t kShown = 5;
  std::vector<std::string> others;
  for (const Host& host : hosts) {
    if (host.table != hosts.front().table) others.push_back(name_of(host));
  }
  if (!others.empty()) {
    const std::size_t count = others.size();
    others.resize(std::min(count, kShown));
    warnings.add(fmt::format(
        "{}: holds the tables of {} hosts; {} of them differ from that of {}, which alone is read: "
        "{}{}; a file for each host and cluster:FABRIC,HOST=FILE,... describe them all",
        where, hosts.size(), count, name_of(hosts.front()), fmt::join(others, ", "), count > kShown ? ", ..." : ""));
  }
  return without_others(text, hosts.front().label);
}

}  // namespace topowise
