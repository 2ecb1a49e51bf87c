// SPDX-License-Identifier: BSD-3-Clause
// Construction by connection, as in the greedy mappers of the literature (Hoefler and Snir 2011, algorithm 1): one rank
// is set down; then, again and again, the rank that exchanges most with those that are placed already goes to the free
// place where that costs least. The first rank is the one with most traffic. Its place matters, so a few places
// spread over the machine are tried, and the mapping with the best objective is taken.
//
// Every free place is looked at as long as there are few. On a large machine only those next to the places of the
// heaviest partners are: neighbouring numbers are near each other in every hierarchy.
#include <topowise/mapper/problem/mapper_functions.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {
namespace {

constexpr std::size_t kLookAtAll = 1024;  ///< places
constexpr std::size_t kPartnersLookedAt = 8;

/// Nearest free place upwards and downwards from a number; full ones are skipped in nearly constant time.
class FreePlaces {
 public:
  explicit FreePlaces(const std::vector<PlaceCapacity>& all)
      : left_(all.size()), up_(all.size() + 2), down_(all.size() + 2) {
    for (std::size_t r = 0; r < all.size(); ++r) left_[r] = all[r].capacity;
    std::iota(up_.begin(), up_.end(), std::size_t{0});
    std::iota(down_.begin(), down_.end(), std::size_t{0});
  }

  void take(std::size_t position) {
    if (--left_[position] > 0) return;
    up_[position + 1] = position + 2;
    down_[position + 1] = position;
  }
  /// The first free place at or after `position`, or nothing (as the number of places).
  [[nodiscard]] std::size_t at_or_after(std::size_t position) { return find(up_, position + 1) - 1; }
  /// The last free place at or before `position`, or nothing (as the number of places).
  [[nodiscard]] std::size_t at_or_before(std::size_t position) {
    const std::size_t found = find(down_, position + 1);
    return found == 0 ? left_.size() : found - 1;
  }

 private:
  static std::size_t find(std::vector<std::size_t>& next, std::size_t at) {
    while (next[at] != at) at = next[at] = next[next[at]];
    return at;
  }
  std::vector<std::size_t> left_;
  std::vector<std::size_t> up_;  ///< shifted by one; both ends are always "free"
  std::vector<std::size_t> down_;
};

class Construction {
 public:
  Construction(const MapProblem& problem, const Partners& partners, const std::vector<PlaceCapacity>& all,
               const Deadline& deadline)
      : problem_(problem),
        partners_(partners),
        capacities_(all),
        deadline_(deadline),
        free_(all),
        position_of_(partners.ranks(), kNowhere) {
    connection_.assign(partners.ranks(), 0.0);
  }

  Mapping run(std::size_t first, const std::vector<std::uint32_t>& by_traffic) {
    put(by_traffic.front(), first);
    std::size_t next = 0;
    for (std::size_t placed = 1; placed < partners_.ranks() && !is_cut(); ++placed) {
      while (!queue_.empty() && position_of_[~queue_.top().second] != kNowhere) queue_.pop();
      if (!queue_.empty()) {
        const std::uint32_t rank = ~queue_.top().second;
        put(rank, best_position(rank));
      } else {
        while (position_of_[by_traffic[next]] != kNowhere) ++next;
        put(by_traffic[next], free_.at_or_after(0));
      }
    }
    std::vector<Place> places;
    for (std::size_t& position : position_of_) {
      if (position != kNowhere) continue;  // only ranks that the deadline left over go on
      position = free_.at_or_after(0);
      free_.take(position);
    }
    for (const std::size_t position : position_of_) places.push_back(capacities_[position].place);
    return Mapping(std::move(places));
  }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  /// Looks at the clock rarely: a small problem is never cut.
  [[nodiscard]] bool is_cut() {
    constexpr std::size_t kBetweenLooks = 10'000'000;
    if (looked_at_ < kBetweenLooks) return false;
    looked_at_ = 0;
    return deadline_.passed();
  }

  void put(std::uint32_t rank, std::size_t position) {
    position_of_[rank] = position;
    free_.take(position);
    looked_at_ += partners_.of(Rank(rank)).size();
    for (const Partner& partner : partners_.of(Rank(rank))) {
      const auto other = static_cast<std::uint32_t>(partner.rank.index());
      if (position_of_[other] != kNowhere) continue;
      connection_[other] += partner.both();
      queue_.emplace(connection_[other], ~other);
    }
  }

