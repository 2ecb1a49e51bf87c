// SPDX-License-Identifier: BSD-3-Clause
// The refinement is first improvement over all pairs of ranks and over all free places, again and again until a whole
// round gains nothing. A time depends on all messages at once, so every trial is a new simulation; the memo of active
// sets carries over from one to the next, because most sets stay as they are.
#include <topowise/predict/predicted_time.hpp>

#include <algorithm>
#include <utility>

#include <topowise/predict/simulate.hpp>

namespace topowise {
namespace {

constexpr double kWorthwhile = 1e-9;

Exchange exchange_of(const Traffic& traffic) {
  std::vector<Communication> messages;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.source != entry.destination && entry.bytes.value() > 0)
      messages.push_back({entry.source, entry.destination, entry.bytes, Seconds()});
  }
  return Exchange(std::move(messages));
}

std::vector<Place> all_places(const Topology& topology) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < topology.place_count(); ++p) places.emplace_back(p);
  return places;
}

}  // namespace

struct PredictedTime::Parts {
  Parts(const Traffic& traffic, const Topology& machine, CongestionModelName name,
        const CongestionParameters& parameters)
      : exchange(exchange_of(traffic)), topology(machine), model(machine, name, parameters), memo(model) {}
  Exchange exchange;
  Topology topology;
  CongestionModel model;
  RateMemo memo;
};

PredictedTime::PredictedTime(const Traffic& traffic, const Topology& topology, CongestionModelName model,
                             const CongestionParameters& parameters)
    : parts_(std::make_unique<Parts>(traffic, topology, model, parameters)) {}
PredictedTime::~PredictedTime() = default;
PredictedTime::PredictedTime(PredictedTime&&) noexcept = default;
PredictedTime& PredictedTime::operator=(PredictedTime&&) noexcept = default;

Seconds PredictedTime::operator()(const Mapping& mapping) {
  return simulate(parts_->memo, parts_->exchange, mapping).makespan;
}

PredictedTime::Refined PredictedTime::refine(std::span<const Mapping> candidates, std::span<const Place> allowed,
                                             std::uint64_t most, const std::function<bool()>& stop) {
  Refined best{candidates.front(), (*this)(candidates.front()), 1};
  for (const Mapping& candidate : candidates.subspan(1)) {
    const Seconds seconds = (*this)(candidate);
    ++best.predictions;
    if (seconds < best.seconds) best = {candidate, seconds, best.predictions};
  }
  std::vector<Place> places(best.mapping.places().begin(), best.mapping.places().end());
  const std::vector<Place> usable =
      allowed.empty() ? all_places(parts_->topology) : std::vector<Place>(allowed.begin(), allowed.end());
  std::vector<int> room(parts_->topology.place_count());
  for (const Place place : usable) room[place.index()] = parts_->topology.place(place).capacity;
  for (const Place place : places) --room[place.index()];
  bool gained = true;
  const auto out_of_budget = [&] { return best.predictions >= most || stop(); };
  const auto try_places = [&] {
    ++best.predictions;
    const Seconds seconds = (*this)(Mapping(places));
    if (seconds.value() >= best.seconds.value() * (1 - kWorthwhile)) return false;
    best.seconds = seconds;
    best.mapping = Mapping(places);
    gained = true;
    return true;
  };
  while (gained && !out_of_budget()) {
    gained = false;
    for (std::size_t a = 0; a < places.size() && !out_of_budget(); ++a) {
      for (std::size_t b = a + 1; b < places.size() && !out_of_budget(); ++b) {
        if (places[a] == places[b]) continue;
        std::swap(places[a], places[b]);
        if (!try_places()) std::swap(places[a], places[b]);
      }
      for (const Place place : usable) {
        if (room[place.index()] <= 0 || out_of_budget()) continue;
        const Place before = std::exchange(places[a], place);
        if (try_places()) {
          --room[place.index()];
          ++room[before.index()];
        } else {
          places[a] = before;
        }
      }
    }
  }
  return best;
}

}  // namespace topowise
