// SPDX-License-Identifier: BSD-3-Clause
// Which places of a machine, or ranks of a job, are alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace topowise {

/// The automorphisms of a square matrix: permutations that leave it unchanged.
///
/// A search that has fixed some elements need try only one element of each orbit of those automorphisms that leave the
/// fixed ones where they are. The group may be far too large to list (a tree of 16 leaves has 2^15, 16 equal places
/// have 16!), so it is never listed: colours are refined until they are stable (Weisfeiler and Leman 1968), and for two
/// elements of one colour an automorphism that carries one to the other is looked for by backtracking. On trees,
/// hypercubes and identical elements that succeeds without going back; the effort is bounded, and an automorphism that
/// is not found only costs time later.
class Symmetry {
 public:
  Symmetry(std::span<const double> matrix, std::size_t size);

  /// For every element the smallest one of its orbit. Elements of `fixed` are alone.
  [[nodiscard]] std::vector<std::uint32_t> representatives(std::span<const std::uint32_t> fixed) const;

 private:
  using Elements = std::vector<std::uint32_t>;
  [[nodiscard]] Elements stable_colours(std::span<const std::uint32_t> fixed) const;
  [[nodiscard]] std::uint32_t relation(std::size_t a, std::size_t b) const { return relation_[a * size_ + b]; }

  class Search;
  std::size_t size_;
  std::vector<std::uint32_t> relation_;  ///< one number for each distinct pair (matrix[a][b], matrix[b][a])
};

}  // namespace topowise