  [[nodiscard]] double cost(std::uint32_t rank, std::size_t position) {
    double sum = 0;
    looked_at_ += partners_.of(Rank(rank)).size();
    for (const Partner& partner : partners_.of(Rank(rank))) {
      const std::size_t other = position_of_[partner.rank.index()];
      if (other == kNowhere) continue;
      sum += partner.sent * pair_cost(position, other) + partner.received * pair_cost(other, position);
    }
    return sum;
  }
  [[nodiscard]] double pair_cost(std::size_t a, std::size_t b) const {
    return problem_.topology.pair_cost(problem_.metric, capacities_[a].place, capacities_[b].place);
  }

  [[nodiscard]] std::size_t best_position(std::uint32_t rank) {
    std::size_t best = kNowhere;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](std::size_t position) {
      if (position >= capacities_.size() || position == best) return;
      const double here = cost(rank, position);
      if (best == kNowhere || here < least || (here == least && position < best)) {  // all may be infinite
        least = here;
        best = position;
      }
    };
    if (capacities_.size() <= kLookAtAll) {
      for (std::size_t position = free_.at_or_after(0); position < capacities_.size();
           position = free_.at_or_after(position + 1))
        consider(position);
      return best;
    }
    heaviest_.clear();
    for (const Partner& partner : partners_.of(Rank(rank))) {
      if (position_of_[partner.rank.index()] != kNowhere)
        heaviest_.emplace_back(-partner.both(), position_of_[partner.rank.index()]);
    }
    const std::size_t looked_at = std::min(kPartnersLookedAt, heaviest_.size());
    std::ranges::partial_sort(heaviest_, heaviest_.begin() + static_cast<std::ptrdiff_t>(looked_at));
    for (std::size_t p = 0; p < looked_at; ++p) {
      consider(free_.at_or_after(heaviest_[p].second));
      consider(free_.at_or_before(heaviest_[p].second));
    }
    return best;
  }

  using Waiting = std::pair<double, std::uint32_t>;  ///< bytes, ~rank: among equal bytes the smallest rank comes first
  const MapProblem& problem_;
  const Partners& partners_;
  const std::vector<PlaceCapacity>& capacities_;
  const Deadline& deadline_;
  std::size_t looked_at_ = 0;  ///< partners looked at since the last look at the clock
  FreePlaces free_;
  std::vector<std::size_t> position_of_;  ///< by rank
  std::vector<double> connection_;        ///< by rank: bytes exchanged with those placed
  std::priority_queue<Waiting> queue_;
  std::vector<std::pair<double, std::size_t>> heaviest_;
};

}  // namespace

MapperAnswer map_greedy(const MapProblem& problem, const Budget& budget) {
  constexpr std::size_t kMostStarts = 8;
  constexpr double kWork = 4e8;  // partners looked at, over all starts
  const Partners partners(problem.traffic);
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  std::vector<double> bytes(partners.ranks(), 0.0);
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    for (const Partner& partner : partners.of(Rank(r))) bytes[r] += partner.both();
  }
  std::vector<std::uint32_t> by_traffic(partners.ranks());
  std::iota(by_traffic.begin(), by_traffic.end(), 0U);
  std::ranges::stable_sort(by_traffic, std::greater<>(), [&](std::uint32_t r) { return bytes[r]; });

  // On the average half of the places are free, and half of the partners placed.
  const double looks = static_cast<double>(problem.traffic.entries().size()) / 4 *
                       static_cast<double>(all.size() <= kLookAtAll ? all.size() : 2 * kPartnersLookedAt);
  const auto affordable = static_cast<std::size_t>(std::max(1.0, kWork / std::max(looks, 1.0)));
  const std::size_t starts = std::min({kMostStarts, affordable, all.size()});
  std::optional<MapperAnswer> best;
  for (std::size_t s = 0; s < starts && (!best || !budget.over()); ++s) {
    Mapping mapping = Construction(problem, partners, all, budget.deadline()).run(s * all.size() / starts, by_traffic);
    if (best && budget.over()) break;  // the deadline may have cut it
    const double cost = cost_of(problem, mapping);
    if (!best || cost < best->cost) best = MapperAnswer{.mapping = std::move(mapping), .cost = cost};
  }
  return *best;
}

}  // namespace topowise
