// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/link_shares.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace topowise {

LinkShares link_shares(const Topology& topology, const std::vector<Bytes>& before, const std::vector<Bytes>& after) {
  const std::size_t links = topology.links().size();
  if (links == 0 || before.size() != links || after.size() != links) return {};
  LinkShares shares{before, after, std::vector<double>(links), std::vector<double>(links), true};
  for (std::size_t l = 0; l < links; ++l) {
    const bool used = before[l].value() > 0 || after[l].value() > 0;
    shares.in_time = shares.in_time && (!used || topology.links()[l].bandwidth.value() > 0);
  }
  double most = 0;
  for (std::size_t l = 0; l < links; ++l) {
    const double rate = topology.links()[l].bandwidth.value();
    const double scale = shares.in_time && rate > 0 ? rate : 1.0;
    shares.before[l] = before[l].value() / scale;
    shares.after[l] = after[l].value() / scale;
    most = std::max({most, shares.before[l], shares.after[l]});
  }
  for (std::size_t l = 0; most > 0 && l < links; ++l) {
    shares.before[l] /= most;
    shares.after[l] /= most;
  }
  return shares;
}

std::string link_name(const Topology& topology, const Link& link) {
  const std::string from = node_name(topology, link.from);
  const std::string to = node_name(topology, link.to);
  const std::string text = fmt::format("{} to {}", name_in_node(topology, link.from), name_in_node(topology, link.to));
  if (from.empty() && to.empty()) return text;
  return fmt::format("{}: {}", from.empty() ? to : from, text);
}

std::vector<std::size_t> fullest(const std::vector<double>& shares, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t l = 0; l < shares.size(); ++l) {
    if (shares[l] > 0) order.push_back(l);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  if (order.size() > most) order.resize(most);
  return order;
}

}  // namespace topowise
