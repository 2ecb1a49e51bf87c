// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/assumptions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace topowise {
namespace {

std::string_view name_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
      return "NVLink";
    case LinkKind::xgmi:
      return "xGMI";
    case LinkKind::c2c:
      return "C2C";
    case LinkKind::vendor_link:
      return "the vendor's own link";
    case LinkKind::pcie:
      return "PCIe";
    case LinkKind::inter_socket:
      return "the link between sockets";
    default:
      return "";
  }
}

}  // namespace

std::vector<std::string> assumptions_of(const Topology& topology, bool about_rates) {
  std::vector<std::string> all(topology.assumptions().begin(), topology.assumptions().end());
  if (!about_rates) return all;
  const bool guesses = std::ranges::any_of(topology.links(), [](const Link& link) {
    return link.kind == LinkKind::vendor_link && !(link.bandwidth.value() > 0);
  });
  if (guesses) all.emplace_back("the model's own rate for the vendor's links, which nobody states");
  std::set<std::pair<LinkKind, double>> rates;
  for (const Link& link : topology.links()) {
    if (!link.source.is_assumed() || !(link.bandwidth.value() > 0)) continue;
    rates.emplace(link.kind, link.bandwidth.value() / link.width);
  }
  for (const auto& [kind, rate] : rates) {
    if (!name_of(kind).empty())
      all.push_back(fmt::format("{} of {}{}", name_of(kind), to_string(BytesPerSecond(rate)),
                                kind == LinkKind::nvlink || kind == LinkKind::xgmi ? " a link" : ""));
  }
  return all;
}

}  // namespace topowise
