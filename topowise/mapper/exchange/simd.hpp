// SPDX-License-Identifier: BSD-3-Clause
// The compiler's vector types, and which sets of instructions this processor has. One source, written with these types,
// is compiled for vectors of 16, 32 and 64 bytes; which one runs is decided once. On processors other than x86-64 there
// is only the first one, which the compiler turns into the processor's own vector instructions.
//
// A kernel is a function for one set of instructions (TOPOWISE_AVX2 ...), into which templates are inlined: only then
// do they use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <vector>

#define TOPOWISE_AVX2 [[gnu::target("avx2")]]
#define TOPOWISE_AVX2_FMA [[gnu::target("avx2,fma")]]
#define TOPOWISE_AVX512 [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,fma")]]

#if defined(__x86_64__)
#define TOPOWISE_ON_X86(...) __VA_ARGS__
#else
#define TOPOWISE_ON_X86(...)
#endif

namespace topowise {

enum class InstructionSet { kPlain, kAvx2, kAvx512 };

[[nodiscard]] inline bool runs(InstructionSet set) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (set == InstructionSet::kAvx2) return avx2;
  if (set == InstructionSet::kAvx512)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
  return set == InstructionSet::kPlain;
}

/// The kernels whose `set` this processor has.
template <class Kernels>
[[nodiscard]] std::vector<Kernels> those_that_run(std::initializer_list<Kernels> all) {
  std::vector<Kernels> result;
  for (const Kernels& kernels : all) {
    if (runs(kernels.set)) result.push_back(kernels);
  }
  return result;
}

template <class Number, std::size_t kBytes>
struct Wide {
  using Vector [[gnu::vector_size(kBytes)]] = Number;
  using Whole = std::conditional_t<sizeof(Number) == 4, std::int32_t, std::int64_t>;
  using Mask [[gnu::vector_size(kBytes)]] = Whole;
  static constexpr std::size_t kCount = kBytes / sizeof(Number);
};

template <class Vector, class Number>
[[gnu::always_inline]] inline void load(Vector& vector, const Number* from) {
  std::memcpy(&vector, __builtin_assume_aligned(from, sizeof(Vector)), sizeof(Vector));
}

template <class Vector, class Number>
[[gnu::always_inline]] inline void store(const Vector& vector, Number* to) {
  std::memcpy(__builtin_assume_aligned(to, sizeof(Vector)), &vector, sizeof(Vector));
}

}  // namespace topowise
