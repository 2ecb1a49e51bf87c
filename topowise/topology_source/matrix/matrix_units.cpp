// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/matrix/matrix_units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

struct UnitWord {
  std::string_view word;
  MatrixUnit unit;
};

/// The first word found decides. Units come before the words that only name the metric.
constexpr std::array kWords{
    UnitWord{"gb/s", {Metric::bandwidth, 1e9}},        UnitWord{"gib/s", {Metric::bandwidth, 1024.0 * 1024.0 * 1024.0}},
    UnitWord{"mb/s", {Metric::bandwidth, 1e6}},        UnitWord{"mib/s", {Metric::bandwidth, 1024.0 * 1024.0}},
    UnitWord{"us", {Metric::latency, 1e-6}},           UnitWord{"usec", {Metric::latency, 1e-6}},
    UnitWord{"microseconds", {Metric::latency, 1e-6}}, UnitWord{"ns", {Metric::latency, 1e-9}},
    UnitWord{"bandwidth", {Metric::bandwidth, 1e9}},   UnitWord{"latency", {Metric::latency, 1e-6}}};

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || is_digit(c) || c == '/';
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_byte(text[at - 1]);
    if (begins && (end == text.size() || !is_word_byte(text[end]))) return true;
  }
  return false;
}

}  // namespace

MatrixUnit find_unit(std::string_view words) {
  const std::string text = lower(words);
  if (has_word(text, "distance") || has_word(text, "distances") || has_word(text, "hops")) return {};
  for (const UnitWord& candidate : kWords) {
    if (has_word(text, candidate.word)) return candidate.unit;
  }
  return {};
}

PairValues make_pair_values(std::vector<double> values, std::size_t n, std::vector<std::string> names,
                            const MatrixUnit& unit) {
  PairValues result;
  const bool rated = unit.metric != Metric::distance;
  result.kind = rated ? PlaceKind::gpu : PlaceKind::slot;
  for (std::size_t i = 0; i < n; ++i) {
    std::string name = i < names.size() ? std::move(names[i]) : rated ? fmt::format("GPU{}", i) : std::to_string(i);
    result.items.push_back({std::move(name), std::nullopt});
  }
  for (double& value : values) value *= unit.factor;
  result.of(unit.metric) = StatedValues{std::move(values), rated ? "stated:matrix" : "distance matrix"};
  return result;
}

}  // namespace topowise
