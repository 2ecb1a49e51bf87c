// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/runs.hpp>

namespace topowise::interpose {

std::vector<profile::Run> compress(std::span<const std::int32_t> ranks) {
  std::vector<profile::Run> runs;
  for (std::size_t begin = 0; begin < ranks.size();) {
    const bool outside = ranks[begin] == profile::kOutside;  // those of another job never share a run with ours
    std::size_t end = begin + 1;
    const auto fits = [&] { return end < ranks.size() && (ranks[end] == profile::kOutside) == outside; };
    const std::int32_t stride = fits() ? ranks[end] - ranks[begin] : 0;
    while (fits() && ranks[end] - ranks[end - 1] == stride) ++end;
    runs.push_back({ranks[begin], stride, end - begin});
    begin = end;
  }
  return runs;
}

}  // namespace topowise::interpose
