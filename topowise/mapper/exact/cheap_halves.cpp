// SPDX-License-Identifier: BSD-3-Clause
// Branch and bound: the ranks go to one half or the other, one after the other, first those that have the most traffic
// with the ranks that have gone before. Of a rank that is still free, at least the lesser of its traffic with each half
// will cross; if more free ranks prefer a half than it has room for, those with the least to lose go to the other.
#include <topowise/mapper/exact/cheap_halves.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace topowise {
namespace {

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

}  // namespace

std::size_t visit_cheap_halves(const PairBytes& bytes, double most, std::size_t limit, const Deadline& deadline,
                               const HalfVisit& visit) {
  return HalfSearch(bytes, most, limit, deadline, visit).run();
}

}  // namespace topowise
