// SPDX-License-Identifier: BSD-3-Clause
// Where all compute nodes are alike and are joined by one switch, or by two that are joined, a mapping is a cut of the
// ranks into sets that fill a node. What a set costs inside its node and at its border is known for all sets
// (group_costs.cpp). So is a bound for their sum, with prices of ranks, and, where nodes are in
// two halves, the least that crosses between halves (visit_cheap_halves). The sum of both bounds is often the optimum
// or just below. What is left is a search that needs to look at few sets: a set in a mapping better than the best known
// is dearer than the worth of its ranks by at most what the bound leaves. Halves are visited in turn, and each is cut
// into nodes by the same search.
#include <topowise/mapper/exact/group_mapping.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/pace.hpp>
#include <topowise/mapper/problem/parallel.hpp>

namespace topowise {

// The cut of the ranks into groups is a set partitioning problem: of all sets choose some that hold each rank once and
// cost the least. Its linear program has millions of columns, but its dual only a price for each rank, and the dual is
// often as large as the best cut (Balas and Padberg 1976). For any prices, with m the least cost - worth of a set, a
// cut into K groups costs at least the sum of all prices + K m (Lagrange). The prices are found by ascent: a rank that
// is in too few of the sets that are nearly the cheapest at its price becomes dearer. "Nearly" is smoothed: sets count
// by exp(-(cost - worth - m) / T), with a T that falls with the distance to the target.

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

namespace {

// Branch and bound: the ranks go to one half or the other, one after the other, first those that have the most traffic
// with the ranks that have gone before. Of a rank that is still free, at least the lesser of its traffic with each half
// will cross; if more free ranks prefer a half than it has room for, those with the least to lose go to the other.

class HalfSearch {
 public:
  HalfSearch(const PairBytes& bytes, double most, std::size_t limit, const Deadline& deadline, const HalfVisit& visit)
      : bytes_(bytes),
        most_(most),
        limit_(limit),
        deadline_(deadline),
        visit_(visit),
        ranks_(bytes.ranks()),
        to_half_{std::vector<double>(ranks_, 0.0), std::vector<double>(ranks_, 0.0)} {
    find_order();
  }

  std::size_t run() {
    move(0, 0, +1);
    descend(1, RankSet{1}, 0.0);
    return branches_;
  }

 private:
  void find_order() {
    std::vector<double> drawn(ranks_, 0.0);
    std::vector<bool> placed(ranks_, false);
    for (std::size_t next = 0; order_.size() < ranks_;) {
      placed[next] = true;
      order_.push_back(next);
      std::size_t most = ranks_;
      for (std::size_t r = 0; r < ranks_; ++r) {
        drawn[r] += bytes_.between(next, r);
        if (!placed[r] && (most == ranks_ || drawn[r] > drawn[most])) most = r;
      }
      next = most;
    }
  }

  /// Puts a rank into a half, or with -1 takes it out again.
  void move(std::size_t rank, std::size_t half, double sign) {
    for (std::size_t r = 0; r < ranks_; ++r) to_half_[half][r] += sign * bytes_.between(rank, r);
    size_[half] += sign > 0 ? 1 : std::size_t(-1);
  }

  /// The least that must cross besides what crosses already.
  [[nodiscard]] double will_cross(std::size_t depth) {
    double least = 0;
    losses_[0].clear();
    losses_[1].clear();
    for (std::size_t i = depth; i < ranks_; ++i) {
      const double loss = to_half_[0][order_[i]] - to_half_[1][order_[i]];  // of a rank that does not go to half 0
      least += std::min(to_half_[0][order_[i]], to_half_[1][order_[i]]);
      losses_[loss > 0 ? 0 : 1].push_back(std::abs(loss));
    }
    for (const std::size_t half : {0, 1}) {
      const std::size_t room = ranks_ / 2 - size_[half];
      if (losses_[half].size() <= room) continue;
      const auto moved = losses_[half].begin() + static_cast<std::ptrdiff_t>(losses_[half].size() - room);
      std::nth_element(losses_[half].begin(), moved - 1, losses_[half].end());
      least += std::accumulate(losses_[half].begin(), moved, 0.0);
    }
    return least;
  }

