// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/load_balance.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/predict/objective/incremental.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostTrials = std::size_t{1} << 22;
constexpr double kRounding = 1e-9;

double above(double load, double share) {
  return std::max(0.0, load - (1 + kMostAboveShare) * share);
}

/// The traffic with vertices that neither send nor work, up to as many as there are processes: an exchange with one of
/// them is a move.
Traffic filled_up(const Traffic& traffic, std::size_t processes) {
  if (traffic.ranks() == processes) return traffic;
  std::vector<TrafficEntry> entries;
  for (const TrafficEntry& entry : traffic.entries()) entries.push_back(entry);
  return Traffic::from_entries(processes, std::move(entries));
}

}  // namespace

LoadBalance::LoadBalance(std::vector<int> loads, const JobMachine& machine)
    : loads_(std::move(loads)),
      share_(machine.topology.place_count(), 0),
      processes_(machine.topology.place_count(), 0) {
  if (loads_.empty()) return;
  const auto work = static_cast<double>(std::accumulate(loads_.begin(), loads_.end(), std::int64_t{0}));
  loads_.resize(machine.place_of_process.size(), 0);
  for (const Place place : machine.place_of_process) ++processes_[place.index()];
  double whole = 0;
  for (std::size_t place = 0; place < share_.size(); ++place) {
    if (processes_[place] == 0) continue;
    share_[place] = machine.power.empty() ? processes_[place] : machine.power[place];
    whole += share_[place];
  }
  for (double& share : share_) share *= work / whole;
}

std::vector<double> LoadBalance::loads_of_places(const Mapping& mapping) const {
  std::vector<double> loads(share_.size(), 0);
  for (std::size_t vertex = 0; vertex < mapping.ranks(); ++vertex)
    loads[mapping[Rank(vertex)].index()] += loads_[vertex];
  return loads;
}

double LoadBalance::fullest(const Mapping& mapping) const {
  if (!is_known()) return 0;
  const std::vector<double> loads = loads_of_places(mapping);
  double most = 0;
  for (std::size_t place = 0; place < loads.size(); ++place) {
    if (share_[place] > 0) most = std::max(most, loads[place] / share_[place] - 1);
  }
  return most;
}

std::pair<double, double> LoadBalance::burden(const Mapping& mapping) const {
  if (!is_known()) return {};
  const std::vector<double> loads = loads_of_places(mapping);
  double sum = 0;
  for (std::size_t place = 0; place < loads.size(); ++place) sum += above(loads[place], share_[place]);
  return {std::max(fullest(mapping), kMostAboveShare), sum};
}

namespace {

/// A mapping whose vertices change places in pairs.
class Exchanges {
 public:
  Exchanges(std::unique_ptr<IncrementalCost> cost, const std::vector<int>& work, const std::vector<double>& share,
            std::vector<double> loads)
      : cost_(std::move(cost)), work_(work), share_(share), loads_(std::move(loads)) {}

  /// Makes the exchange after which the least work is above the shares, of equal ones the cheapest. False if none
  /// helps.
  bool relieve() {
    find_fullest();
    std::pair<std::size_t, std::size_t> pair;
    double most = 0;
    double gain_of_most = 0;
    for (std::size_t a = 0; a < work_.size(); ++a) {
      const std::size_t place = place_of(a);
      if (above(loads_[place], share_[place]) <= kRounding) continue;
      for (std::size_t b = 0; b < work_.size(); ++b) {
        ++trials_;
        const double relieved = relief(a, b);
        if (relieved <= kRounding || relieved < most - kRounding) continue;
        const double gain = cost_->swap_gain(Rank(a), Rank(b));
        if (relieved <= most + kRounding && gain <= gain_of_most) continue;
        most = relieved;
        gain_of_most = gain;
        pair = {a, b};
      }
    }
    if (most > 0) exchange(pair.first, pair.second);
    return most > 0 && trials_ < kMostTrials;
  }

  /// Makes all exchanges that lower the cost and do not raise the burden, in order. False if there was none.
  bool lower_cost() {
    find_fullest();
    bool found = false;
    for (std::size_t a = 0; a < work_.size() && trials_ < kMostTrials; ++a) {
      for (std::size_t b = a + 1; b < work_.size(); ++b) {
        ++trials_;
        if (place_of(a) == place_of(b) || relief(a, b) < -kRounding) continue;
        if (cost_->swap_gain(Rank(a), Rank(b)) <= kRounding * cost_->cost()) continue;
        exchange(a, b);
        found = true;
      }
    }
    return found && trials_ < kMostTrials;
  }

  [[nodiscard]] Mapping mapping() const { return cost_->mapping(); }

 private:
  [[nodiscard]] std::size_t place_of(std::size_t vertex) const { return cost_->place_of(Rank(vertex)).index(); }

  void find_fullest() {
    fullest_ = 1 + kMostAboveShare;
    for (std::size_t place = 0; place < loads_.size(); ++place) {
      if (share_[place] > 0) fullest_ = std::max(fullest_, loads_[place] / share_[place]);
    }
  }

  /// How much less work is above the shares if two vertices change places; below 0 if a place becomes the fullest.
  [[nodiscard]] double relief(std::size_t a, std::size_t b) const {
    const std::size_t one = place_of(a);
    const std::size_t other = place_of(b);
    const double more = work_[b] - work_[a];
    if (one == other) return 0;
    const double most = fullest_ + kRounding;
    if (loads_[one] + more > most * share_[one] || loads_[other] - more > most * share_[other]) return -1;
    return above(loads_[one], share_[one]) + above(loads_[other], share_[other]) -
           above(loads_[one] + more, share_[one]) - above(loads_[other] - more, share_[other]);
  }

  void exchange(std::size_t a, std::size_t b) {
    const double more = work_[b] - work_[a];
    loads_[place_of(a)] += more;
    loads_[place_of(b)] -= more;
    cost_->swap(Rank(a), Rank(b));
  }

  std::unique_ptr<IncrementalCost> cost_;
  const std::vector<int>& work_;
  const std::vector<double>& share_;
  std::vector<double> loads_;  ///< of places
  double fullest_ = 0;         ///< what no place may come to have, in shares
  std::size_t trials_ = 0;
};

}  // namespace

Mapping LoadBalance::improved(const MapProblem& problem, const Mapping& start) const {
  std::vector<Place> places(start.places().begin(), start.places().end());
  std::vector<int> free = processes_;
  for (const Place place : places) --free[place.index()];
  for (std::size_t place = 0; place < free.size(); ++place)
    places.insert(places.end(), static_cast<std::size_t>(free[place]), Place(place));
  const Traffic traffic = filled_up(problem.traffic, places.size());
  const Partners partners(traffic);
  const Mapping filled(std::move(places));
  Exchanges exchanges(incremental_hop_bytes(traffic, partners, problem.topology, filled, problem.metric), loads_,
                      share_, loads_of_places(filled));
  while (exchanges.relieve()) {
  }
  while (exchanges.lower_cost()) {
  }
  const Mapping all = exchanges.mapping();
  const auto first = all.places().begin();
  return Mapping(std::vector<Place>(first, first + static_cast<std::ptrdiff_t>(start.ranks())));
}

}  // namespace topowise
