// SPDX-License-Identifier: BSD-3-Clause
// R. H. Swendsen and J.-S. Wang, "Replica Monte Carlo simulation of spin glasses", Physical Review Letters 57 (1986);
// K. Hukushima and K. Nemoto, "Exchange Monte Carlo method and application to spin glass simulations", Journal of the
// Physical Society of Japan 65 (1996).
//
// An assignment problem of random numbers is a glass: below some temperature a mapping that wanders by exchanges,
// accepted with probability min(1, exp(-change / T)) as in simulated annealing, is caught in one of very many valleys;
// a little above it wanders from valley to valley, and among those that it passes are better and better ones. No
// cooling leads to the deepest; the best that is passed is kept. A few replicas wander at neighbouring temperatures and
// trade places with probability min(1, exp((1/T - 1/T') (cost - cost'))), so that what a warm one finds a cold one
// searches.
//
// At such temperatures one exchange in a thousand is accepted. So none is tried: the table of all changes
// (exchange_table.hpp) says how likely each is, and the next one that would be accepted is drawn at once (A. B. Bortz,
// M. H. Kalos, J. L. Lebowitz, Journal of Computational Physics 17, 1975). The time that trying would have taken, one
// over the sum of all probabilities, is the replica's clock: replicas trade when a clock strikes and not after a number
// of exchanges, else they would be met too often on the short ways between valleys.
//
// The temperatures are not known beforehand. But the number of exchanges in a unit of time is about the same in all
// such problems where the glass melts, whatever their size and units: temperatures follow from these rates.
//
// Two independent sets of replicas share the work, whether there are two threads or one.
#include <topowise/mapper/replica_exchange.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange_table.hpp>
#include <topowise/mapper/multilevel/parallel.hpp>
#include <topowise/mapper/slot_choice.hpp>

namespace topowise {
namespace {

constexpr std::size_t kReplicas = 3;
constexpr double kColdest = 1.5;  ///< exchanges in the time in which each pair would be tried once
constexpr double kHottest = 4.0;
constexpr int kSets = 2;
constexpr std::size_t kStride = 1000;  ///< exchanges of a replica, about, until it may trade

/// Whether the way by a third is often shorter, as it hardly ever is in distances and is in a sixth of all triples of
/// numbers drawn by lot. Looks at a few dozen rows.
bool lacks_distances(std::span<const double> matrix, std::size_t size) {
  constexpr double kOften = 0.05;
  constexpr std::size_t kMostRows = 48;
  const std::size_t stride = size / kMostRows + 1;
  std::size_t triples = 0;
  std::size_t shorter = 0;
  for (std::size_t a = 0; a < size; a += stride) {
    for (std::size_t b = 0; b < size; b += stride) {
      for (std::size_t c = 0; c < size; c += stride) {
        if (a == b || b == c || a == c) continue;
        ++triples;
        if (matrix[a * size + b] > matrix[a * size + c] + matrix[c * size + b]) ++shorter;
      }
    }
  }
  return static_cast<double>(shorter) > kOften * static_cast<double>(triples);
}

/// One mapping that wanders.
template <class Number>
class Replica {
 public:
  Replica(const Instance& instance, const WholeUnits& units, const SlotOfRank& start, std::uint64_t seed)
      : table_(instance, units, start),
        unit_(units.flow * units.cost),
        random_(seed),
        groups_((table_.ranks() + kWeightRows - 1) / kWeightRows),
        by_lane_(groups_ + 1, kLanes<Number>, 0),
        cost_(instance.cost_of(start)),
        best_{start, cost_} {}

  [[nodiscard]] double cost() const { return cost_; }
  [[nodiscard]] const TabuResult& best() const { return best_; }

  /// The mean change, up or down.
  [[nodiscard]] double mean_change() const {
    double sum = 0;
    std::size_t count = 1;
    for (std::size_t i = 0; i < table_.ranks(); ++i) {
      for (std::size_t j = i + 1; j < table_.items(); ++j) {
        const auto change = static_cast<double>(table_.row(i)[j]);
        if (!std::isfinite(change)) continue;
        sum += std::abs(change);
        ++count;
      }
    }
    return unit_ * sum / static_cast<double>(count);
  }

  struct Walk {
    std::size_t exchanges = 0;
    double time = 0;
  };
  /// Until the clock says `until`, or `most` exchanges are made.
  Walk walk(double temperature, double until, std::size_t most, double target) {
    const auto rate = static_cast<Number>(-unit_ / (temperature * std::numbers::ln2));
    Walk walk;
    while (walk.exchanges < most && best_.cost > target) {
      table_.sum_weights(rate, by_lane_);
      const Weight<Number>* lanes = by_lane_[groups_];
      std::int64_t all = 0;
      for (std::size_t lane = 0; lane < kLanes<Number>; ++lane) all += lanes[lane];
      if (all == 0) break;  // frozen
      const double wait = ExchangeWeight<Number>::kFull / static_cast<double>(all);
      walk.time += wait;
      if (walk.time > until) break;
      exchange(draw(static_cast<std::int64_t>(random_.unit() * static_cast<double>(all)), rate));
      ++walk.exchanges;
    }
    return walk;
  }

 private:
  struct Pair {
    std::uint32_t i = 0;
    std::uint32_t j = 0;
  };