  [[nodiscard]] bool given_up() const { return branches_ > limit_; }

  void descend(std::size_t depth, RankSet first, double crossing) {
    constexpr std::size_t kLookAtClock = 1023;
    if ((++branches_ & kLookAtClock) == 0 && deadline_.passed()) branches_ = limit_ + 1;
    if (given_up() || crossing + will_cross(depth) > most_) return;
    if (depth == ranks_) {
      most_ = visit_(first, crossing);
      return;
    }
    const std::size_t rank = order_[depth];
    const std::size_t nearer = to_half_[0][rank] >= to_half_[1][rank] ? 0 : 1;
    for (const std::size_t half : {nearer, 1 - nearer}) {
      if (size_[half] == ranks_ / 2) continue;
      const double added = to_half_[1 - half][rank];
      move(rank, half, +1);
      descend(depth + 1, half == 0 ? first | RankSet{1} << rank : first, crossing + added);
      move(rank, half, -1);
    }
  }

  const PairBytes& bytes_;
  double most_;
  std::size_t limit_;
  const Deadline& deadline_;
  const HalfVisit& visit_;
  std::size_t ranks_;
  std::vector<std::size_t> order_;
  std::array<std::vector<double>, 2> to_half_;  ///< traffic of every rank with those of each half
  std::array<std::size_t, 2> size_{};
  std::array<std::vector<double>, 2> losses_;  ///< of free ranks that prefer each half, if they go to the other
  std::size_t branches_ = 0;
};

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostCheapSets = 2'000'000;
constexpr std::size_t kMostRounds = 150;  // prices hardly rise after that
constexpr double kShare = 0.25;           // share of the work for each search besides the tables
constexpr double kRounding = 1e-12;       // of sums of some dozen costs, as a share

/// Cuts sets of ranks into sets that fill a node.
class CutSearch {
 public:
  CutSearch(const GroupCosts& costs, RankPrices prices, double most, std::size_t limit, const Deadline& deadline)
      : costs_(costs),
        prices_(std::move(prices)),
        limit_(limit),
        deadline_(deadline),
        by_lowest_(KSubsets::kMostRanks) {
    const std::vector<PricedSet> cheap = cheap_sets(costs.sets(), costs.costs(), prices_, most, kMostCheapSets);
    if (cheap.empty()) steps_ = limit + 1;
    for (const PricedSet& each : cheap) by_lowest_[lowest_rank(each.set)].push_back(each);
    for (std::vector<PricedSet>& sets : by_lowest_) std::ranges::stable_sort(sets, {}, &PricedSet::excess);
  }

  struct Cut {
    double excess = kNever;
    std::vector<RankSet> nodes;
  };
  /// The cheapest cut of `ranks` whose excess is below `most`, if there is one.
  Cut cut(RankSet ranks, double most) {
    Cut best{.excess = most};
    std::vector<RankSet> nodes;
    descend(ranks, 0, nodes, best);
    if (best.nodes.empty()) best.excess = kNever;
    return best;
  }

  /// True if the last answers may be wrong, because there were too many sets or no time.
  [[nodiscard]] bool given_up() const { return steps_ > limit_; }

 private:
  [[nodiscard]] double excess(RankSet set) const {
    return costs_.costs()[KSubsets::number(set)] - prices_.worth(set) - prices_.least;
  }

  void descend(RankSet left, double spent, std::vector<RankSet>& nodes, Cut& best) {
    if (static_cast<std::size_t>(std::popcount(left)) == costs_.sets().set_size()) {
      const double sum = spent + excess(left);
      if (sum >= best.excess) return;
      best = {sum, nodes};
      best.nodes.push_back(left);
      return;
    }
    for (const PricedSet& next : by_lowest_[lowest_rank(left)]) {
      constexpr std::size_t kLookAtClock = (1U << 16) - 1;
      if ((++steps_ & kLookAtClock) == 0 && deadline_.passed()) steps_ = limit_ + 1;
      if (given_up() || spent + next.excess >= best.excess) return;
      if ((next.set & ~left) != 0) continue;
      nodes.push_back(next.set);
      descend(left ^ next.set, spent + next.excess, nodes, best);
      nodes.pop_back();
    }
  }

