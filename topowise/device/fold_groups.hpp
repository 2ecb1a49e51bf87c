// SPDX-License-Identifier: BSD-3-Clause
// How a GPU's kernel goes through the vectors: in groups of 16 bytes, which are what a thread reads at once. Elements
// of two or four bytes, read one by one, leave much of the memory's bandwidth unused, as a thread waits for what it has
// read before it reads more. This is for every compiler, so that tests can compare it with fold(), which it must equal
// in every bit.
#pragma once

#include <topowise/device/fold_code.hpp>

namespace topowise::device::kernel {

inline constexpr unsigned long long kGroupBytes = 16;
/// Threads of a block.
inline constexpr unsigned kFoldThreads = 256;

/// Pairs are taken one by one: what lies between their fields stays as it was.
template <class T>
inline constexpr unsigned kInGroup = kGroupBytes / sizeof(T);
template <class Value, class Index>
inline constexpr unsigned kInGroup<Pair<Value, Index>> = 1;

template <class T>
struct alignas(kGroupBytes) Group {
  T at[kInGroup<T>];
};

/// Whether all vectors begin where groups do.
constexpr bool are_aligned(const FoldOperands& operands, unsigned from, unsigned to) {
  unsigned long long all = 0;
  for (unsigned k = 0; k < from; ++k) all |= operands.from[k];
  for (unsigned k = 0; k < to; ++k) all |= operands.to[k];
  return all % kGroupBytes == 0;
}

template <class Operation, class T, class Grid>
constexpr void fold_groups(Grid grid, const FoldOperands& operands, unsigned from, unsigned to,
                           unsigned long long groups) {
  for (unsigned long long i = grid.first(); i < groups; i += grid.step()) {
    typename Accumulator<T>::Type values[kInGroup<T>];
    const Group<T> first = reinterpret_cast<const Group<T>*>(operands.from[0])[i];
    for (unsigned e = 0; e < kInGroup<T>; ++e) values[e] = Accumulator<T>::load(first.at[e]);
    for (unsigned k = 1; k < from; ++k) {
      const Group<T> next = reinterpret_cast<const Group<T>*>(operands.from[k])[i];
      for (unsigned e = 0; e < kInGroup<T>; ++e) values[e] = Operation::of(values[e], Accumulator<T>::load(next.at[e]));
    }
    Group<T> result;
    for (unsigned e = 0; e < kInGroup<T>; ++e) Accumulator<T>::store(result.at[e], values[e]);
    for (unsigned k = 0; k < to; ++k) reinterpret_cast<Group<T>*>(operands.to[k])[i] = result;
  }
}

/// The elements of a grid from `begin` on.
template <class Grid>
struct Behind {
  Grid grid;
  unsigned long long begin;
  [[nodiscard]] constexpr unsigned long long first() const { return begin + grid.first(); }
  [[nodiscard]] constexpr unsigned long long step() const { return grid.step(); }
};

/// Does what fold() does, in groups.
template <class Operation, class T, class Grid>
constexpr void fold_in_groups(Grid grid, const FoldOperands& operands, unsigned from, unsigned to,
                              unsigned long long count) {
  const unsigned long long groups = kInGroup<T> > 1 && are_aligned(operands, from, to) ? count / kInGroup<T> : 0;
  if constexpr (kInGroup < T >> 1) fold_groups<Operation, T>(grid, operands, from, to, groups);
  fold<Operation, T>(Behind<Grid>{grid, groups * kInGroup<T>}, operands, from, to, count);
}

}  // namespace topowise::device::kernel
