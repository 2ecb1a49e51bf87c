// SPDX-License-Identifier: BSD-3-Clause
// The cut of the ranks into groups is a set partitioning problem: of all sets choose some that hold each rank once and
// cost the least. Its linear program has millions of columns, but its dual only a price for each rank, and the dual is
// often as large as the best cut (Balas and Padberg 1976). For any prices, with m the least cost - worth of a set, a
// cut into K groups costs at least the sum of all prices + K m (Lagrange). The prices are found by ascent: a rank that
// is in too few of the sets that are nearly the cheapest at its price becomes dearer. "Nearly" is smoothed: sets count
// by exp(-(cost - worth - m) / T), with a T that falls with the distance to the target.
#include <topowise/mapper/exact/group_prices.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <topowise/mapper/problem/parallel.hpp>

namespace topowise {
namespace {

constexpr std::size_t kRunsOfPiece = 512;
constexpr std::size_t kLowSets = 1U << 16;

/// Looks at all sets with given prices.
class SetScan {
 public:
  SetScan(const KSubsets& sets, std::span<const double> costs, std::size_t ranks, int threads)
      : sets_(sets), costs_(costs), ranks_(ranks), threads_(threads), least_of_run_(sets.runs().size()) {}

  /// Returns the least of cost - worth.
  double scan(const RankPrices& prices) {
    worth_of_lows(prices);
    for_runs([&](std::size_t r) {
      const KSubsets::Run& run = sets_.runs()[r];
      const std::vector<double>& worth = worth_[run.low_size];
      const double* cost = &costs_[run.first];
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < worth.size(); ++i) least = std::min(least, cost[i] - worth[i]);
      least_of_run_[r] = least - prices.worth(run.high);
    });
    return *std::ranges::min_element(least_of_run_);
  }

  /// Calls visit(set, excess) for every set of run `r` whose excess is at most `most`. Needs scan() before.
  template <class Visit>
  void visit_run(std::size_t r, const RankPrices& prices, double most, const Visit& visit) const {
    if (least_of_run_[r] - prices.least > most) return;
    const KSubsets::Run& run = sets_.runs()[r];
    const std::vector<double>& worth = worth_[run.low_size];
    const std::span<const std::uint16_t> lows = sets_.lows(run);
    const double high = prices.worth(run.high) + prices.least;
    for (std::size_t i = 0; i < worth.size(); ++i) {
      const double excess = costs_[run.first + i] - worth[i] - high;
      if (excess <= most) visit(run.high | lows[i], excess);
    }
  }

  /// For each rank, the share of the sets that hold it in the weights exp(-excess / temperature) of all sets.
  [[nodiscard]] std::vector<double> weight_of_ranks(const RankPrices& prices, double temperature) const {
    constexpr double kNothing = 16;  // exp(-16) is 1e-7
    const std::size_t pieces = piece_count();
    std::vector<std::vector<double>> parts(pieces, std::vector<double>(ranks_ + 1, 0.0));
    for_pieces([&](std::size_t piece, std::size_t r) {
      std::vector<double>& part = parts[piece];
      visit_run(r, prices, kNothing * temperature, [&](RankSet set, double excess) {
        const double weight = std::exp(-excess / temperature);
        part[ranks_] += weight;
        for (; set != 0; set &= set - 1) part[lowest_rank(set)] += weight;
      });
    });
    std::vector<double> sum(ranks_ + 1, 0.0);
    for (const std::vector<double>& part : parts) {
      for (std::size_t r = 0; r <= ranks_; ++r) sum[r] += part[r];
    }
    for (std::size_t r = 0; r < ranks_; ++r) sum[r] /= sum[ranks_];
    sum.pop_back();
    return sum;
  }

 private:
  void worth_of_lows(const RankPrices& prices) {
    std::vector<double> worth(std::min(kLowSets, std::size_t{1} << std::min<std::size_t>(ranks_, 16)), 0.0);
    for (std::size_t low = 1; low < worth.size(); ++low)
      worth[low] = worth[low & (low - 1)] + prices.price[lowest_rank(low)];
    for (std::size_t size = 0; size < worth_.size(); ++size) {
      worth_[size].clear();
      for (const std::uint16_t low : sets_.lows_of_size(size)) worth_[size].push_back(worth[low]);
    }
  }

  [[nodiscard]] std::size_t piece_count() const { return (least_of_run_.size() + kRunsOfPiece - 1) / kRunsOfPiece; }

  template <class Work>
  void for_pieces(const Work& work) const {
    multilevel::for_each_piece(static_cast<int>(piece_count()), threads_, [&](int piece) {
      const std::size_t first = static_cast<std::size_t>(piece) * kRunsOfPiece;
      const std::size_t end = std::min(first + kRunsOfPiece, least_of_run_.size());
      for (std::size_t r = first; r < end; ++r) work(static_cast<std::size_t>(piece), r);
    });
  }
  template <class Work>
  void for_runs(const Work& work) const {
    for_pieces([&](std::size_t, std::size_t r) { work(r); });
  }

  const KSubsets& sets_;
  std::span<const double> costs_;
  std::size_t ranks_;
  int threads_;
  std::vector<double> least_of_run_;
  std::array<std::vector<double>, KSubsets::kLargestSet + 1> worth_;  ///< of lower ranks, as KSubsets::lows()
};

}  // namespace

double RankPrices::bound(std::size_t groups) const {
  return std::accumulate(price.begin(), price.end(), 0.0) + static_cast<double>(groups) * least;
}

RankPrices find_prices(const KSubsets& sets, std::span<const double> costs, std::size_t ranks,
                       const PriceSearch& search, const Deadline& deadline) {
  const std::size_t groups = ranks / sets.set_size();
  SetScan all(sets, costs, ranks, search.threads);
  RankPrices here{.price = std::vector<double>(ranks, 0.0)};
  here.least = all.scan(here);
  RankPrices best = here;
  double bold = 1;  // share of the way to the target
  std::size_t failures = 0;
  for (std::size_t round = 0; round < search.rounds && !deadline.passed(); ++round) {
    const double gap = search.target - here.bound(groups);
    if (gap <= 0) break;
    const double temperature = std::max(gap * bold / (8 * static_cast<double>(groups)), 1e-9 * search.target);
    std::vector<double> lacks = all.weight_of_ranks(here, temperature);
    double square = 0;
    for (double& lack : lacks) {
      lack = 1 - static_cast<double>(groups) * lack;
      square += lack * lack;
    }
    if (square == 0) break;
    for (std::size_t r = 0; r < ranks; ++r) here.price[r] += bold * gap / square * lacks[r];
    here.least = all.scan(here);
    if (here.bound(groups) > best.bound(groups)) {
      best = here;
      failures = 0;
    } else if (++failures == 3) {
      bold /= 2;
      failures = 0;
      here = best;
      all.scan(here);
    }
  }
  return best;
}

std::vector<PricedSet> cheap_sets(const KSubsets& sets, std::span<const double> costs, const RankPrices& prices,
                                  double most, std::size_t limit) {
  SetScan all(sets, costs, prices.price.size(), 1);
  all.scan(prices);
  std::vector<PricedSet> cheap;
  for (std::size_t r = 0; r < sets.runs().size() && cheap.size() <= limit; ++r)
    all.visit_run(r, prices, most, [&](RankSet set, double excess) { cheap.push_back({set, excess}); });
  if (cheap.size() > limit) cheap.clear();
  return cheap;
}

}  // namespace topowise