  /// The pair at `rest` when the weights of all are laid end to end, by lane, group of rows, row and column.
  [[nodiscard]] Pair draw(std::int64_t rest, Number rate) const {
    const auto next = [&rest](std::int64_t weight) {
      if (rest < weight) return true;
      rest -= weight;
      return false;
    };
    std::size_t lane = 0;
    while (lane + 1 < kLanes<Number> && !next(by_lane_[groups_][lane])) ++lane;
    std::size_t group = 0;
    while (group + 1 < groups_ && !next(by_lane_[group][lane])) ++group;
    const std::size_t end = std::min(table_.ranks(), (group + 1) * kWeightRows);
    for (std::size_t i = group * kWeightRows; i < end; ++i) {
      const Number* row = table_.row(i);
      const std::size_t begin = UpperRows<Number>::begin(i);
      for (std::size_t j = begin + lane; j < table_.items(); j += kLanes<Number>) {
        if (j > i && next(ExchangeWeight<Number>::of(row[j], rate)))
          return {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)};
      }
    }
    return {};
  }

  void exchange(Pair pair) {
    cost_ += unit_ * static_cast<double>(table_.row(pair.i)[pair.j]);
    table_.exchange(pair.i, pair.j);
    if (cost_ < best_.cost - 1e-12 * best_.cost) {
      best_.cost = cost_;
      const auto ranks = static_cast<std::ptrdiff_t>(table_.ranks());
      best_.slot_of_rank.assign(table_.slots().begin(), table_.slots().begin() + ranks);
    }
  }

  ExchangeTable<Number> table_;
  double unit_;
  Random random_;
  std::size_t groups_;
  PaddedRows<Weight<Number>> by_lane_;
  double cost_;
  TabuResult best_;
};

/// Replicas at rising temperatures.
template <class Number>
class Replicas {
 public:
  Replicas(const Instance& instance, SlotOfRank start, const SearchLimits& limits)
      : limits_(limits), random_(limits.seed) {
    const WholeUnits units = whole_units(instance);
    for (std::size_t k = 0; k < kReplicas; ++k) {
      replicas_.emplace_back(instance, units, start, random_());
      who_[k] = k;
      temperature_[k] = at(k).mean_change() / 6;
      random_.shuffle(std::span(start));
    }
    wait_.fill(1 / kHottest);
  }

  TabuResult run(const Deadline& deadline) {
    std::size_t done = 0;
    for (std::size_t round = 0; done < limits_.iterations && !deadline.passed() && best().cost > limits_.target;
         ++round) {
      for (std::size_t k = 0; k < kReplicas; ++k) {
        const typename Replica<Number>::Walk walk =
            at(k).walk(temperature_[k], kStride * wait_[k], 4 * kStride, limits_.target);
        done += walk.exchanges + 1;
        tune(k, walk, round);
      }
      for (std::size_t k = round % 2; k + 1 < kReplicas; k += 2) trade(k);
    }
    return best();
  }

 private:
  [[nodiscard]] Replica<Number>& at(std::size_t k) { return replicas_[who_[k]]; }

  [[nodiscard]] const TabuResult& best() const {
    return std::ranges::min_element(replicas_, {}, [](const auto& replica) { return replica.best().cost; })->best();
  }

  /// Toward the temperature at which a replica makes as many exchanges as wanted, quickly at first.
  void tune(std::size_t k, const typename Replica<Number>::Walk& walk, std::size_t round) {
    constexpr double kMemory = 0.9;
    wait_[k] = kMemory * wait_[k] + (1 - kMemory) * walk.time / static_cast<double>(walk.exchanges + 1);
    const double wanted =
        kColdest * std::pow(kHottest / kColdest, static_cast<double>(k) / static_cast<double>(kReplicas - 1));
    const double step = std::max(0.2 / (1 + static_cast<double>(round) / 20), 0.002);
    temperature_[k] *= std::clamp(std::pow(wanted * wait_[k], step), 0.5, 2.0);
    if (k > 0) temperature_[k] = std::max(temperature_[k], temperature_[k - 1]);
  }

  void trade(std::size_t k) {
    const double exponent = (1 / temperature_[k] - 1 / temperature_[k + 1]) * (at(k).cost() - at(k + 1).cost());
    if (random_.unit() < std::exp(exponent)) std::swap(who_[k], who_[k + 1]);
  }

  SearchLimits limits_;
  Random random_;
  std::vector<Replica<Number>> replicas_;
  std::array<std::size_t, kReplicas> who_{};  ///< is at the k-th temperature
  std::array<double, kReplicas> temperature_{};
  std::array<double, kReplicas> wait_{};  ///< for the next exchange, on the average
};

template <class Number>
TabuResult search(const Instance& instance, const SlotOfRank& start, const SearchLimits& limits,
                  const Deadline& deadline) {
  std::array<TabuResult, kSets> found;
  multilevel::for_each_piece(kSets, limits.threads, [&](int piece) {
    SearchLimits own = limits;
    own.iterations = limits.iterations / kSets;
    own.seed = limits.seed * kSets + static_cast<std::uint64_t>(piece);
    found[static_cast<std::size_t>(piece)] = Replicas<Number>(instance, start, own).run(deadline);
  });
  return *std::ranges::min_element(found, {}, &TabuResult::cost);
}

}  // namespace

bool suits_replica_exchange(const Instance& instance) {
  return instance.slots <= kMostWeighed && lacks_distances(instance.flow, instance.ranks) &&
         lacks_distances(instance.cost, instance.slots) && !SlotChoice::find(instance);
}

TabuResult replica_exchange(const Instance& instance, const SlotOfRank& start, const SearchLimits& limits,
                            const Deadline& deadline) {
  return whole_units(instance).fits_float ? search<float>(instance, start, limits, deadline)
                                          : search<double>(instance, start, limits, deadline);
}

}  // namespace topowise
