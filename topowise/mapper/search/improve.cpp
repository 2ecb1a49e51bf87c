// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/improve.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/exchange/facilities.hpp>
#include <topowise/mapper/exchange/whole_units.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/mapper_functions.hpp>
#include <topowise/mapper/problem/pace.hpp>
#include <topowise/mapper/problem/parallel.hpp>
#include <topowise/mapper/search/robust_tabu.hpp>
#include <topowise/mapper/search/sampled_tabu.hpp>

namespace topowise {

// Memetic search, after U. Benlic and J.-K. Hao, "Memetic search for the quadratic assignment problem", Expert Systems
// with Applications 42 (2015), with robust tabu search (robust_tabu.cpp) as the local search.
//
// A long tabu search spends its time around one local minimum. So a population of good mappings is kept, and short
// searches begin between them: good mappings agree in much, and what two of them agree in is likely right. It is kept
// in their child; of the rest each rank takes its slot from one of the two, drawn at random, as far as it is free
// (uniform crossover). The child is improved by a tabu search and replaces the worst of the population, unless the
// population has it already. Every second child has one parent only and some of its ranks moved at random (iterated
// tabu search, A. Misevicius 2012).
//
// If no new best appears for a while, all members are moved far and searched again, and the best mapping so far
// replaces the worst of them.
//
// So that mappings can be compared rank by rank, the slots of a group of interchangeable ranks (facilities.hpp) are
// given to them in ascending order. Before two mappings are crossed, such ranks are renamed so that as many slots as
// possible have the same rank in both.
//
// Where all ranks that talk are interchangeable, only their set of slots matters, and the search for it
// (SlotChoice) takes the place of robust tabu search.
//
// One long search from the given start comes first: for large instances it is all that there is time for. A search with
// more iterations does what one with fewer does, and then goes on: it is never worse.
//
// Children are made in batches from the population at the batch's beginning, so that several threads can work on one
// and the result does not depend on how many there are.

namespace {

// Where k ranks all exchange the same with each other, a mapping is a choice of k of the n slots, and its cost the sum
// of the costs C of all pairs of chosen slots. (In the literature the grey pattern problem, Taillard 1995, Location
// Science 3, and with the sign reversed the maximum diversity problem.) With h(q) = sum of C[a][q] over the chosen a,
// leaving slot a for slot b changes the cost by
//     h(b) - h(a) - C[a][b],
// and h by the difference of two rows of C: a step of tabu search needs no table, only the least of k (n - k) such
// sums. A slot that was just taken or left is tabu for some steps, whose number is drawn anew each time; of equal
// exchanges one is drawn at random, for machines are regular and there are many.

constexpr double kInfinite = std::numeric_limits<double>::infinity();

constexpr std::size_t kMembers = 12;
constexpr int kBatch = 4;
constexpr int kIdleBatches = 24;  ///< batches without a new best
constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

class Memetic {
 public:
  Memetic(const Instance& instance, const ExchangeLimits& limits, const Deadline& deadline)
      : instance_(instance),
        limits_(limits),
        deadline_(deadline),
        random_(limits.seed),
        rank_group_(first_interchangeable(instance.flow, instance.ranks)),
        slot_group_(first_interchangeable(instance.cost, instance.slots)),
        choice_(SlotChoice::find(instance)),
        each_(std::max<std::size_t>(1000, (choice_ ? 4 : 50) * instance.slots)),
        first_(std::min(limits.iterations, 2 * kMembers * each_)),
        searches_left_((limits.iterations - first_) / each_) {}

