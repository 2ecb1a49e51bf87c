// SPDX-License-Identifier: BSD-3-Clause
// An assignment problem of random numbers is a glass: below some temperature a mapping that wanders by exchanges,
// accepted with probability min(1, exp(-change / T)) as in simulated annealing, is caught in one of very many valleys;
// at that temperature it wanders from valley to valley, and among those that it passes are better and better ones. No
// cooling leads to the deepest: a mapping wanders on at the same temperature, and the best that it passes is kept.
//
// One exchange in a thousand would be accepted. So none is tried: the table of all changes (weighed_table.hpp) says
// how likely each is, and the next one that would be accepted is drawn at once (A. B. Bortz, M. H. Kalos, J. L.
// Lebowitz, Journal of Computational Physics 17, 1975).
//
// A walk that is to find bottoms need not visit all mappings as often as physics demands. An exchange for the better is
// drawn more often than one that changes nothing, for it is the way down: eight times as often or, where that costs
// less (short_table.hpp), as often as its change says, which finds as many. And what leads out of a valley is most
// often undone at once: of a hundred visits to a bottom, ninety-eight are returns. As in tabu search, the last few
// exchanges are therefore hidden. That drives the mapping out of valleys at temperatures at which it searches their
// depths. Either finds more deep ones; hiding more, or mappings already seen, does not.
//
// Cheap mappings are not scattered at random. Of searches that set out from a mapping which is cheap, and from which
// none has set out before, one in a hundred comes by a much cheaper one, in which half of the ranks have other slots:
// fifteen times as many as of the turns of a mapping that wanders on from wherever it is, ten times as many as of later
// searches from the same mapping. So the mapping that wanders on has but one of twenty turns. In the others, searches
// set out from the cheapest mappings that have been found, none of which is taken again before many dearer ones have
// been (funnels.hpp). Nearly all of the best are found so, most of them by chains of ten such searches or more.
//
// The temperature is not known beforehand. But the number of exchanges in a unit of time, that in which each pair would
// be tried once, is about the same in all such problems where the walk is best, whatever their size and units: the
// temperature follows from it.
//
// Two walks share the work, whether there are two threads or one.
#include <topowise/mapper/search/annealing.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange/short/short_table.hpp>
#include <topowise/mapper/exchange/weighed_table.hpp>
#include <topowise/mapper/problem/parallel.hpp>
#include <topowise/mapper/search/annealing_chain.hpp>
#include <topowise/mapper/search/elite_pool.hpp>
#include <topowise/mapper/search/memetic_tabu.hpp>
#include <topowise/mapper/search/slot_choice.hpp>

namespace topowise {
namespace {

constexpr int kWalks = 2;
constexpr double kRate = 0.5;          ///< exchanges in a unit of time
constexpr std::size_t kStride = 2000;  ///< exchanges at one temperature, until it is adjusted
constexpr std::size_t kStridesOfTurn = 10;
constexpr std::size_t kTurnsBeforeFunnels = 10;
constexpr std::size_t kTurns = 20;  ///< of these one is the first mapping's
constexpr double kPrice = 5;        ///< of a search from a funnel, in temperatures
constexpr std::size_t kFunnels = 2000;
constexpr double kColdest = 1e-30;  ///< in units; where many exchanges change nothing it would fall without end
constexpr std::size_t kMostSlots = 500;

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

/// A mapping that wanders from the start to the end and, in turn with it, others that set out from funnels.
template <class Table>
class Walk {
 public:
  Walk(const Instance& instance, const WholeUnits& units, const SlotOfRank& start, const ExchangeLimits& limits)
      : instance_(instance),
        units_(units),
        limits_(limits),
        random_(limits.seed),
        first_(instance, units, start, limits),
        cheapest_(first_.cheapest()),
        funnels_(instance.ranks, kFunnels) {}

