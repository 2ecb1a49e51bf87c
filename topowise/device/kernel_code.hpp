// SPDX-License-Identifier: BSD-3-Clause
// The kernels, written once for every compiler. kernels.cu makes GPU kernels of them; the host's compiler makes their
// oracle of the same lines. No header is included, so clang needs none of NVIDIA's. Functions are constexpr because
// clang lets the GPU call such functions without any attribute of CUDA.
//
// A `Grid` says which elements belong to the calling thread: first() and step().
#pragma once

namespace topowise::device::kernel {

/// Signed sums wrap around like unsigned ones, and small types do not overflow an int on the way.
template <class T>
struct Wrapping {
  using Type = T;
};
template <>
struct Wrapping<signed char> {
  using Type = unsigned;
};
template <>
struct Wrapping<unsigned char> {
  using Type = unsigned;
};
template <>
struct Wrapping<short> {
  using Type = unsigned;
};
template <>
struct Wrapping<unsigned short> {
  using Type = unsigned;
};
template <>
struct Wrapping<int> {
  using Type = unsigned;
};
template <>
struct Wrapping<long long> {
  using Type = unsigned long long;
};

struct Sum {
  template <class T>
  static constexpr T of(T a, T b) {
    using Wide = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
  }
};
struct Prod {
  template <class T>
  static constexpr T of(T a, T b) {
    using Wide = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
  }
};
/// Keeps the first operand of a number and NaN, as `b < a ? b : a` does.
struct Min {
  template <class T>
  static constexpr T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static constexpr T of(T a, T b) {
    return a < b ? b : a;
  }
};

/// to[i] = Operation(to[i], from[i])
template <class Operation, class Grid, class T>
constexpr void reduce(Grid grid, T* to, const T* from, unsigned long long count) {
  for (unsigned long long i = grid.first(); i < count; i += grid.step()) to[i] = Operation::of(to[i], from[i]);
}

template <class Grid, class T>
constexpr void copy(Grid grid, T* to, const T* from, unsigned long long count) {
  for (unsigned long long i = grid.first(); i < count; i += grid.step()) to[i] = from[i];
}

template <class Grid, class T>
constexpr void fill(Grid grid, T* to, T value, unsigned long long count) {
  for (unsigned long long i = grid.first(); i < count; i += grid.step()) to[i] = value;
}

}  // namespace topowise::device::kernel