  ExchangeResult run(SlotOfRank start) {
    best_ = local_search(start, first_, limits_.seed);
    if (searches_left_ == 0 || over()) return std::move(best_);
    if (limits_.found) limits_.found(best_.cost);
    std::vector<SlotOfRank> starts(kMembers - 1);
    for (SlotOfRank& other : starts) other = moved(start, instance_.ranks, random_);
    members_ = search(starts);
    note_best(members_);
    members_.push_back(best_);
    sort_interchangeable(members_.back().slot_of_rank);
    for (int idle = 0; searches_left_ > 0 && !over();) {
      if (idle >= kIdleBatches) {
        scatter();
        idle = 0;
      }
      std::vector<SlotOfRank> children;
      for (int i = 0; i < kBatch; ++i) children.push_back(child());
      std::vector<ExchangeResult> found = search(children);
      idle = note_best(found) ? 0 : idle + 1;
      for (ExchangeResult& result : found) adopt(std::move(result));
    }
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool over() const { return best_.cost <= limits_.target || deadline_.passed(); }

  ExchangeResult local_search(SlotOfRank start, std::size_t iterations, std::uint64_t seed) const {
    const ExchangeLimits limits{.iterations = iterations, .target = limits_.target, .seed = seed};
    return choice_ ? choice_->tabu(std::move(start), limits, deadline_)
                   : robust_tabu(instance_, start, limits, deadline_);
  }

  std::vector<ExchangeResult> search(const std::vector<SlotOfRank>& starts) {
    std::vector<std::uint64_t> seeds(starts.size());
    for (std::uint64_t& seed : seeds) seed = random_();
    std::vector<ExchangeResult> results(starts.size());
    multilevel::for_each_piece(static_cast<int>(starts.size()), limits_.threads, [&](int piece) {
      const auto i = static_cast<std::size_t>(piece);
      results[i] = local_search(starts[i], each_, seeds[i]);
      sort_interchangeable(results[i].slot_of_rank);
    });
    searches_left_ -= std::min(searches_left_, starts.size());
    return results;
  }

  void sort_interchangeable(SlotOfRank& slots) const {
    sort_within_groups(slots, rank_group_);
    std::vector<std::uint32_t> group(slots.size());
    for (std::size_t rank = 0; rank < slots.size(); ++rank) group[rank] = slot_group_[slots[rank]];
    sort_within_groups(slots, group);
  }

  /// Gives the slots of a group's ranks to these ranks in ascending order. `group` has the number of each rank's group,
  /// which is below that of the slots.
  void sort_within_groups(SlotOfRank& slots, std::span<const std::uint32_t> group) const {
    std::vector<std::vector<std::uint32_t>> of_group(instance_.slots);
    for (std::size_t rank = 0; rank < slots.size(); ++rank) of_group[group[rank]].push_back(slots[rank]);
    for (std::vector<std::uint32_t>& members : of_group) std::ranges::sort(members, std::greater<>());
    for (std::size_t rank = 0; rank < slots.size(); ++rank) {
      slots[rank] = of_group[group[rank]].back();
      of_group[group[rank]].pop_back();
    }
  }

  bool note_best(const std::vector<ExchangeResult>& results) {
    const auto best = std::ranges::min_element(results, {}, &ExchangeResult::cost);
    if (best->cost >= best_.cost) return false;
    best_ = *best;
    if (limits_.found) limits_.found(best_.cost);
    return true;
  }

  std::uint32_t below(std::size_t bound) { return random_.below(static_cast<std::uint32_t>(bound)); }

  SlotOfRank child() {
    const std::size_t a = below(members_.size());
    if (below(2) == 0) {
      const std::size_t fewest = std::min<std::size_t>(3, instance_.ranks);
      return moved(members_[a].slot_of_rank, fewest + below(instance_.ranks / 3 + 1), random_);
    }
    const std::size_t b = (a + 1 + below(members_.size() - 1)) % members_.size();
    return crossed(members_[a].slot_of_rank, like(members_[a].slot_of_rank, members_[b].slot_of_rank));
  }

  /// `other` with its interchangeable ranks renamed so that those which are on the same slots as in `one` have the
  /// same names.
  SlotOfRank like(const SlotOfRank& one, const SlotOfRank& other) const {
    constexpr std::uint32_t kNoRank = ~std::uint32_t{0};
    std::vector<std::uint32_t> who(instance_.slots, kNoRank);
    for (std::uint32_t rank = 0; rank < one.size(); ++rank) who[one[rank]] = rank;
    SlotOfRank result(other.size(), kNoSlot);
    std::vector<std::vector<std::uint32_t>> rest(instance_.slots);  // slots, by the first of those interchangeable
    for (std::size_t rank = 0; rank < other.size(); ++rank) {
      const std::uint32_t slot = other[rank];
      if (who[slot] != kNoRank && rank_group_[who[slot]] == rank_group_[rank]) {
        result[who[slot]] = slot;
      } else {
        rest[rank_group_[rank]].push_back(slot);
      }
    }
    for (std::size_t rank = 0; rank < other.size(); ++rank) {
      if (result[rank] != kNoSlot) continue;
      result[rank] = rest[rank_group_[rank]].back();
      rest[rank_group_[rank]].pop_back();
    }
    return result;
  }

  SlotOfRank crossed(const SlotOfRank& a, const SlotOfRank& b) {
    SlotOfRank child(a.size(), kNoSlot);
    std::vector<bool> taken(instance_.slots, false);
    const auto take = [&](std::size_t rank, std::uint32_t slot) {
      if (child[rank] != kNoSlot || taken[slot]) return;
      child[rank] = slot;
      taken[slot] = true;
    };
    for (std::size_t rank = 0; rank < a.size(); ++rank) {
      if (a[rank] == b[rank]) take(rank, a[rank]);
    }
    std::vector<std::uint32_t> order(a.size());
    for (std::size_t rank = 0; rank < a.size(); ++rank) order[rank] = static_cast<std::uint32_t>(rank);
    random_.shuffle(std::span(order));
    for (const std::uint32_t rank : order) {
      const bool first = below(2) == 0;
      take(rank, first ? a[rank] : b[rank]);
      take(rank, first ? b[rank] : a[rank]);
    }
    std::vector<std::uint32_t> free;
    for (std::uint32_t slot = 0; slot < instance_.slots; ++slot) {
      if (!taken[slot]) free.push_back(slot);
    }
    random_.shuffle(std::span(free));
    for (std::size_t rank = 0; rank < child.size(); ++rank) {
      if (child[rank] != kNoSlot) continue;
      child[rank] = free.back();
      free.pop_back();
    }
    return child;
  }

  /// Moves `count` ranks to each other's slots and to empty ones.
  SlotOfRank moved(SlotOfRank slots, std::size_t count, Random& random) const {
    std::vector<std::uint32_t> who(slots.size());
    for (std::size_t rank = 0; rank < who.size(); ++rank) who[rank] = static_cast<std::uint32_t>(rank);
    random.shuffle(std::span(who));
    who.resize(std::min(count, who.size()));
    std::vector<bool> taken(instance_.slots, false);
    for (const std::uint32_t slot : slots) taken[slot] = true;
    std::vector<std::uint32_t> free;
    for (const std::uint32_t rank : who) free.push_back(slots[rank]);
    for (std::uint32_t slot = 0; slot < instance_.slots; ++slot) {
      if (!taken[slot]) free.push_back(slot);
    }
    random.shuffle(std::span(free));
    for (std::size_t i = 0; i < who.size(); ++i) slots[who[i]] = free[i];
    return slots;
  }

  void adopt(ExchangeResult child) {
    const auto same = [&](const ExchangeResult& member) { return member.slot_of_rank == child.slot_of_rank; };
    if (std::ranges::any_of(members_, same)) return;
    ExchangeResult& worst = *std::ranges::max_element(members_, {}, &ExchangeResult::cost);
    if (child.cost < worst.cost) worst = std::move(child);
  }

  void scatter() {
    std::vector<SlotOfRank> starts;
    for (const ExchangeResult& member : members_)
      starts.push_back(moved(member.slot_of_rank, instance_.ranks / 2 + below(instance_.ranks / 2 + 1), random_));
    members_ = search(starts);
    note_best(members_);
    *std::ranges::max_element(members_, {}, &ExchangeResult::cost) = best_;
  }

  const Instance& instance_;
  const ExchangeLimits& limits_;
  const Deadline& deadline_;
  Random random_;
  std::vector<std::uint32_t> rank_group_, slot_group_;  ///< the first that is interchangeable with each
  std::optional<SlotChoice> choice_;                    ///< if only the set of slots matters
  std::size_t each_;                                    ///< iterations of one tabu search
  std::size_t first_;                                   ///< iterations of the first one
  std::size_t searches_left_;
  std::vector<ExchangeResult> members_;
  ExchangeResult best_{{}, std::numeric_limits<double>::infinity()};
};

}  // namespace

std::optional<SlotChoice> SlotChoice::find(const Instance& instance) {
  const auto flow = [&](std::uint32_t i, std::uint32_t j) {
    return instance.flow[i * instance.ranks + j] + instance.flow[j * instance.ranks + i];
  };
  std::vector<std::uint32_t> talkers;
  for (std::uint32_t i = 0; i < instance.ranks; ++i) {
    for (std::uint32_t j = 0; j < instance.ranks; ++j) {
      if (flow(i, j) == 0) continue;
      talkers.push_back(i);
      break;
    }
  }
  if (talkers.size() < 2 || talkers.size() == instance.slots || !instance.symmetric) return std::nullopt;
  const double same = flow(talkers[0], talkers[1]);
  for (const std::uint32_t i : talkers) {
    for (const std::uint32_t j : talkers) {
      if (i != j && flow(i, j) != same) return std::nullopt;
    }
  }
  return SlotChoice(instance, std::move(talkers));
}

SlotChoice::SlotChoice(const Instance& instance, std::vector<std::uint32_t> talkers)
    : talkers_(std::move(talkers)), slots_(instance.slots), cost_(slots_, slots_, 0.0) {
  const double bytes = instance.flow[talkers_[0] * instance.ranks + talkers_[1]];
  for (std::size_t a = 0; a < slots_; ++a) {
    for (std::size_t b = 0; b < slots_; ++b)
      cost_[a][b] = bytes * (instance.cost[a * slots_ + b] + instance.cost[b * slots_ + a]);
  }
}

/// Moves the talkers to the slots `taken`; the ranks that were there go to the slots that the talkers left.
void SlotChoice::move_talkers(SlotOfRank& slot_of_rank, std::vector<std::uint32_t> taken) const {
  std::vector<bool> is_taken(slots_, false);
  std::vector<bool> talks(slot_of_rank.size(), false);
  std::vector<std::uint32_t> left;
  for (const std::uint32_t slot : taken) is_taken[slot] = true;
  for (const std::uint32_t rank : talkers_) {
    talks[rank] = true;
    if (!is_taken[slot_of_rank[rank]]) left.push_back(slot_of_rank[rank]);
  }
  for (std::size_t rank = 0; rank < slot_of_rank.size(); ++rank) {
    if (talks[rank] || !is_taken[slot_of_rank[rank]]) continue;
    slot_of_rank[rank] = left.back();
    left.pop_back();
  }
  std::ranges::sort(taken);
  for (std::size_t k = 0; k < talkers_.size(); ++k) slot_of_rank[talkers_[k]] = taken[k];
}

class SlotChoice::Search {
 public:
  Search(const SlotChoice& problem, const SlotOfRank& start, std::uint64_t seed)
      : problem_(problem),
        random_(seed),
        held_(1, problem.slots_, kInfinite),
        open_(held_),
        is_taken_(problem.slots_, false),
        tabu_until_(problem.slots_, 0) {
    for (const std::uint32_t rank : problem.talkers_) taken_.push_back(start[rank]);
    std::fill_n(held_[0], problem.slots_, 0.0);
    for (const std::uint32_t slot : taken_) {
      is_taken_[slot] = true;
      for (std::size_t q = 0; q < problem.slots_; ++q) held_[0][q] += problem.cost_[slot][q];
    }
    for (const std::uint32_t slot : taken_) cost_ += held_[0][slot] / 2;
    best_ = taken_;
    best_cost_ = cost_;
  }

