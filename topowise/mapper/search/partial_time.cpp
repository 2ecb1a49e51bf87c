// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/partial_time.hpp>

#include <algorithm>

#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>

namespace topowise {

PartialTime::PartialTime(const MapProblem& problem)
    : partners_(problem.traffic), position_(problem.topology.place_count(), 0), place_of_(problem.traffic.ranks()) {
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  count_ = all.size();
  CongestionModel model(problem.topology, CongestionModelName::automatic);
  links_ = model.link_count();
  for (std::size_t a = 0; a < count_; ++a) {
    position_[all[a].place.index()] = a;
    for (std::size_t b = 0; b < count_; ++b) {
      Way way;
      if (a != b) {
        const CongestionModel::Flow flow = model.flow(all[a].place, all[b].place);
        way.port = model.port(flow);
        way.latency = model.latency(flow).value();
        way.seconds_a_byte = 1 / model.rate_alone(flow);
        for (const std::uint32_t link : model.links(flow)) way.links.emplace_back(link, 1 / model.link_limit(link));
      }
      ways_.push_back(std::move(way));
    }
  }
  // A pair whose rate is measured is as fast as that, whatever its links are said to be.
  if (problem.topology.has_pair_matrix(Metric::bandwidth))
    for (Way& way : ways_) way.links.clear();
  busy_.assign(links_ + model.port_count(), 0.0);
}

void PartialTime::put(std::size_t rank, Place place) {
  place_of_[rank] = place;
  order_.push_back(rank);
  most_busy_ = least_.back();
  add_messages(rank, 1);
  least_.push_back(most_busy_);
}

void PartialTime::take_away() {
  add_messages(order_.back(), -1);
  place_of_[order_.back()].reset();
  order_.pop_back();
  least_.pop_back();
}

const PartialTime::Way& PartialTime::way(Place from, Place to) const {
  return ways_[position_[from.index()] * count_ + position_[to.index()]];
}

void PartialTime::add(Place from, Place to, double bytes, double sign) {
  if (bytes <= 0) return;
  const Way& taken = way(from, to);
  const auto occupy = [&](double& busy, double seconds) {
    busy += sign * seconds;
    most_busy_ = std::max(most_busy_, busy);
  };
  occupy(busy_[links_ + taken.port], taken.latency + bytes * taken.seconds_a_byte);
  for (const auto& [link, seconds_a_byte] : taken.links) occupy(busy_[link], bytes * seconds_a_byte);
}

void PartialTime::add_messages(std::size_t rank, double sign) {
  const Place here = *place_of_[rank];
  for (const Partner& partner : partners_.of(Rank(rank))) {
    const std::optional<Place> there = place_of_[partner.rank.index()];
    if (!there || *there == here) continue;
    add(here, *there, partner.sent, sign);
    add(*there, here, partner.received, sign);
  }
}

}  // namespace topowise
