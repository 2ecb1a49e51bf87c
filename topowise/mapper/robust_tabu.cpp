// SPDX-License-Identifier: BSD-3-Clause
// E. Taillard, "Robust taboo search for the quadratic assignment problem", Parallel Computing 17 (1991).
//
// A step exchanges the slots of two items and takes the best exchange that is not tabu, even if it makes things worse.
// An exchange is tabu while both items would return to slots that they left less than T steps ago; T is drawn anew each
// time from [0.9 n, 1.1 n] (section 3). It is allowed all the same if it leads to a new best, and it is forced if
// neither item has been in its new slot for a very long time (the aspiration function).
//
// Items 0..ranks-1 are the ranks; the others stand for "nobody" and fill the empty slots, so that a rank's move to an
// empty slot is an exchange like any other. Two nobodies never change places.
//
// The change of cost of every exchange is kept. After the exchange of r and s the entry of a disjoint pair (i, j)
// changes by (Burkard and Rendl 1984; here for matrices that need not be symmetric)
//     (x_i - x_j) (g_i - g_j) + (y_i - y_j) (h_i - h_j)
//     x_i = F[r][i] - F[s][i]      g_i = D[p_s][p_i] - D[p_r][p_i]
//     y_i = F[i][r] - F[i][s]      h_i = D[p_i][p_s] - D[p_i][p_r]
// with the slots p after the exchange: O(1), and nothing where neither i nor j talks to r or s.
#include <topowise/mapper/robust_tabu.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <topowise/base/random.hpp>

namespace topowise {
namespace {

class Search {
 public:
  Search(const Instance& instance, SlotOfRank start, const TabuLimits& limits)
      : instance_(instance),
        ranks_(instance.ranks),
        items_(instance.slots),
        limits_(limits),
        random_(limits.seed),
        slot_(start.begin(), start.end()),
        delta_(ranks_ * items_, 0.0),
        tabu_until_(ranks_ * items_, 0),
        x_(items_, 0.0),
        y_(items_, 0.0),
        g_(items_, 0.0),
        h_(items_, 0.0) {
    std::vector<bool> taken(items_, false);
    for (const std::uint32_t slot : start) taken[slot] = true;
    for (std::uint32_t slot = 0; slot < items_; ++slot) {
      if (!taken[slot]) slot_.push_back(slot);
    }
    partners_.resize(ranks_);
    for (std::uint32_t i = 0; i < ranks_; ++i) {
      for (std::uint32_t j = 0; j < ranks_; ++j) {
        if (flow(i, j) != 0 || flow(j, i) != 0) partners_[i].push_back(j);
      }
    }
    for (std::uint32_t i = 0; i < ranks_; ++i) {
      for (std::uint32_t j = i + 1; j < items_; ++j) delta(i, j) = full_delta(i, j);
    }
    cost_ = instance.cost_of(start);
    best_ = {std::move(start), cost_};
    // Distinct negative times, so that the aspiration does not fire for all pairs at once.
    for (std::size_t i = 0; i < tabu_until_.size(); ++i) tabu_until_[i] = -static_cast<std::int64_t>(i % items_);
  }

  TabuResult run(const Deadline& deadline) {
    if (items_ < 2) return best_;
    constexpr std::size_t kLookAtClock = 64;
    for (std::size_t step = 1; step <= limits_.iterations && best_.cost > limits_.target; ++step) {
      if (step % kLookAtClock == 0 && deadline.passed()) break;
      const Pair chosen = choose(static_cast<std::int64_t>(step));
      if (chosen.i == chosen.j) continue;
      exchange(chosen, static_cast<std::int64_t>(step));
    }
    return best_;
  }

 private:
  struct Pair {
    std::uint32_t i = 0;
    std::uint32_t j = 0;
  };

  [[nodiscard]] double flow(std::size_t i, std::size_t j) const { return instance_.flow[i * ranks_ + j]; }
  [[nodiscard]] const double* cost_from(std::size_t slot) const { return &instance_.cost[slot * items_]; }
  [[nodiscard]] double& delta(std::size_t i, std::size_t j) { return delta_[i * items_ + j]; }

  /// Cost after minus before if item i goes to slot `to` and no one else moves; `except` is left out.
  [[nodiscard]] double moved(std::uint32_t i, std::uint32_t from, std::uint32_t to, std::uint32_t except) const {
    double change = 0;
    for (const std::uint32_t k : partners_[i]) {
      if (k == except) continue;
      const std::uint32_t there = slot_[k];
      change += flow(i, k) * (cost_from(to)[there] - cost_from(from)[there]) +
                flow(k, i) * (cost_from(there)[to] - cost_from(there)[from]);
    }
    return change;
  }

  [[nodiscard]] double full_delta(std::uint32_t i, std::uint32_t j) const {
    const std::uint32_t pi = slot_[i];
    const std::uint32_t pj = slot_[j];
    double change = moved(i, pi, pj, j);
    if (j < ranks_) {
      change += moved(j, pj, pi, i);
      change += (flow(i, j) - flow(j, i)) * (cost_from(pj)[pi] - cost_from(pi)[pj]);
    }
    return change;
  }

