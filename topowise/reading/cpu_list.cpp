// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/cpu_list.hpp>

#include <algorithm>
#include <cstdint>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

constexpr std::int64_t kMostCpus = 1 << 20;

std::optional<int> parse_cpu(std::string_view text) {
  const std::optional<std::int64_t> value = parse_integer(text);
  if (!value || *value < 0 || *value >= kMostCpus) return std::nullopt;
  return static_cast<int>(*value);
}

}  // namespace

std::optional<CpuRanges> parse_cpu_list(std::string_view text) {
  CpuRanges ranges;
  for (const std::string_view part : split(trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const std::optional<int> first = parse_cpu(part.substr(0, dash));
    const std::optional<int> last = dash == std::string_view::npos ? first : parse_cpu(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    ranges.emplace_back(*first, *last);
  }
  std::ranges::sort(ranges);
  return ranges;
}

bool partly_overlap(const CpuRanges& a, const CpuRanges& b) {
  if (a == b) return false;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (x->first <= y->second && y->first <= x->second) return true;
    x->second < y->second ? ++x : ++y;
  }
  return false;
}

}  // namespace topowise
