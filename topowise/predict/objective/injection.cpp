// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/injection.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace topowise {
namespace {

/// Bytes that leave or enter a place, if a rank is on it together with its heaviest partners.
Bytes outside(std::vector<double> bytes, std::size_t others_on_place) {
  std::ranges::sort(bytes, std::greater<>());
  const std::size_t kept = std::min(others_on_place, bytes.size());
  return Bytes(std::accumulate(bytes.begin() + static_cast<std::ptrdiff_t>(kept), bytes.end(), 0.0));
}

}  // namespace

Seconds injection_time(const Partners& partners, std::size_t others_on_place, BytesPerSecond out, BytesPerSecond in) {
  Seconds longest;
  for (std::size_t r = 0; r < partners.ranks(); ++r) {
    std::vector<double> sent;
    std::vector<double> received;
    for (const Partner& partner : partners.of(Rank(r))) {
      sent.push_back(partner.sent);
      received.push_back(partner.received);
    }
    if (out.value() > 0) longest = std::max(longest, outside(std::move(sent), others_on_place) / out);
    if (in.value() > 0) longest = std::max(longest, outside(std::move(received), others_on_place) / in);
  }
  return longest;
}

}  // namespace topowise
