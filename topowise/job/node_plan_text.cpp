// SPDX-License-Identifier: BSD-3-Clause
// Reports and orders as lines "key value". They only pass through shared memory between processes of one program, so no
// other program reads this format.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/job/node_plan.hpp>

namespace topowise::job {
namespace {

/// Replaces line ends in the value: a list of devices has none.
std::string line(std::string_view key, std::string value) {
  std::ranges::replace(value, '\n', ' ');
  return fmt::format("{} {}\n", key, value);
}

template <class Take>
void each_line(const std::string& text, Take take) {
  for (const std::string_view whole : split(text, '\n')) {
    const std::size_t blank = whole.find(' ');
    if (blank != std::string_view::npos) take(whole.substr(0, blank), std::string(whole.substr(blank + 1)));
  }
}

/// Splits "NAME=VALUE".
std::pair<std::string, std::string> assignment(const std::string& text) {
  const std::size_t sign = std::min(text.find('='), text.size());
  return {text.substr(0, sign), sign < text.size() ? text.substr(sign + 1) : std::string()};
}

std::size_t whole_number(const std::string& text) {
  const std::optional<std::int64_t> value = parse_integer(text);
  return value && *value >= 0 ? static_cast<std::size_t>(*value) : 0;
}

JobShare::List list_from_text(const std::string& text) {
  const auto [source, gpus] = assignment(text);
  JobShare::List list{source, {}};
  for (const std::string_view gpu : split(gpus, ',')) list.gpus.emplace_back(gpu);
  return list;
}

}  // namespace

std::vector<std::string> reported_variables() {
  std::vector<std::string> names = visible_devices_variables();
  names.insert(names.end(), {"UCX_NET_DEVICES", "NCCL_IB_HCA", "MPICH_OFI_NIC_POLICY", "MPICH_OFI_NIC_MAPPING"});
  return names;
}

std::optional<std::string> RankReport::variable(const std::string& name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::nullopt : std::optional(found->second);
}

std::string to_text(const RankReport& report) {
  std::string text = line("rank", std::to_string(report.rank));
  for (const auto& [name, value] : report.variables) text += line("variable", fmt::format("{}={}", name, value));
  for (const JobShare::List& list : report.share.lists)
    text += line("share", fmt::format("{}={}", list.source, fmt::join(list.gpus, ",")));
  if (report.share.count)
    text += line("count", fmt::format("{}={}", report.share.count->source, report.share.count->gpus));
  if (!report.share.unread.empty()) text += line("unread", report.share.unread);
  return text;
}

RankReport report_from_text(const std::string& text) {
  RankReport report;
  each_line(text, [&](std::string_view key, const std::string& value) {
    if (key == "rank") report.rank = whole_number(value);
    if (key == "variable") report.variables.insert(assignment(value));
    if (key == "share") report.share.lists.push_back(list_from_text(value));
    if (key == "unread") report.share.unread = value;
    if (key == "count") {
      const auto [source, gpus] = assignment(value);
      report.share.count = JobShare::Count{source, whole_number(gpus)};
    }
  });
  return report;
}

std::string to_text(const RankOrders& orders) {
  std::string text = "orders of one rank\n";
  if (orders.gpu) {
    text += line("gpu", orders.gpu->name) + line("uuid", orders.gpu->uuid) + line("cpus", orders.gpu->cpus) +
            line("numa", std::to_string(orders.gpu->numa));
    if (orders.gpu->pci) text += line("pci", orders.gpu->pci->to_string());
    text += line("vendor", std::string(to_string(orders.gpu->vendor)));
    for (const std::string& name : orders.among) text += line("among", name);
    text += line("number", std::to_string(orders.number));
  }
  for (const auto& [name, value] : orders.variables) text += line("set", fmt::format("{}={}", name, value));
  for (const std::string& nic : orders.nics) text += line("nic", nic);
  if (!orders.record_into.empty()) text += line("record", orders.record_into);
  return text;
}

RankOrders orders_from_text(const std::string& text) {
  RankOrders orders;
  each_line(text, [&](std::string_view key, const std::string& value) {
    if (key == "gpu") orders.gpu = NodeGpu{.name = value, .pci = {}, .uuid = {}, .cpus = {}};
    if (key == "set") orders.variables.push_back(assignment(value));
    if (key == "nic") orders.nics.push_back(value);
    if (key == "record") orders.record_into = value;
    if (!orders.gpu) return;
    if (key == "uuid") orders.gpu->uuid = value;
    if (key == "cpus") orders.gpu->cpus = value;
    if (key == "vendor") orders.gpu->vendor = parse_gpu_vendor(value).value_or(GpuVendor::unknown);
    if (key == "numa") orders.gpu->numa = static_cast<int>(parse_integer(value).value_or(-1));
    if (key == "pci") orders.gpu->pci = PciAddress::parse(value);
    if (key == "among") orders.among.push_back(value);
    if (key == "number") orders.number = whole_number(value);
  });
  return orders;
}

}  // namespace topowise::job
