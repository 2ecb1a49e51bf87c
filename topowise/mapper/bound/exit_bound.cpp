// SPDX-License-Identifier: BSD-3-Clause
// In a group that holds c ranks, at most c - 1 partners of a rank are with it. What it sends the others leaves its
// place by the first links of the routes from there to places outside; the fullest of these needs at least the bytes
// over the sum of their rates. The same holds for what arrives, by the last links.
#include <topowise/mapper/bound/exit_bound.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/mapper/bound/ancestor_groups.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/injection.hpp>

namespace topowise {
namespace {

constexpr std::uint32_t kNone = ~0U;

/// The first and the last link of each route, row by row; kNone where a pair needs none.
struct RouteEnds {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> last;
};

RouteEnds route_ends(const Topology& topology, std::span<const PlaceCapacity> places) {
  RouteEnds ends;
  for (const PlaceCapacity& from : places) {
    for (const PlaceCapacity& to : places) {
      const std::vector<LinkId> route = topology.route(from.place, to.place);
      ends.first.push_back(route.empty() ? kNone : static_cast<std::uint32_t>(route.front().index()));
      ends.last.push_back(route.empty() ? kNone : static_cast<std::uint32_t>(route.back().index()));
    }
  }
  return ends;
}

/// Bytes/s of the links together, each counted once; nothing if one is missing or its rate is not known.
std::optional<double> rate_of(std::vector<std::uint32_t>& links, std::span<const double> rates) {
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  double sum = 0;
  for (const std::uint32_t link : links) {
    if (link == kNone || rates[link] <= 0) return std::nullopt;
    sum += rates[link];
  }
  return sum;
}

/// What the best place can send to, and receive from, places of other groups.
struct ExitRates {
  double out = 0;
  double in = 0;
};
std::optional<ExitRates> exit_rates(std::span<const PlaceCapacity> places, const std::vector<std::uint32_t>& group,
                                    const RouteEnds& ends, std::span<const double> rates) {
  ExitRates best;
  std::vector<std::uint32_t> out;
  std::vector<std::uint32_t> in;
  const std::size_t count = places.size();
  for (std::size_t p = 0; p < count; ++p) {
    out.clear();
    in.clear();
    for (std::size_t q = 0; q < count; ++q) {
      if (group[p] == group[q]) continue;
      out.push_back(ends.first[p * count + q]);
      in.push_back(ends.last[q * count + p]);
    }
    const std::optional<double> out_rate = rate_of(out, rates);
    const std::optional<double> in_rate = rate_of(in, rates);
    if (!out_rate || !in_rate) return std::nullopt;
    best = {std::max(best.out, *out_rate), std::max(best.in, *in_rate)};
  }
  return best;
}

}  // namespace

double exit_bound(const MapProblem& problem, const Partners& partners, std::span<const double> rates) {
  constexpr std::size_t kMostPlaces = 512;
  const std::vector<PlaceCapacity> places = place_capacities(problem);
  if (places.size() > kMostPlaces) return 0;
  const RouteEnds ends = route_ends(problem.topology, places);
  double bound = 0;
  const auto raise = [&](const AncestorGroups& groups, const std::vector<std::size_t>& capacity) {
    std::vector<std::uint32_t> group;
    for (const PlaceCapacity& each : places) group.push_back(groups.group_of(each.place));
    const std::optional<ExitRates> best = exit_rates(places, group, ends, rates);
    if (!best) return;
    const std::size_t largest = *std::ranges::max_element(capacity);
    bound = std::max(
        bound, injection_time(partners, largest - 1, BytesPerSecond(best->out), BytesPerSecond(best->in)).value());
  };
  for_each_division(problem.topology, places, raise);
  return bound;
}

}  // namespace topowise
