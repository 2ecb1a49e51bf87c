// SPDX-License-Identifier: BSD-3-Clause
// Changes of cost in 16 bits, for searches that draw exchanges by lot: those need not know a change to the last bit,
// and vectors hold twice as many. An octave, by which an exchange becomes half as likely, is 128 steps of an entry, so
// that rounding hardly matters and everything that is ever drawn fits many times over.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace topowise {

inline constexpr int kOctave = 128;
/// The entry of what is never drawn.
inline constexpr std::int16_t kNever = INT16_MAX;
/// Nothing from here on is drawn: the time would not end.
inline constexpr std::int16_t kFirstNeverDrawn = 80 * kOctave;

[[nodiscard]] constexpr std::int16_t saturated(int number) {
  return static_cast<std::int16_t>(std::clamp<int>(number, INT16_MIN, INT16_MAX));
}
/// To the nearest, ties to even, of numbers within 16 bits. What is added leaves no bits for fractions, and none of the
/// lower sixteen set: compilers make vectors of this, as they do not of library functions.
[[nodiscard]] inline std::int16_t rounded(float number) {
  return static_cast<std::int16_t>(std::bit_cast<std::int32_t>(number + 0x1.8p23F));
}
/// a b / 2^15, rounded: of numbers below 2^15 in size, as one instruction multiplies sixteen or thirty-two pairs.
[[nodiscard]] constexpr std::int16_t scaled_product(std::int16_t a, std::int16_t b) {
  return static_cast<std::int16_t>(((a * b >> 14) + 1) >> 1);
}

/// 2^(octaves), as far as it is a normal number: its exponent is that of a float, and so are the bits after it, by
/// which powers of two are joined with straight lines; at most 6 % too large.
[[nodiscard]] inline float power_of_two(std::int16_t octaves) {
  constexpr int kBias = 127;
  constexpr int kBits = 23;
  const int bits = std::max(octaves + kBias * kOctave, 0);
  return std::bit_cast<float>(bits * ((1 << kBits) / kOctave));
}

/// How numbers become entries. A change of cost is a sum of products of a difference of flows and one of costs; both
/// are enlarged, as far as 16 bits permit, so that scaled_product() of two of them is what is added to an entry.
class ShortScale {
 public:
  ShortScale() = default;
  /// Of numbers up to `most_flow` and `most_cost`. `entries_per_unit` becomes the largest possible if it is larger:
  /// that at which no step makes of kNever an entry that is drawn.
  ShortScale(int most_flow, int most_cost, double entries_per_unit) {
    constexpr int kMostOfDifference = INT16_MAX / 2;
    constexpr int kBits = 15;
    flow_factor_ = static_cast<std::int16_t>(kMostOfDifference / std::max(most_flow, 1));
    while ((std::max(most_cost, 1) << (cost_shift_ + 1)) <= kMostOfDifference) ++cost_shift_;
    const double most = INT16_MAX / 2;
    const double factor = entries_per_unit * std::exp2(2.0 * kBits - cost_shift_) / flow_factor_;
    cost_factor_ = static_cast<std::int16_t>(std::max(1.0, std::round(std::min(factor, most))));
    entries_per_unit_ = static_cast<float>(cost_factor_ * flow_factor_ * std::exp2(cost_shift_ - 2.0 * kBits));
  }

  [[nodiscard]] float entries_per_unit() const { return entries_per_unit_; }
  /// Flows are multiplied by this ...
  [[nodiscard]] std::int16_t flow_factor() const { return flow_factor_; }
  /// ... and costs, moved up by some bits, become scaled products with that.
  [[nodiscard]] int cost_shift() const { return cost_shift_; }
  [[nodiscard]] std::int16_t cost_factor() const { return cost_factor_; }
  /// Of a change. It can be negated.
  [[nodiscard]] std::int16_t entry(std::int32_t change) const {
    const float number = static_cast<float>(change) * entries_per_unit_;
    const float below = number < highest_ ? number : highest_;
    return rounded(below > lowest_ ? below : lowest_);
  }

 private:
  std::int16_t flow_factor_ = 1;
  std::int16_t cost_factor_ = 1;
  int cost_shift_ = 0;
  float entries_per_unit_ = 1;
  // The same for all; here because GCC 12 makes one instruction of a minimum only if neither side is known.
  float highest_ = INT16_MAX;
  float lowest_ = -INT16_MAX;
};

}  // namespace topowise
