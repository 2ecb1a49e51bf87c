// SPDX-License-Identifier: BSD-3-Clause
// Divide the vertices of the machine by their ancestors at some depth (ancestor_groups.hpp). A message from one group
// with places to another leaves the first by one of the links that lead out of it, and enters the second by one that
// leads in. So these links together carry all bytes that must cross (least_cut), and the fullest of them needs at least
// the bytes over the sum of their rates. Every depth gives such a bound.
//
// A message is on one link as a whole. Where all bytes are multiples of one number, so is what each link carries: the
// bound is the least time in which the links can carry whole multiples that add up.
#include <topowise/mapper/bound/link_cut_bound.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include <topowise/mapper/bound/ancestor_groups.hpp>
#include <topowise/mapper/bound/least_cut.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/whole_numbers.hpp>

namespace topowise {
namespace {

/// How many links have each rate, in bytes/s.
using Rates = std::map<double, double>;

/// The links that lead out of groups with places, and those that lead into them; nothing if a rate is not known.
struct CrossingLinks {
  Rates out;
  Rates in;
};
std::optional<CrossingLinks> crossing_links(const Topology& topology, const AncestorGroups& groups,
                                            const std::vector<std::size_t>& capacity, std::span<const double> rates) {
  CrossingLinks links;
  for (std::size_t l = 0; l < rates.size(); ++l) {
    const Link& link = topology.links()[l];
    const std::uint32_t from = groups.group_of(link.from);
    const std::uint32_t to = groups.group_of(link.to);
    if (from == to || (capacity[from] == 0 && capacity[to] == 0)) continue;
    if (rates[l] <= 0) return std::nullopt;
    if (capacity[from] > 0) ++links.out[rates[l]];
    if (capacity[to] > 0) ++links.in[rates[l]];
  }
  return links;
}

/// Seconds in which the links can carry `units` units of `unit` bytes, if each link carries whole units.
double seconds_for_units(const Rates& links, double units, double unit, double at_least) {
  constexpr int kMostSteps = 10'000;  // the seconds of each step are a valid bound
  constexpr double kRounding = 1e-12;
  double seconds = at_least;
  for (int step = 0; step < kMostSteps; ++step) {
    double carried = 0;
    double next = std::numeric_limits<double>::infinity();
    for (const auto& [rate, count] : links) {
      const double whole = std::floor(seconds * rate / unit * (1 + kRounding) + kRounding);
      carried += count * whole;
      next = std::min(next, (whole + 1) * unit / rate);
    }
    if (carried >= units) break;
    seconds = next;
  }
  return seconds;
}

/// The least seconds that the fullest of the links needs if all links together carry `bytes`; `unit` divides every
/// message, or is 0.
double seconds_for(const Rates& links, double bytes, double unit) {
  constexpr double kMostUnits = 1e9;  // of more units, whole ones say nothing
  constexpr double kRounding = 1e-9;
  double rate = 0;
  for (const auto& [each, count] : links) rate += each * count;
  if (rate <= 0) return 0;
  const double seconds = bytes / rate;
  const double units = unit > 0 ? std::ceil(bytes / unit * (1 - kRounding)) : 0;
  return units > 0 && units < kMostUnits ? seconds_for_units(links, units, unit, seconds) : seconds;
}

/// The most bytes that divide those of every message; 0 if some message is no whole number of bytes.
double divisor_of(const Traffic& traffic) {
  std::vector<double> amounts;
  for (const TrafficEntry& entry : traffic.entries())
    if (entry.source != entry.destination) amounts.push_back(entry.bytes.value());
  return common_divisor(amounts);
}

}  // namespace

double link_cut_bound(const MapProblem& problem, const Partners& partners, std::span<const double> rates) {
  const Topology& topology = problem.topology;
  if (topology.links().empty()) return 0;
  const LeastCut cut(problem.traffic, partners);
  const double unit = divisor_of(problem.traffic);
  double bound = 0;
  const auto raise = [&](const AncestorGroups& groups, std::vector<std::size_t> capacity) {
    const std::optional<CrossingLinks> links = crossing_links(topology, groups, capacity, rates);
    if (!links) return;
    std::erase(capacity, std::size_t{0});
    const double bytes = cut.between(group_sizes(std::move(capacity), problem.traffic.ranks()));
    bound = std::max({bound, seconds_for(links->out, bytes, unit), seconds_for(links->in, bytes, unit)});
  };
  for_each_division(topology, place_capacities(problem), raise);
  return bound;
}

}  // namespace topowise
