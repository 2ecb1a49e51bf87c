// SPDX-License-Identifier: BSD-3-Clause
// The orders in which algorithms combine the ranks' vectors, as docs/models/allreduce.md states them: written down
// without any plan, so that tests can compare what plans do with them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/device/folds.hpp>

namespace topowise {

using Bytes = std::vector<char>;

/// The bits of a binary floating-point type.
struct FloatingFormat {
  unsigned bytes, mantissa, bias;
};

inline FloatingFormat format_of(device::FoldElement element) {
  if (element == device::FoldElement::f16) return {2, 10, 15};
  if (element == device::FoldElement::bf16) return {2, 7, 127};
  return element == device::FoldElement::f32 ? FloatingFormat{4, 23, 127} : FloatingFormat{8, 52, 1023};
}

/// Numbers of either sign from 1/4 to 4, with all bits of their fractions: a sum or product of some of them is rounded
/// in another way in each order.
inline Bytes draw_uneven(Random& random, device::FoldElement element, std::size_t count) {
  const FloatingFormat format = format_of(element);
  Bytes bytes(count * format.bytes);
  for (std::size_t i = 0; i < bytes.size(); i += format.bytes) {
    const std::uint64_t sign = random.below(2);
    const std::uint64_t exponent = format.bias - 2 + random.below(4);
    const std::uint64_t fraction = random() >> (64 - format.mantissa);
    const std::uint64_t bits = sign << (8 * format.bytes - 1) | exponent << format.mantissa | fraction;
    std::memcpy(bytes.data() + i, &bits, format.bytes);  // x86-64 and aarch64 have the least significant byte first
  }
  return bytes;
}

/// Combines vectors one after the other, on the host; the result of 16-bit numbers is rounded once, at the end.
struct Fold {
  device::FoldOperation operation;
  device::FoldElement element;
  std::size_t count;  ///< elements of each vector

  Bytes operator()(const std::vector<Bytes>& vectors) const {
    Bytes result(vectors[0].size());
    device::kernel::FoldOperands operands{};
    for (std::size_t k = 0; k < vectors.size(); ++k)
      operands.from[k] = reinterpret_cast<unsigned long long>(vectors[k].data());
    operands.to[0] = reinterpret_cast<unsigned long long>(result.data());
    device::host_fold(operation, element)(operands, static_cast<unsigned>(vectors.size()), 1, 0, count);
    return result;
  }
};

/// Rank r takes what rank r + 1 has, then what rank r + 2 has, then r + 4: a binomial tree.
inline Bytes by_tree(const Fold& fold, std::vector<Bytes> vectors) {
  for (std::size_t step = 1; step < vectors.size(); step *= 2)
    for (std::size_t r = 0; r + step < vectors.size(); r += 2 * step)
      vectors[r] = fold({vectors[r], vectors[r + step]});
  return vectors[0];
}

/// The vectors of each GPU in the order of their ranks, which take the GPUs in turn.
inline std::vector<Bytes> sums_of_gpus(const Fold& fold, const std::vector<Bytes>& vectors, int gpus) {
  std::vector<std::vector<Bytes>> of_gpu(std::min(vectors.size(), static_cast<std::size_t>(gpus)));
  for (std::size_t r = 0; r < vectors.size(); ++r) of_gpu[r % of_gpu.size()].push_back(vectors[r]);
  std::vector<Bytes> sums;
  for (const std::vector<Bytes>& own : of_gpu) sums.push_back(fold(own));
  return sums;
}

/// A ring writes down what it has at each GPU that it passes, and begins at another one for each part of the vector.
inline std::vector<Bytes> around_a_ring(const Fold& fold, std::vector<Bytes> sums) {
  std::vector<Bytes> results;
  for (std::size_t first = 0; first < sums.size(); ++first) {
    Bytes passed = sums[0];
    for (std::size_t gpu = 1; gpu < sums.size(); ++gpu) passed = fold({passed, sums[gpu]});
    results.push_back(std::move(passed));
    std::rotate(sums.begin(), sums.begin() + 1, sums.end());
  }
  return results;
}

/// The results that an algorithm may give on one island of GPUs. Each element is that of one of them.
inline std::vector<Bytes> orders_of(std::string_view algorithm, const Fold& fold, const std::vector<Bytes>& vectors,
                                    int gpus) {
  if (algorithm == "binomial") return {by_tree(fold, vectors)};
  const bool among_gpus = algorithm == "one-shot" || algorithm == "two-shot" || algorithm == "ring";
  if (!among_gpus || gpus == 1) return {fold(vectors)};
  std::vector<Bytes> sums = sums_of_gpus(fold, vectors, gpus);
  return algorithm == "ring" ? around_a_ring(fold, std::move(sums)) : std::vector<Bytes>{fold(sums)};
}

/// Whether each element of `got` is, bit by bit, that of one of `results`, from element `begin` of these on.
inline bool is_some_of(const Bytes& got, const Fold& fold, const std::vector<Bytes>& results, std::size_t begin) {
  const std::size_t size = size_of(fold.element);
  for (std::size_t i = 0; i < got.size(); i += size) {
    const auto same = [&](const Bytes& result) {
      return std::memcmp(got.data() + i, result.data() + begin * size + i, size) == 0;
    };
    if (std::ranges::none_of(results, same)) return false;
  }
  return true;
}

}  // namespace topowise
