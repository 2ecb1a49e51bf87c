// SPDX-License-Identifier: BSD-3-Clause
// P. Hahn and T. Grant, "Lower bounds for the quadratic assignment problem based upon a dual formulation", Operations
// Research 46 (1998): an ascent for the dual of the level-1 reformulation (RLT1, Adams and Johnson 1994).
//
// The cost of a mapping is  bound + sum over ranks i of single[i][j] + sum over ordered pairs of ranks of
// pair[i][j][k][l], where j and l are the slots of i and k. Three moves leave every mapping's cost as it is:
//   (1) pair[i][j][k][l] may be paid by pair[k][l][i][j] instead: both are paid or neither;
//   (2) a price that every choice of slots for the others pays may go from pair[i][j] to single[i][j]: if i is on j
//       then each other rank takes one slot, so this is an assignment problem over (k, l) and its optimal prices go;
//   (3) in the same way the optimal prices of the assignment problem over single go to the bound.
// All numbers stay at least 0, so the bound is a lower bound. A round is: share all single[i][j] out to the rows of
// their pairs, halve the differences of opposite pairs (1), then (2) everywhere and (3). The first round yields the
// bound of Gilmore and Lawler, later ones approach that of the linear program, which is much stronger. (Taking the
// whole opposite pair instead of half the difference, one (i, j) after the other, gets stuck far lower: nug12 at 480
// against 511.)
//
// A child of the search, i on j, takes the remaining prices over: single[k][l] + pair[i][j][k][l] + pair[k][l][i][j].
// So it starts where its parent ended, and its first bound is one small assignment problem.
//
// If bound + single[i][j] after (2) or (3) reaches the cost of the best mapping known, then i is not on j in
// any better one. Such assignments are ruled out, which makes the assignment problems of all others more expensive.
//
// With more slots than ranks the prices of slots are at most 0 and some are not collected (assignment.hpp); the bound
// holds all the same.
#include <topowise/mapper/bound/dual_ascent.hpp>

#include <algorithm>

namespace topowise {

Relaxation Relaxation::whole(const Instance& instance) {
  Relaxation result;
  for (std::uint32_t i = 0; i < instance.ranks; ++i) result.rank.push_back(i);
  for (std::uint32_t j = 0; j < instance.slots; ++j) result.slot.push_back(j);
  const std::size_t size = result.size();
  result.single_.assign(size, 0.0);
  result.out_.assign(size, 0);
  result.pair_.resize(size * size);
  double* entry = result.pair_.data();
  for (std::size_t i = 0; i < instance.ranks; ++i) {
    for (std::size_t j = 0; j < instance.slots; ++j) {
      for (std::size_t k = 0; k < instance.ranks; ++k) {
        for (std::size_t l = 0; l < instance.slots; ++l)
          *entry++ = instance.flow[i * instance.ranks + k] * instance.cost[j * instance.slots + l];
      }
    }
  }
  return result;
}

bool Relaxation::ascend(double limit, Assignment& assignment) {
  const std::size_t n = rank.size();
  const std::size_t m = slot.size();
  if (n > 1) {
    share_out();
    halve_differences();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        if (!is_out(i, j) && !ascend_below(i, j, limit, assignment)) rule_out(i, j);
      }
    }
  }
  // What is ruled out costs more than any mapping that is looked for.
  const double never = 2 * (limit - bound_) + 1;
  for (std::size_t e = 0; e < n * m; ++e) {
    if (out_[e] != 0) single_[e] = never;
  }
  bound_ += assignment.reduce(single_.data(), n, m);
  if (bound_ >= limit) return false;
  for (std::size_t e = 0; e < n * m; ++e) {
    single_[e] = std::max(single_[e], 0.0);  // rounding
    if (bound_ + single_[e] >= limit) out_[e] = 1;
  }
  return true;
}

/// Shares single[i][j] out evenly to the rows of its pairs, each of which is paid exactly once: move (2) backwards.
/// Only in this way can the other ranks take the price over.
void Relaxation::share_out() {
  const std::size_t all = size();
  for (std::size_t e = 0; e < all; ++e) {
    if (out_[e] != 0) continue;
    const double share = single_[e] / static_cast<double>(rank.size() - 1);
    if (share == 0) continue;
    for (double* entry = &pair_[e * all]; entry != &pair_[e * all] + all; ++entry) *entry += share;
  }
}

