// SPDX-License-Identifier: BSD-3-Clause
// Folding many vectors into one, written once for every compiler: a GPU's kernels, the host's reduction and the
// stand-in driver are made of these lines. Operands are taken in the order of their numbers, so whoever computes an
// element gets the same bits. 16-bit floating-point numbers are accumulated as 32-bit ones and rounded once.
//
// No header is included, so clang needs none of NVIDIA's. Functions are constexpr because clang lets the GPU call such
// functions without any attribute of CUDA.
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

/// IEEE 754 binary16 and bfloat16, as bits.
struct Half {
  unsigned short bits;
};
struct Bfloat {
  unsigned short bits;
};
template <class T>
struct Complex {
  T real, imaginary;
};
/// MPI_FLOAT_INT and its like, with the padding that C gives them.
template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

constexpr float float_of(unsigned bits) {
  return __builtin_bit_cast(float, bits);
}
constexpr unsigned bits_of(float value) {
  return __builtin_bit_cast(unsigned, value);
}

/// How an element is loaded for computing, and stored again.
template <class T>
struct Accumulator {
  using Type = T;
  static constexpr T load(const T& stored) { return stored; }
  static constexpr void store(T& to, const T& value) { to = value; }
};
template <>
struct Accumulator<Bfloat> {
  using Type = float;
  static constexpr float load(const Bfloat& stored) { return float_of(static_cast<unsigned>(stored.bits) << 16); }
  static constexpr void store(Bfloat& to, float value) {
    const unsigned bits = bits_of(value);
    const bool nan = (bits & 0x7fffffffU) > 0x7f800000U;  // every NaN is stored as the same one, whoever computed it
    to.bits = static_cast<unsigned short>(nan ? 0x7fc0U : (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
  }
};
template <>
struct Accumulator<Half> {
  using Type = float;
  static constexpr float load(const Half& stored) {
    const unsigned sign = (stored.bits & 0x8000U) << 16;
    const unsigned rest = stored.bits & 0x7fffU;
    if (rest >= 0x7c00U) return float_of(sign | 0x7f800000U | (rest & 0x3ffU) << 13);  // infinite, NaN
    if (rest >= 0x400U) return float_of(sign | ((rest << 13) + (112U << 23)));         // exponents differ by 112
    return float_of(sign | bits_of(static_cast<float>(rest) * 0x1p-24F));              // subnormal
  }
  /// Rounds to the nearest number, and to the even one of two that are equally near.
  static constexpr void store(Half& to, float value) {
    const unsigned sign = bits_of(value) >> 16 & 0x8000U;
    const unsigned size = bits_of(value) & 0x7fffffffU;
    if (size > 0x7f800000U) {
      to.bits = 0x7e00U;  // NaN
      return;
    }
    unsigned rest = 0;
    if (size >= bits_of(65520.0F))
      rest = 0x7c00U;  // beyond the largest number
    else if (size >= bits_of(0x1p-14F))
      rest = (size + 0xfffU + (size >> 13 & 1U) - (112U << 23)) >> 13;
    else
      rest = bits_of(float_of(size) + 0.5F) - bits_of(0.5F);  // in units of 2^-24, which this addition rounds to
    to.bits = static_cast<unsigned short>(sign | rest);
  }
};
/// Stores field by field, because what lies between the fields is the program's.
template <class Value, class Index>
struct Accumulator<Pair<Value, Index>> {
  using Type = Pair<Value, Index>;
  static constexpr Type load(const Type& stored) { return {stored.value, stored.index}; }
  static constexpr void store(Type& to, const Type& value) {
    to.value = value.value;
    to.index = value.index;
  }
};

template <class T>
constexpr Complex<T> operator+(const Complex<T>& a, const Complex<T>& b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
template <class T>
constexpr Complex<T> operator*(const Complex<T>& a, const Complex<T>& b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

struct LogicalAnd {
  template <class T>
  static constexpr T of(T a, T b) {
    return static_cast<T>(a != 0 && b != 0);
  }
};
struct LogicalOr {
  template <class T>
  static constexpr T of(T a, T b) {
    return static_cast<T>(a != 0 || b != 0);
  }
};
struct LogicalXor {
  template <class T>
  static constexpr T of(T a, T b) {
    return static_cast<T>((a != 0) != (b != 0));
  }
};
struct BitAnd {
  template <class T>
  static constexpr T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  static constexpr T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  static constexpr T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
/// The pair that comes first, and of two equal values the smaller index. Without a jump, which would part the threads
/// of a GPU.
template <class T>
constexpr T of_two(const T& a, const T& b, bool a_is_first, bool b_is_first) {
  const auto smaller = b.index < a.index ? b.index : a.index;
  const auto index = a_is_first ? a.index : smaller;
  return {b_is_first ? b.value : a.value, b_is_first ? b.index : index};
}
struct MinLocation {
  template <class T>
  static constexpr T of(const T& a, const T& b) {
    return of_two(a, b, a.value < b.value, b.value < a.value);
  }
};
struct MaxLocation {
  template <class T>
  static constexpr T of(const T& a, const T& b) {
    return of_two(a, b, b.value < a.value, a.value < b.value);
  }
};

/// The addresses are passed by value, so that a launch needs no table in GPU memory. All arguments of a kernel together
/// may have 4 KiB.
inline constexpr unsigned kMostOperands = 64;
struct FoldOperands {
  unsigned long long from[kMostOperands];
  unsigned long long to[kMostOperands];
};

/// Every to[k][i] = from[0][i] op from[1][i] op ...; all operands of an element are read before it is written, so any
/// vector may be in both.
template <class Operation, class T, class Grid>
constexpr void fold(Grid grid, const FoldOperands& operands, unsigned from, unsigned to, unsigned long long count) {
  for (unsigned long long i = grid.first(); i < count; i += grid.step()) {
    auto value = Accumulator<T>::load(reinterpret_cast<const T*>(operands.from[0])[i]);
    for (unsigned k = 1; k < from; ++k)
      value = Operation::of(value, Accumulator<T>::load(reinterpret_cast<const T*>(operands.from[k])[i]));
    for (unsigned k = 0; k < to; ++k) Accumulator<T>::store(reinterpret_cast<T*>(operands.to[k])[i], value);
  }
}

}  // namespace topowise::device::kernel
