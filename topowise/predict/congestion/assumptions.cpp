// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/assumptions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include <topowise/graph/containment.hpp>
#include <topowise/predict/congestion/link_model.hpp>

namespace topowise {
namespace {

/// "NVLink of 25 GB/s a link". A width counts the links of a bond.
std::string rate_in_words(LinkKind kind, BytesPerSecond one) {
  const std::string rate = to_string(one);
  switch (kind) {
    case LinkKind::nvlink:
      return fmt::format("NVLink of {} a link", rate);
    case LinkKind::xgmi:
      return fmt::format("xGMI of {} a link", rate);
    case LinkKind::c2c:
      return fmt::format("C2C of {}", rate);
    case LinkKind::vendor_link:
      return fmt::format("the vendor's own links of {} each", rate);
    case LinkKind::pcie:
      return fmt::format("PCIe of {}", rate);
    case LinkKind::host:
      return fmt::format("links inside a socket of {}", rate);
    case LinkKind::inter_socket:
      return fmt::format("the link between sockets of {}", rate);
    case LinkKind::network:
      return fmt::format("network links of {}", rate);
    case LinkKind::abstract:
      return fmt::format("links of {}", rate);
  }
  return rate;
}

/// A reader that makes up the rate of a network link or an adapter says so by Topology::assumptions(), with the reason.
bool is_named_by_reader(const Topology& topology, const Link& link) {
  const auto is_adapter = [&](VertexId end) { return topology.vertex(end).kind == VertexKind::nic; };
  return link.kind == LinkKind::network ||
         (link.kind == LinkKind::host && (is_adapter(link.from) || is_adapter(link.to)));
}

template <class Messages>
PairsOfPlaces pairs_of_messages(const Messages& messages, const Mapping& mapping) {
  PairsOfPlaces pairs;
  for (const auto& message : messages) {
    if (!(message.bytes > Bytes(0)) || mapping[message.source] == mapping[message.destination]) continue;
    pairs.emplace_back(mapping[message.source], mapping[message.destination]);
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::vector<std::string> all_assumptions(const Topology& topology, std::span<const std::pair<Place, Place>> pairs,
                                         const CongestionParameters& parameters, bool with_model) {
  std::vector<std::string> all(topology.assumptions().begin(), topology.assumptions().end());
  if (joins_nothing(topology)) all.emplace_back("all pairs are alike, because nothing says how the places are joined");
  UsedLinks used(topology);
  const bool measured = topology.has_pair_matrix(Metric::bandwidth);
  bool alone = false;
  // Routes through a large network are long, and its links are alike.
  constexpr std::size_t kManyPairs = 4096;
  const bool is_whole_network = topology.network() != nullptr && pairs.size() > kManyPairs;
  if (is_whole_network) used.add_all();
  const bool by_links = with_model || !measured;
  for (std::size_t i = 0; i < pairs.size() && !is_whole_network && by_links; ++i) {
    const auto& [from, to] = pairs[i];
    alone = alone || (measured && topology.path_class(from, to).kind == PathKind::measured);
    used.add_route(from, to);
  }
  std::set<std::tuple<RateOrigin, LinkKind, double>> rates;
  for (const LinkId id : used.all()) {
    const Link& link = topology.link(id);
    const ModelRate rate = model_rate(topology, link, parameters);
    if (rate.origin == RateOrigin::stated || (rate.origin == RateOrigin::usual && !with_model) ||
        (rate.origin == RateOrigin::assumed && is_named_by_reader(topology, link)))
      continue;
    rates.emplace(rate.origin, link.kind, rate.bandwidth.value() / link.width);
  }
  if (alone && with_model) all.emplace_back("no wires that pairs share, of which a measured matrix says nothing");
  for (const auto& [origin, kind, one] : rates)
    all.push_back(rate_in_words(kind, BytesPerSecond(one)) +
                  (origin == RateOrigin::usual ? " where no source states it" : ""));
  return all;
}

}  // namespace

std::vector<std::string> assumptions_of(const Topology& topology, std::span<const std::pair<Place, Place>> pairs,
                                        const CongestionParameters& parameters) {
  return all_assumptions(topology, pairs, parameters, true);
}

std::vector<std::string> assumptions_of_readers(const Topology& topology,
                                                std::span<const std::pair<Place, Place>> pairs) {
  return all_assumptions(topology, pairs, {}, false);
}

PairsOfPlaces pairs_that_talk(const Traffic& traffic, const Mapping& mapping) {
  return pairs_of_messages(traffic.entries(), mapping);
}

PairsOfPlaces pairs_that_talk(const Exchange& exchange, const Mapping& mapping) {
  return pairs_of_messages(exchange.communications(), mapping);
}

PairsOfPlaces pairs_among(std::span<const Place> places) {
  constexpr std::size_t kEveryPair = 64;
  PairsOfPlaces pairs;
  const auto add = [&](std::size_t a, std::size_t b) {
    if (places[a] == places[b]) return;
    pairs.emplace_back(places[a], places[b]);
    pairs.emplace_back(places[b], places[a]);
  };
  for (std::size_t b = 1; b < places.size(); ++b) {
    if (places.size() > kEveryPair) {
      add(0, b);
      add(b - 1, b);
      continue;
    }
    for (std::size_t a = 0; a < b; ++a) add(a, b);
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace topowise