  const GroupCosts& costs_;
  RankPrices prices_;
  std::size_t limit_;
  const Deadline& deadline_;
  std::vector<std::vector<PricedSet>> by_lowest_;
  std::size_t steps_ = 0;
};

/// What is known of the best cut of all ranks.
struct Found {
  double bound = 0;            ///< no mapping costs less
  bool complete = false;       ///< no mapping costs less than `cost`
  double cost = 0;             ///< a mapping is looked for only if it costs less
  std::vector<RankSet> nodes;  ///< of a mapping of that cost; empty if there is none but the start
};

class GroupSearch {
 public:
  GroupSearch(std::span<const GroupLevel> levels, const GroupPlan& plan, const PairBytes& bytes, const Budget& budget)
      : levels_(levels),
        bytes_(bytes),
        budget_(budget),
        share_(budget.counting(budget.time() * kShare)),
        costs_(levels.first(plan.node_levels), bytes),
        halves_(plan.node_levels < levels.size()),
        nodes_(bytes.ranks() / levels[plan.node_levels - 1].size) {}

  /// Looks for mappings cheaper than `cost`. All costs are multiples of `step`, if that is above 0.
  Found run(double cost, double step) {
    Found found{.cost = cost};
    if (!costs_.fill(budget_.threads(), budget_.deadline())) return found;
    const RankPrices prices =
        find_prices(costs_.sets(), costs_.costs(), bytes_.ranks(),
                    {.target = cost - least_between_halves(), .rounds = rounds(), .threads = budget_.threads()},
                    budget_.deadline());
    const double margin = kRounding * cost;
    in_nodes_ = prices.bound(nodes_) - margin;
    found.bound = in_nodes_ + least_between_halves();
    better_by_ = step > 0 ? step * 0.5 : 2 * margin;
    if (found.bound >= cost - better_by_) {
      found.complete = true;
      return found;
    }
    if (halves_ && !halves_known_) return found;
    CutSearch search(costs_, prices, cost - better_by_ - found.bound + margin, share_.steps(pace::kCuts),
                     budget_.deadline());
    if (halves_) {
      cut_halves(search, found);
    } else {
      cut_whole(search, found);
    }
    found.complete = found.complete && !search.given_up();
    return found;
  }

  void append_in_order(RankSet node, std::vector<std::size_t>& ranks) const { costs_.append_in_order(node, ranks); }

 private:
  [[nodiscard]] std::size_t rounds() const {
    const std::size_t affordable = share_.steps(pace::kPricedSets / static_cast<double>(costs_.sets().size()));
    return std::min(kMostRounds, affordable);
  }
  [[nodiscard]] std::size_t limit_of_halves() const { return share_.steps(pace::kHalves); }
  [[nodiscard]] double price_between_halves() const { return 2 * levels_.back().price; }
  [[nodiscard]] RankSet all() const { return ~RankSet{0} >> (KSubsets::kMostRanks - bytes_.ranks()); }

  double least_between_halves() {
    if (!halves_ || looked_at_halves_) return least_;
    looked_at_halves_ = true;
    double least = kNever;
    const std::size_t branches = visit_cheap_halves(bytes_, kNever, limit_of_halves(), budget_.deadline(),
                                                    [&](RankSet, double crossing) { return least = crossing; });
    halves_known_ = branches <= limit_of_halves();
    if (halves_known_) least_ = price_between_halves() * least;
    return least_;
  }

  void cut_whole(CutSearch& search, Found& found) const {
    const CutSearch::Cut cut = search.cut(all(), found.cost - better_by_ - in_nodes_);
    if (!cut.nodes.empty()) found = {.bound = found.bound, .cost = in_nodes_ + cut.excess, .nodes = cut.nodes};
    found.complete = true;
  }