  Pair choose(std::int64_t step) const {
    const std::int64_t longest = 5 * static_cast<std::int64_t>(items_ * items_);
    Pair chosen;
    double least = std::numeric_limits<double>::infinity();
    bool aspired = false;
    for (std::uint32_t i = 0; i < ranks_; ++i) {
      const double* row = &delta_[i * items_];
      const std::int64_t* until = &tabu_until_[i * items_];
      for (std::uint32_t j = i + 1; j < items_; ++j) {
        if (row[j] >= least && !(step > longest)) continue;
        const std::int64_t mine = until[slot_[j]];
        const std::int64_t its = j < ranks_ ? tabu_until_[j * items_ + slot_[i]] : mine;
        const bool allowed = mine < step || its < step;
        const bool forced =
            (mine < step - longest && its < step - longest) || cost_ + row[j] < best_.cost - tolerance();
        if ((forced && !aspired) || (forced == aspired && row[j] < least && (allowed || forced))) {
          chosen = {i, j};
          least = row[j];
          aspired = forced;
        }
      }
    }
    return chosen;
  }

  [[nodiscard]] double tolerance() const { return 1e-12 * best_.cost; }

  void exchange(Pair pair, std::int64_t step) {
    const auto [r, s] = pair;
    cost_ += delta(r, s);
    const auto spread = static_cast<std::uint32_t>(items_ / 5 + 1);
    const auto shortest = static_cast<std::int64_t>(items_ - items_ / 10);
    tabu_until_[r * items_ + slot_[r]] = step + shortest + random_.below(spread);
    if (s < ranks_) tabu_until_[s * items_ + slot_[s]] = step + shortest + random_.below(spread);
    std::swap(slot_[r], slot_[s]);
    update(r, s);
    if (cost_ < best_.cost - tolerance()) {
      best_.cost = cost_;
      best_.slot_of_rank.assign(slot_.begin(), slot_.begin() + static_cast<std::ptrdiff_t>(ranks_));
    }
  }

  void update(std::uint32_t r, std::uint32_t s) {
    const std::uint32_t pr = slot_[r];
    const std::uint32_t ps = slot_[s];
    touched_.clear();
    for (const std::uint32_t end : {r, s}) {
      if (end >= ranks_) continue;
      for (const std::uint32_t i : partners_[end]) {
        if (x_[i] != 0 || y_[i] != 0 || i == r || i == s) continue;  // seen, or computed in full below
        x_[i] = (r < ranks_ ? flow(r, i) : 0.0) - (s < ranks_ ? flow(s, i) : 0.0);
        y_[i] = (r < ranks_ ? flow(i, r) : 0.0) - (s < ranks_ ? flow(i, s) : 0.0);
        if (x_[i] != 0 || y_[i] != 0) touched_.push_back(i);
      }
    }
    for (std::uint32_t i = 0; i < items_; ++i) {
      g_[i] = cost_from(ps)[slot_[i]] - cost_from(pr)[slot_[i]];
      h_[i] = cost_from(slot_[i])[ps] - cost_from(slot_[i])[pr];
    }
    if (2 * touched_.size() > ranks_) {
      for (std::uint32_t i = 0; i < ranks_; ++i) add_to_row(i);
    } else {
      update_touched();
    }
    for (const std::uint32_t i : touched_) x_[i] = y_[i] = 0;
    for (const std::uint32_t end : {r, s}) {
      for (std::uint32_t i = 0; i < end && i < ranks_; ++i) delta(i, end) = full_delta(i, end);
      for (std::uint32_t j = end + 1; end < ranks_ && j < items_; ++j) delta(end, j) = full_delta(end, j);
    }
  }

  void add_to_row(std::uint32_t i) {
    double* row = &delta_[i * items_];
    const double xi = x_[i];
    const double yi = y_[i];
    const double gi = g_[i];
    const double hi = h_[i];
    if (instance_.symmetric) {
      for (std::uint32_t j = i + 1; j < items_; ++j) row[j] += 2.0 * (xi - x_[j]) * (gi - g_[j]);
    } else {
      for (std::uint32_t j = i + 1; j < items_; ++j)
        row[j] += (xi - x_[j]) * (gi - g_[j]) + (yi - y_[j]) * (hi - h_[j]);
    }
  }

  /// Rows of the touched ranks, and their columns in the rows of the others.
  void update_touched() {
    for (const std::uint32_t i : touched_) add_to_row(i);
    for (const std::uint32_t j : touched_) {
      for (std::uint32_t i = 0; i < j; ++i) {
        if (x_[i] != 0 || y_[i] != 0) continue;  // its whole row was updated
        delta(i, j) += x_[j] * (g_[j] - g_[i]) + y_[j] * (h_[j] - h_[i]);
      }
    }
  }

  const Instance& instance_;
  std::size_t ranks_;
  std::size_t items_;
  TabuLimits limits_;
  Random random_;
  std::vector<std::uint32_t> slot_;  ///< of every item
  std::vector<double> delta_;        ///< [i][j], i < j: cost after minus before the exchange
  std::vector<std::int64_t> tabu_until_;
  std::vector<std::vector<std::uint32_t>> partners_;
  std::vector<double> x_, y_, g_, h_;  ///< as in the essay above
  std::vector<std::uint32_t> touched_;
  double cost_ = 0;
  TabuResult best_;
};

}  // namespace

TabuResult robust_tabu(const Instance& instance, SlotOfRank start, const TabuLimits& limits, const Deadline& deadline) {
  return Search(instance, std::move(start), limits).run(deadline);
}

}  // namespace topowise