  ExchangeResult run(const Deadline& deadline) {
    const std::optional<double> mean_change = first_.mean_change();
    if (!mean_change) return cheapest_;
    temperature_ = *mean_change / 6;
    left_ = limits_.iterations;
    for (std::size_t turn = 0; !over(deadline); ++turn) {
      if (turn < kTurnsBeforeFunnels || turn % kTurns == 0) {
        take_turn(first_, deadline);
      } else {
        Wanderer<Table> other(instance_, units_, funnels_.next(kPrice * temperature_), limits_);
        take_turn(other, deadline);
      }
    }
    return cheapest_;
  }

 private:
  [[nodiscard]] bool over(const Deadline& deadline) const {
    return left_ == 0 || cheapest_.cost <= limits_.target || deadline.passed();
  }

  void take_turn(Wanderer<Table>& wanderer, const Deadline& deadline) {
    for (std::size_t k = 0; k < kStridesOfTurn && !over(deadline); ++k) {
      const std::size_t exchanges = std::min(kStride, left_);
      left_ -= exchanges;
      const std::optional<double> time = wanderer.go_on(exchanges, temperature_, random_);
      if (&wanderer == &first_) adjust(time);
      const ExchangeResult& found = wanderer.cheapest();
      funnels_.add(found.cost, found.slot_of_rank);
      if (found.cost < cheapest_.cost) cheapest_ = found;
    }
  }

  /// To the time that a stride took.
  void adjust(std::optional<double> time) {
    if (!time) {
      temperature_ *= 2;
      return;
    }
    constexpr double kSmoothing = 0.1;
    wait_ += kSmoothing * (*time / kStride - wait_);
    const double adjustment = std::max(0.2 / (1 + static_cast<double>(adjusted_++) / 20), 0.002);
    temperature_ *= std::clamp(std::pow(kRate * wait_, adjustment), 0.5, 2.0);
    temperature_ = std::max(temperature_, first_.unit() * kColdest);
  }

  const Instance& instance_;
  const WholeUnits& units_;
  ExchangeLimits limits_;
  Random random_;
  Wanderer<Table> first_;
  ExchangeResult cheapest_;
  Funnels funnels_;
  std::size_t left_ = 0;     ///< exchanges
  double temperature_ = 0;   ///< in units of cost
  double wait_ = 1 / kRate;  ///< for the next exchange, on the average
  std::size_t adjusted_ = 0;
};

template <class Table>
ExchangeResult search(const Instance& instance, const WholeUnits& units, const SlotOfRank& start,
                      const ExchangeLimits& limits, const Deadline& deadline) {
  std::array<ExchangeResult, kWalks> found;
  multilevel::for_each_piece(kWalks, limits.threads, [&](int piece) {
    ExchangeLimits own = limits;
    own.iterations = limits.iterations / kWalks;
    own.seed = limits.seed * kWalks + static_cast<std::uint64_t>(piece);
    found[static_cast<std::size_t>(piece)] = Walk<Table>(instance, units, start, own).run(deadline);
  });
  return *std::ranges::min_element(found, {}, &ExchangeResult::cost);
}

}  // namespace

bool suits_thermal_walk(const Instance& instance) {
  return instance.slots <= kMostSlots && lacks_distances(instance.flow, instance.ranks) &&
         lacks_distances(instance.cost, instance.slots) && !SlotChoice::find(instance);
}

double pace_of_thermal_walk(const Instance& instance) {
  constexpr double kPairsPerSecond = 7.45e9;
  constexpr double kOverhead = 1.8e3;  // of an exchange, in pairs
  if (ShortTable::holds(instance, whole_units(instance))) return ShortTable::exchanges_per_second(instance.slots);
  return kPairsPerSecond / (pairs_of_step(instance) + kOverhead);
}

ExchangeResult thermal_walk(const Instance& instance, const SlotOfRank& start, const ExchangeLimits& limits,
                            const Deadline& deadline) {
  const WholeUnits units = whole_units(instance);
  const auto walk = ShortTable::holds(instance, units) ? search<ShortTable>
                    : units.fits_float                 ? search<WeighedTable<float>>
                                                       : search<WeighedTable<double>>;
  return walk(instance, units, start, limits, deadline);
}

}  // namespace topowise
