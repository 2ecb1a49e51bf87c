// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/units.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 15> kByteUnits{{{"B", 1},
                                           {"KB", 1e3},
                                           {"kB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9},
                                           {"TB", 1e12},
                                           {"PB", 1e15},
                                           {"EB", 1e18},
                                           {"KiB", 1024.0},
                                           {"MiB", 1048576.0},
                                           {"GiB", 1073741824.0},
                                           {"TiB", 1099511627776.0},
                                           {"PiB", 1125899906842624.0},
                                           {"EiB", 1152921504606846976.0},
                                           {"", 1}}};
constexpr std::array<Unit, 8> kTimeUnits{
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}, {"", 1}}};

/// The number that `text` begins with, times the unit that follows it.
std::optional<double> parse_quantity(std::string_view text, std::span<const Unit> units) {
  text = trim(text);
  std::size_t end = 0;
  while (end < text.size() && std::string_view("0123456789+-.eE").find(text[end]) != std::string_view::npos &&
         !((text[end] == 'e' || text[end] == 'E') &&
           !(end + 1 < text.size() && (is_digit(text[end + 1]) || text[end + 1] == '-' || text[end + 1] == '+')))) {
    ++end;
  }
  const std::optional<double> number = parse_double(text.substr(0, end));
  if (!number || !std::isfinite(*number)) return std::nullopt;
  const std::string_view name = trim(text.substr(end));
  for (const Unit& unit : units) {
    if (unit.name == name) return *number * unit.factor;
  }
  return std::nullopt;
}

std::string with_unit(double value, std::span<const Unit> descending) {
  for (const Unit& unit : descending) {
    if (std::abs(value) >= unit.factor * 0.9995) return fmt::format("{:.3g} {}", value / unit.factor, unit.name);
  }
  return fmt::format("{:.3g} {}", value / descending.back().factor, descending.back().name);
}

constexpr std::array<Unit, 7> kBytesShown{
    {{"EB", 1e18}, {"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}};
constexpr std::array<Unit, 4> kTimesShown{{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};

}  // namespace

std::optional<Bytes> parse_bytes(std::string_view text) {
  const std::optional<double> value = parse_quantity(text, kByteUnits);
  if (!value) return std::nullopt;
  return Bytes(*value);
}

std::optional<BytesPerSecond> parse_bandwidth(std::string_view text) {
  text = trim(text);
  if (text.ends_with("/s")) text.remove_suffix(2);
  const std::optional<double> value = parse_quantity(text, kByteUnits);
  if (!value) return std::nullopt;
  return BytesPerSecond(*value);
}

std::optional<Seconds> parse_seconds(std::string_view text) {
  const std::optional<double> value = parse_quantity(text, kTimeUnits);
  if (!value) return std::nullopt;
  return Seconds(*value);
}

std::string to_string(Bytes bytes) {
  if (std::isinf(bytes.value())) return "infinite";
  return with_unit(bytes.value(), kBytesShown);
}
std::string to_string(BytesPerSecond rate) {
  return with_unit(rate.value(), kBytesShown) + "/s";
}
std::string to_string(Seconds time) {
  return time.value() == 0.0 ? "0 s" : with_unit(time.value(), kTimesShown);
}

}  // namespace topowise
