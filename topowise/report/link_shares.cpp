// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/link_shares.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace topowise {
namespace {

std::string ends_in_words(const Topology& topology, const Link& link, std::string_view between) {
  const std::string from = node_name(topology, link.from);
  const std::string to = node_name(topology, link.to);
  const std::string text =
      fmt::format("{}{}{}", name_in_node(topology, link.from), between, name_in_node(topology, link.to));
  if (from.empty() && to.empty()) return text;
  return fmt::format("{}: {}", from.empty() ? to : from, text);
}

}  // namespace

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
  return ends_in_words(topology, link, " to ");
}

std::vector<WireShare> wire_shares(const Topology& topology, const LinkShares& shares) {
  using Ends = std::tuple<VertexId, VertexId, LinkKind>;
  std::map<Ends, std::vector<std::size_t>> alone;  // wires whose way back has not come yet
  std::vector<WireShare> wires;
  for (std::size_t l = 0; l < topology.links().size(); ++l) {
    const Link& link = topology.links()[l];
    if (std::vector<std::size_t>& back = alone[{link.to, link.from, link.kind}]; !back.empty()) {
      WireShare& wire = wires[back.front()];
      back.erase(back.begin());
      wire.bytes_before += shares.bytes_before[l];
      wire.bytes_after += shares.bytes_after[l];
      if (shares.before[l] > shares.before[wire.fuller_before]) wire.fuller_before = l;
      if (shares.after[l] > shares.after[wire.fuller_after]) wire.fuller_after = l;
      continue;
    }
    alone[{link.from, link.to, link.kind}].push_back(wires.size());
    wires.push_back({l, shares.bytes_before[l], shares.bytes_after[l], l, l});
  }
  return wires;
}

std::string wire_name(const Topology& topology, const WireShare& wire) {
  return ends_in_words(topology, topology.links()[wire.link], " \u2013 ");
}

std::vector<WireShare> fullest(std::vector<WireShare> wires, const LinkShares& shares, std::size_t most) {
  const auto before = [&](const WireShare& wire) { return shares.before[wire.fuller_before]; };
  const auto after = [&](const WireShare& wire) { return shares.after[wire.fuller_after]; };
  std::set<std::size_t> chosen;
  const auto choose = [&](const auto& share) {
    std::ranges::stable_sort(wires, std::greater(), share);
    for (std::size_t w = 0; w < std::min(most, wires.size()) && share(wires[w]) > 0; ++w) chosen.insert(wires[w].link);
  };
  std::ranges::sort(wires, std::less(), &WireShare::link);
  choose(after);
  std::ranges::sort(wires, std::less(), &WireShare::link);
  choose(before);
  std::erase_if(wires, [&](const WireShare& wire) { return !chosen.contains(wire.link); });
  std::ranges::stable_sort(wires, std::greater(),
                           [&](const WireShare& wire) { return std::max(before(wire), after(wire)); });
  return wires;
}

}  // namespace topowise
