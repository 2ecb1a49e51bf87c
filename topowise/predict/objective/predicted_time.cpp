// SPDX-License-Identifier: BSD-3-Clause
// A time depends on all messages at once, so every mapping needs a new simulation. The memo of active sets carries over
// from one to the next, because most sets stay as they are.
//
// The bound looks at one rank at a time. The rank can keep only its heaviest partners on its own place, as many as the
// place has room for; the rest of its traffic leaves the place. Messages of one port go one after the other, and none
// is faster than the fastest pair that begins with the port. So the ports of the best place together bound the rank's
// time. Data that arrives crosses a last link into the place, and the last links of the best place together bound the
// time as well.
#include <topowise/predict/objective/predicted_time.hpp>

#include <algorithm>
#include <map>
#include <numeric>

#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/predict/objective/injection.hpp>

namespace topowise {
namespace {

double sum_of(const std::map<std::uint32_t, double>& rates) {
  return std::accumulate(rates.begin(), rates.end(), 0.0,
                         [](double sum, const auto& rate) { return sum + rate.second; });
}

/// Bytes/s that leave the best place, and bytes/s that reach the best place.
struct BestRates {
  double out = 0;
  double in = 0;
};

BestRates best_rates(CongestionModel& model, std::span<const Place> places) {
  BestRates best;
  std::vector<std::map<std::uint32_t, double>> in(places.size());
  for (const Place from : places) {
    std::map<std::uint32_t, double> out;
    for (std::size_t to = 0; to < places.size(); ++to) {
      if (places[to] == from) continue;
      const CongestionModel::Flow flow = model.flow(from, places[to]);
      double& fastest = out[model.port(flow)];
      fastest = std::max(fastest, model.rate_alone(flow));
      const std::span<const std::uint32_t> links = model.links(flow);
      // A pair that is only measured has no links. Beside all others it can still be as fast as it is alone.
      if (links.empty()) {
        in[to][static_cast<std::uint32_t>(model.link_count() + from.index())] = model.rate_alone(flow);
      } else {
        in[to][links.back()] = model.link_limit(links.back());
      }
    }
    best.out = std::max(best.out, sum_of(out));
  }
  for (const auto& rates : in) best.in = std::max(best.in, sum_of(rates));
  return best;
}

}  // namespace

struct PredictedTime::Parts {
  Parts(const Traffic& given, const Topology& topology, CongestionModelName name,
        const CongestionParameters& parameters)
      : traffic(given), exchange(one_message_a_pair(given)), model(topology, name, parameters), memo(model) {}
  Traffic traffic;
  Exchange exchange;
  CongestionModel model;
  RateMemo memo;
  std::size_t messages = 0;  ///< number of messages of all calls so far
};

PredictedTime::PredictedTime(const Traffic& traffic, const Topology& topology, CongestionModelName model,
                             const CongestionParameters& parameters)
    : parts_(std::make_unique<Parts>(traffic, topology, model, parameters)) {}
PredictedTime::~PredictedTime() = default;
PredictedTime::PredictedTime(PredictedTime&&) noexcept = default;
PredictedTime& PredictedTime::operator=(PredictedTime&&) noexcept = default;

Seconds PredictedTime::operator()(const Mapping& mapping) {
  parts_->messages += parts_->exchange.communications().size();
  return simulate(parts_->memo, parts_->exchange, mapping).makespan;
}

std::vector<double> PredictedTime::link_limits() const {
  std::vector<double> limits;
  for (std::uint32_t link = 0; link < parts_->model.link_count(); ++link)
    limits.push_back(parts_->model.link_limit(link));
  return limits;
}

double PredictedTime::steps() const {
  // The weights fit patterns of 48 to 64 messages on machines of 8 and 16 GPUs, within a third of the time of each.
  constexpr double kComputedRate = 3.5;
  constexpr double kMessage = 3.5;
  const RateMemo& memo = parts_->memo;
  return static_cast<double>(memo.asked_flows()) + kComputedRate * static_cast<double>(memo.computed_flows()) +
         kMessage * static_cast<double>(parts_->messages);
}

Seconds PredictedTime::lower_bound(std::span<const Place> places, std::size_t ranks_a_place) {
  const BestRates rates = best_rates(parts_->model, places);
  return injection_time(Partners(parts_->traffic), ranks_a_place - 1, BytesPerSecond(rates.out),
                        BytesPerSecond(rates.in));
}

}  // namespace topowise
