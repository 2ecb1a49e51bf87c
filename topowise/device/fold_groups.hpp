// SPDX-License-Identifier: BSD-3-Clause
// How a GPU's kernel goes through the vectors: in groups of 16 bytes, the most that a thread reads at once, and of
// several vectors before it computes with the first. A GPU's memory is busy only while enough reads are under way;
// elements of one or two bytes, read one by one and one after the other, leave most of its bandwidth unused. This is
// for every compiler, so that tests can compare it with fold(), which it must equal in every bit.
#pragma once

#include <topowise/device/fold_code.hpp>

namespace topowise::device::kernel {

inline constexpr unsigned long long kGroupBytes = 16;
/// Threads of a block.
inline constexpr unsigned kFoldThreads = 256;
/// Blocks that a processor of a GPU holds at once, if its registers allow it: they set how many each thread may have.
/// With fewer registers NVIDIA's assembler spills some on old GPUs, or reads a vector only when it is done with the
/// last one.
inline constexpr unsigned kFoldBlocks = 5;

/// Whether every byte of the type is a field's. What lies between the fields of a pair is the program's.
template <class T>
inline constexpr bool kIsDense = true;
template <class Value, class Index>
inline constexpr bool kIsDense<Pair<Value, Index>> = sizeof(Pair<Value, Index>) == sizeof(Value) + sizeof(Index);

/// One element, which may be where no group begins.
template <class T>
struct Single {
  using Type = T;
  static constexpr unsigned kCount = 1;
  T at[1];

  template <class Grid>
  static constexpr Single read(unsigned long long address) {
    return {{*reinterpret_cast<const T*>(address)}};
  }
};

/// A group as it is read and written: GPUs take 16 bytes at once only as four words, whatever is in them.
using Words = unsigned __attribute__((vector_size(kGroupBytes), may_alias));

/// The elements of a group.
template <class T>
struct Group {
  using Type = T;
  static constexpr unsigned kCount = kGroupBytes / sizeof(T);
  T at[kCount];

  template <class Grid>
  static constexpr Group read(unsigned long long address) {
    return __builtin_bit_cast(Group, Grid::read(address));
  }
};

/// act(0), act(1), ..., written out: a GPU's compiler would keep what a loop goes through in memory.
template <unsigned count, unsigned first = 0, class Act>
constexpr void for_each(const Act& act) {
  if constexpr (first < count) {
    act(first);
    for_each<count, first + 1>(act);
  }
}

/// What the elements of a pack are folded in.
template <class Pack>
struct Values {
  typename Accumulator<typename Pack::Type>::Type at[Pack::kCount];
};

template <class Grid, class T>
constexpr void write(unsigned long long address, const Values<Single<T>>& values, const Single<T>& /*as*/) {
  Accumulator<T>::store(*reinterpret_cast<T*>(address), values.at[0]);
}
template <class Grid, class T>
constexpr void write(unsigned long long address, const Values<Group<T>>& values, const Group<T>& /*as*/) {
  constexpr unsigned kCount = Group<T>::kCount;
  if constexpr (kIsDense<T>) {
    Group<T> group;
    for_each<kCount>([&](unsigned e) { Accumulator<T>::store(group.at[e], values.at[e]); });
    Grid::write(address, __builtin_bit_cast(Words, group));
  } else {
    for_each<kCount>([&](unsigned e) { Accumulator<T>::store(reinterpret_cast<T*>(address)[e], values.at[e]); });
  }
}

/// Reads the next `count` vectors before it folds any of them. None of them is read under a condition: NVIDIA's
/// assembler would compute with the first one between the reads.
template <unsigned count, class Operation, class Grid, class Pack>
constexpr Values<Pack> fold_next(Values<Pack> values, const FoldOperands& operands, unsigned first,
                                 unsigned long long offset) {
  using Access = Accumulator<typename Pack::Type>;
  unsigned long long begin[count];
  Pack read[count];
  for_each<count>([&](unsigned k) { begin[k] = operands.from[first + k] + offset; });
  for_each<count>([&](unsigned k) { read[k] = Pack::template read<Grid>(begin[k]); });
  for_each<count>([&](unsigned k) {
    for_each<Pack::kCount>([&](unsigned e) {
      const auto next = Access::load(read[k].at[e]);
      values.at[e] = first + k == 0 ? next : Operation::of(values.at[e], next);
    });
  });
  return values;
}

/// Folds what lies `offset` bytes from the beginning of each vector.
template <class Operation, class Grid, class Pack>
constexpr void fold_pack(const FoldOperands& operands, unsigned from, unsigned to, unsigned long long offset) {
  Values<Pack> values{};
  unsigned k = 0;
  for (; k + 1 < from; k += 2) values = fold_next<2, Operation, Grid, Pack>(values, operands, k, offset);
  if (k < from) values = fold_next<1, Operation, Grid, Pack>(values, operands, k, offset);
  for (k = 0; k < to; ++k) write<Grid>(operands.to[k] + offset, values, Pack{});
}

/// How many elements come before the first group, which begins at the same element of every vector; all `count` where
/// there is no such element. Vectors have `size` bytes an element.
constexpr unsigned long long elements_before_groups(const FoldOperands& operands, unsigned from, unsigned to,
                                                    unsigned long long count, unsigned long long size) {
  const unsigned long long first = operands.from[0] % kGroupBytes;
  bool alike = true;
  for (unsigned k = 0; k < from; ++k) alike = alike && operands.from[k] % kGroupBytes == first;
  for (unsigned k = 0; k < to; ++k) alike = alike && operands.to[k] % kGroupBytes == first;
  const unsigned long long bytes = (kGroupBytes - first) % kGroupBytes;
  return alike && bytes % size == 0 && bytes / size < count ? bytes / size : count;
}

/// Does what fold() does, in groups behind the first `before` elements, as elements_before_groups() counts them.
template <class Operation, class T, class Grid>
constexpr void fold_in_groups(Grid grid, const FoldOperands& operands, unsigned from, unsigned to,
                              unsigned long long count, unsigned long long before) {
  const unsigned long long groups = (count - before) / Group<T>::kCount;
  for (unsigned long long i = grid.first(); i < groups; i += grid.step())
    fold_pack<Operation, Grid, Group<T>>(operands, from, to, before * sizeof(T) + i * kGroupBytes);
  const unsigned long long grouped = groups * Group<T>::kCount;
  for (unsigned long long i = grid.first(); i < count - grouped; i += grid.step())
    fold_pack<Operation, Grid, Single<T>>(operands, from, to, (i < before ? i : i + grouped) * sizeof(T));
}

}  // namespace topowise::device::kernel
