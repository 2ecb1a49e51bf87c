// SPDX-License-Identifier: BSD-3-Clause
// A lower bound of a quadratic assignment problem that is carried from a branch of a search to its children.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/mapper/bound/assignment.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// The part of a problem in which some ranks are placed: the others, the slots left, and a lower bound in the form of
/// Hahn and Grant (dual_ascent.cpp). Indices below are positions in `rank` and `slot`.
class Relaxation {
 public:
  std::vector<std::uint32_t> rank;  ///< not yet placed
  std::vector<std::uint32_t> slot;  ///< still free

  /// The whole problem, nothing placed, bound 0.
  static Relaxation whole(const Instance& instance);

  [[nodiscard]] double bound() const { return bound_; }
  /// No mapping that costs less than the limit in force puts that rank there.
  [[nodiscard]] bool is_out(std::size_t i, std::size_t j) const { return out_[i * slot.size() + j] != 0; }
  void rule_out(std::size_t i, std::size_t j) { out_[i * slot.size() + j] = 1; }

  /// One round of dual ascent; the bound grows or stays. Rules assignments out whose own bound reaches `limit`. False
  /// if the bound reaches it, or no assignment is left: then no mapping below the limit exists here.
  bool ascend(double limit, Assignment& assignment);

  /// The bound of the child in which rank i is on slot j.
  [[nodiscard]] double child_bound(std::size_t i, std::size_t j, double limit, Assignment& assignment);
  /// Turns `child` into the child in which rank i is on slot j; uses its memory again.
  void make_child(std::size_t i, std::size_t j, Relaxation& child) const;

 private:
  [[nodiscard]] std::size_t size() const { return rank.size() * slot.size(); }
  void share_out();
  void halve_differences();
  /// Fills scratch_ with price([k][l]) of all ranks but i on all slots but j, and with `never` where that is ruled out.
  template <class Price>
  void gather_others(std::size_t i, std::size_t j, double never, Price price);
  bool ascend_below(std::size_t i, std::size_t j, double limit, Assignment& assignment);

  double bound_ = 0;
  std::vector<double> single_;      ///< [i][j]: price of rank i on slot j
  std::vector<double> pair_;        ///< [i][j][k][l]: what i on j pays further if k is on l
  std::vector<unsigned char> out_;  ///< [i][j]
  std::vector<double> scratch_;
};

}  // namespace topowise
