// SPDX-License-Identifier: BSD-3-Clause
// Where k ranks all exchange the same with each other, a mapping is a choice of k of the n slots, and its cost the sum
// of the costs C of all pairs of chosen slots. (In the literature the grey pattern problem, Taillard 1995, Location
// Science 3, and with the sign reversed the maximum diversity problem.) With h(q) = sum of C[a][q] over the chosen a,
// leaving slot a for slot b changes the cost by
//     h(b) - h(a) - C[a][b],
// and h by the difference of two rows of C: a step of tabu search needs no table, only the least of k (n - k) such
// sums. A slot that was just taken or left is tabu for some steps, whose number is drawn anew each time; of equal
// exchanges one is drawn at random, for machines are regular and there are many.
#include <topowise/mapper/search/slot_choice.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <topowise/base/random.hpp>

namespace topowise {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

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

/// Moves the talkers to the slots `taken`; the ranks that stood there go to the slots that the talkers left.
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

}  // namespace topowise