/// Lets each of two opposite prices pay half of what the pair pays: move (1).
void Relaxation::halve_differences() {
  const std::size_t all = size();
  constexpr std::size_t kBlock = 16;  // of the matrix all x all, for the sake of the cache
  for (std::size_t a0 = 0; a0 < all; a0 += kBlock) {
    for (std::size_t b0 = 0; b0 <= a0; b0 += kBlock) {
      for (std::size_t a = a0; a < std::min(a0 + kBlock, all); ++a) {
        for (std::size_t b = b0; b < std::min(b0 + kBlock, a); ++b)
          pair_[a * all + b] = pair_[b * all + a] = (pair_[a * all + b] + pair_[b * all + a]) / 2;
      }
    }
  }
}

template <class Price>
void Relaxation::gather_others(std::size_t i, std::size_t j, double never, Price price) {
  const std::size_t n = rank.size();
  const std::size_t m = slot.size();
  scratch_.resize((n - 1) * (m - 1));
  double* entry = scratch_.data();
  for (std::size_t k = 0; k < n; ++k) {
    if (k == i) continue;
    for (std::size_t l = 0; l < m; ++l) {
      if (l == j) continue;
      const std::size_t there = k * m + l;
      *entry++ = out_[there] != 0 ? never : price(there);
    }
  }
}

/// Makes move (2) for rank i on slot j. Returns false if that reaches the limit.
bool Relaxation::ascend_below(std::size_t i, std::size_t j, double limit, Assignment& assignment) {
  const std::size_t n = rank.size();
  const std::size_t m = slot.size();
  const std::size_t all = n * m;
  const std::size_t here = i * m + j;
  const double never = 2 * (limit - bound_) + 1;
  double* mine = &pair_[here * all];
  gather_others(i, j, never, [&](std::size_t there) { return mine[there]; });
  single_[here] = assignment.reduce(scratch_.data(), n - 1, m - 1, limit - bound_);
  if (bound_ + single_[here] >= limit) return false;
  const double* entry = scratch_.data();
  for (std::size_t k = 0; k < n; ++k) {
    if (k == i) continue;
    for (std::size_t l = 0; l < m; ++l) {
      if (l != j) mine[k * m + l] = std::max(*entry++, 0.0);  // rounding
    }
  }
  return true;
}

double Relaxation::child_bound(std::size_t i, std::size_t j, double limit, Assignment& assignment) {
  const std::size_t n = rank.size();
  const std::size_t m = slot.size();
  const std::size_t all = n * m;
  const std::size_t here = i * m + j;
  const double start = bound_ + single_[here];
  if (n == 1) return start;
  const double never = 2 * (limit - bound_) + 1;
  const double* mine = &pair_[here * all];
  const double* opposite = &pair_[here];
  gather_others(i, j, never, [&](std::size_t there) { return single_[there] + mine[there] + opposite[there * all]; });
  return start + assignment.reduce(scratch_.data(), n - 1, m - 1, limit - start);
}

void Relaxation::make_child(std::size_t i, std::size_t j, Relaxation& child) const {
  const std::size_t n = rank.size();
  const std::size_t m = slot.size();
  const std::size_t all = n * m;
  const std::size_t here = i * m + j;
  child.rank = rank;
  child.rank.erase(child.rank.begin() + static_cast<std::ptrdiff_t>(i));
  child.slot = slot;
  child.slot.erase(child.slot.begin() + static_cast<std::ptrdiff_t>(j));
  child.bound_ = bound_ + single_[here];
  child.single_.clear();
  child.out_.clear();
  child.pair_.clear();
  for (std::size_t a = 0; a < all; ++a) {
    if (a / m == i || a % m == j) continue;
    child.single_.push_back(single_[a] + pair_[here * all + a] + pair_[a * all + here]);
    child.out_.push_back(out_[a]);
    const double* row = &pair_[a * all];
    for (std::size_t k = 0; k < n; ++k) {
      if (k == i) continue;
      child.pair_.insert(child.pair_.end(), row + k * m, row + k * m + j);
      child.pair_.insert(child.pair_.end(), row + k * m + j + 1, row + (k + 1) * m);
    }
  }
}

}  // namespace topowise