  void run(const ExchangeLimits& limits, const Deadline& deadline) {
    constexpr std::size_t kLookAtClock = 64;
    for (std::size_t step = 1; step <= limits.iterations && best_cost_ > limits.target; ++step) {
      if (step % kLookAtClock == 0 && deadline.passed()) break;
      for (std::size_t q = 0; q < problem_.slots_; ++q)
        open_[0][q] = is_taken_[q] || tabu_until_[q] >= step ? kInfinite : held_[0][q];
      if (const std::optional<std::size_t> leaving = choose(step)) exchange(*leaving, step);
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& best() const { return best_; }
  [[nodiscard]] double best_cost() const { return best_cost_; }

 private:
  /// The taken slot that is best left, by its index in taken_.
  std::optional<std::size_t> choose(std::size_t step) {
    double least = kInfinite;
    std::optional<std::size_t> chosen;
    std::uint32_t equal = 0;
    for (std::size_t k = 0; k < taken_.size(); ++k) {
      const std::uint32_t a = taken_[k];
      if (tabu_until_[a] >= step) continue;
      const double change = kernels_.least_difference(open_[0], problem_.cost_[a], held_.stride()) - held_[0][a];
      if (change > least || change == kInfinite) continue;
      equal = change < least ? 1 : equal + 1;
      least = change;
      if (equal == 1 || random_.below(equal) == 0) chosen = k;
    }
    return chosen;
  }

  void exchange(std::size_t leaving, std::size_t step) {
    constexpr std::uint32_t kTenure = 10;
    const std::uint32_t a = taken_[leaving];
    std::uint32_t b = a;
    double least = kInfinite;
    std::uint32_t equal = 0;
    for (std::uint32_t q = 0; q < problem_.slots_; ++q) {
      const double change = open_[0][q] - problem_.cost_[a][q];
      if (change > least || change == kInfinite) continue;
      equal = change < least ? 1 : equal + 1;
      least = change;
      if (equal == 1 || random_.below(equal) == 0) b = q;
    }
    cost_ += least - held_[0][a];
    for (std::size_t q = 0; q < problem_.slots_; ++q) held_[0][q] += problem_.cost_[b][q] - problem_.cost_[a][q];
    taken_[leaving] = b;
    is_taken_[a] = false;
    is_taken_[b] = true;
    for (const std::uint32_t slot : {a, b}) tabu_until_[slot] = step + kTenure / 2 + random_.below(kTenure);
    if (cost_ < best_cost_ * (1 - 1e-12)) {
      best_cost_ = cost_;
      best_ = taken_;
    }
  }

  const SlotChoice& problem_;
  const ExchangeKernels<double>& kernels_ = exchange_kernels<double>().back();
  Random random_;
  PaddedRows<double> held_;  ///< h, one row
  PaddedRows<double> open_;  ///< h of the slots that may be taken, else infinite
  std::vector<bool> is_taken_;
  std::vector<std::size_t> tabu_until_;
  std::vector<std::uint32_t> taken_, best_;
  double cost_ = 0;
  double best_cost_ = 0;
};

ExchangeResult SlotChoice::tabu(SlotOfRank start, const ExchangeLimits& limits, const Deadline& deadline) const {
  Search search(*this, start, limits.seed);
  search.run(limits, deadline);
  move_talkers(start, search.best());
  return {.slot_of_rank = std::move(start), .cost = search.best_cost()};
}

double pairs_of_step(const Instance& instance) {
  if (const std::optional<SlotChoice> choice = SlotChoice::find(instance)) return choice->pairs();
  const auto ranks = static_cast<double>(instance.ranks);
  return std::max(1.0, ranks * (static_cast<double>(instance.slots) - ranks / 2));
}

ExchangeResult memetic_tabu(const Instance& instance, const SlotOfRank& start, const ExchangeLimits& limits,
                            const Deadline& deadline) {
  return Memetic(instance, limits, deadline).run(start);
}

namespace {

constexpr double kLargestTable = 1e6;  ///< ranks x slots; making a larger one takes longer than it is worth
constexpr double kMostSlots = 4096;    ///< the costs of all pairs of slots are kept

double exchanges_per_second(const Instance& instance) {
  const double pairs = whole_units(instance).fits_float ? pace::kExchangePairs : pace::kDoubleExchangePairs;
  return pairs / (pairs_of_step(instance) + pace::kPairsOfStep);
}

}  // namespace

MapperAnswer improve(const MapProblem& problem, const Mapping& start, const Budget& budget, double target) {
  const auto ranks = static_cast<double>(problem.traffic.ranks());
  double slot_count = 0;
  for (const PlaceCapacity& each : place_capacities(problem)) slot_count += static_cast<double>(each.capacity);
  if (problem.objective == Objective::hop_bytes && ranks * slot_count <= kLargestTable && slot_count <= kMostSlots) {
    const Instance instance = make_instance(problem);
    const ExchangeLimits limits{.iterations = budget.steps(exchanges_per_second(instance)),
                                .target = target,
                                .seed = problem.seed,
                                .threads = budget.threads(),
                                .found = [&](double cost) {
                                  budget.tell({cost, target, "local search"});
                                }};
    const ExchangeResult result =
        memetic_tabu(instance, to_slots(instance.place_of_slot, start), limits, budget.deadline());
    return {to_mapping(instance.place_of_slot, result.slot_of_rank), result.cost};
  }
  return sampled_tabu(problem, start, sampled_tabu_limits(problem, budget, target), budget.deadline());
}

MapperAnswer map_tabu(const MapProblem& problem, const Budget& budget) {
  const double bound = quick_lower_bound(problem, budget);
  MapperAnswer found = improve(problem, fill_in_order(problem), budget, bound);
  found.lower_bound = bound;
  return found;
}

}  // namespace topowise
