// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Quantities with a dimension: Bytes / BytesPerSecond is Seconds and nothing else.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace topowise {

/// A number with a dimension. Doubles hold byte counts exactly up to 2^53 (9 PB).
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  /// `value` is in the base unit: bytes, seconds, bytes per second.
  constexpr explicit Quantity(double value) : value_(value) {}

  /// The value in the base unit.
  [[nodiscard]] constexpr double value() const { return value_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value_ / k); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  /// Only quantities of one dimension add up.
  constexpr Quantity& operator+=(Quantity b) {
    value_ += b.value_;
    return *this;
  }

 private:
  double value_ = 0.0;
};

using Bytes = Quantity<struct BytesTag>;                    ///< a size; need not be whole
using Seconds = Quantity<struct SecondsTag>;                ///< a time or a point of it
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;  ///< bandwidth or throughput

/// How long the bytes take at this rate.
constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) {
  return Seconds(bytes.value() / rate.value());
}
/// The mean rate of the bytes over this time.
constexpr BytesPerSecond operator/(Bytes bytes, Seconds time) {
  return BytesPerSecond(bytes.value() / time.value());
}
/// The bytes that pass in this time.
constexpr Bytes operator*(BytesPerSecond rate, Seconds time) {
  return Bytes(rate.value() * time.value());
}

/// `n` units of 10^9 bytes per second.
constexpr BytesPerSecond gigabytes_per_second(double n) {
  return BytesPerSecond(n * 1e9);
}
/// `n` units of 10^-6 seconds.
constexpr Seconds microseconds(double n) {
  return Seconds(n * 1e-6);
}

/// "300MB", "1.5 KiB", "17" (bytes): powers of ten for KB MB GB TB PB EB, of two for KiB to EiB. Nothing if it is not a
/// size.
[[nodiscard]] std::optional<Bytes> parse_bytes(std::string_view text);
/// "11.6GiB/s", "25 GB/s", a plain number is bytes per second.
[[nodiscard]] std::optional<BytesPerSecond> parse_bandwidth(std::string_view text);
/// "0.5ms", "3us", "10 ns", a plain number is seconds.
[[nodiscard]] std::optional<Seconds> parse_seconds(std::string_view text);

/// Three significant digits and a decimal unit: "1.05 MB", "25 GB/s", "3.2 us".
[[nodiscard]] std::string to_string(Bytes bytes);
/// Formatted like bytes.
[[nodiscard]] std::string to_string(BytesPerSecond rate);
/// Formatted like bytes.
[[nodiscard]] std::string to_string(Seconds time);

}  // namespace topowise