  void cut_halves(CutSearch& search, Found& found) const {
    const auto most = [&] { return (found.cost - better_by_ - in_nodes_) / price_between_halves(); };
    const std::size_t branches =
        visit_cheap_halves(bytes_, most(), limit_of_halves(), budget_.deadline(), [&](RankSet half, double crossing) {
          const double left = found.cost - better_by_ - in_nodes_ - price_between_halves() * crossing;
          CutSearch::Cut cut = search.cut(half, left);
          if (cut.nodes.empty()) return most();
          const CutSearch::Cut other = search.cut(all() ^ half, left - cut.excess);
          if (other.nodes.empty()) return most();
          found.cost = in_nodes_ + price_between_halves() * crossing + cut.excess + other.excess;
          found.nodes = std::move(cut.nodes);
          found.nodes.insert(found.nodes.end(), other.nodes.begin(), other.nodes.end());
          return most();
        });
    found.complete = branches <= limit_of_halves();
  }

  std::span<const GroupLevel> levels_;
  const PairBytes& bytes_;
  const Budget& budget_;
  Budget share_;
  GroupCosts costs_;
  bool halves_;
  std::size_t nodes_;
  double least_ = 0;  ///< cost between halves
  bool looked_at_halves_ = false;
  bool halves_known_ = false;
  double in_nodes_ = 0;  ///< least cost of the nodes
  double better_by_ = 0;
};

/// The places in the order of the tree, as groups are numbered.
std::vector<Place> places_in_order(const Hierarchy& machine) {
  std::vector<Place> places;
  for (const Hierarchy::Node& node : machine.nodes) {
    if (node.place) places.insert(places.end(), node.capacity, *node.place);
  }
  return places;
}

}  // namespace

std::size_t visit_cheap_halves(const PairBytes& bytes, double most, std::size_t limit, const Deadline& deadline,
                               const HalfVisit& visit) {
  return HalfSearch(bytes, most, limit, deadline, visit).run();
}

std::optional<GroupPlan> plan_groups(const Hierarchy& machine, std::size_t ranks) {
  const std::vector<GroupLevel> levels = uniform_groups(machine);
  if (levels.empty() || !machine.adds || machine.nodes.back().capacity != ranks || ranks > KSubsets::kMostRanks)
    return std::nullopt;
  const bool halves = levels.back().size * 2 == ranks && levels.back().size > KSubsets::kLargestSet;
  const std::size_t node_levels = levels.size() - (halves ? 1 : 0);
  if (node_levels == 0 || levels[node_levels - 1].size > KSubsets::kLargestSet) return std::nullopt;
  const double work = GroupCosts::work(std::span(levels).first(node_levels), ranks);
  if (work == kNever) return std::nullopt;
  return GroupPlan{node_levels, work, KSubsets::count(ranks, levels[node_levels - 1].size)};
}

MapperAnswer group_mapping(const Hierarchy& machine, const GroupPlan& plan, const MapProblem& problem,
                           const MapperAnswer& start, double step, const Budget& budget) {
  const std::vector<GroupLevel> levels = uniform_groups(machine);
  const PairBytes bytes(problem.traffic);
  GroupSearch search(levels, plan, bytes, budget);
  const Found found = search.run(start.cost, step);
  MapperAnswer answer = start;
  answer.lower_bound = std::max(start.lower_bound, found.bound);
  if (!found.nodes.empty()) {
    std::vector<std::size_t> ranks;
    for (const RankSet node : found.nodes) search.append_in_order(node, ranks);
    const std::vector<Place> places = places_in_order(machine);
    std::vector<Place> place_of(ranks.size(), Place(0));
    for (std::size_t i = 0; i < ranks.size(); ++i) place_of[ranks[i]] = places[i];
    answer.mapping = Mapping(std::move(place_of));
    answer.cost = cost_of(problem, answer.mapping);
  }
  if (found.complete) answer.lower_bound = answer.cost;
  answer.lower_bound = std::min(answer.lower_bound, answer.cost);
  answer.proven_optimal = answer.lower_bound >= answer.cost;
  return answer;
}

}  // namespace topowise
