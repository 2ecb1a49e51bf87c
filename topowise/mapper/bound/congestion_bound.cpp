// SPDX-License-Identifier: BSD-3-Clause
// Takes the best of three bounds. First, what a rank sends to ranks that cannot all be on its own place leaves
// through the links of the place's vertex, and what arrives comes by them. Second, what cannot stay in a rank's node,
// socket, ... leaves its place only by those links that lead out of that node, socket, ... (exit_bound). Third, what
// must cross between nodes, sockets, ... crosses the links around them (link_cut_bound).
//
// In a group that holds c ranks, at most c - 1 partners of a rank are with it. What it sends the others leaves its
// place by the first links of the routes from there to places outside; the fullest of these needs at least the bytes
// over the sum of their rates. The same holds for what arrives, by the last links.
//
// Divide the vertices of the machine by their ancestors at some depth (AncestorGroups). A message from one group
// with places to another leaves the first by one of the links that lead out of it, and enters the second by one that
// leads in. So these links together carry all bytes that must cross (least_cut), and the fullest of them needs at least
// the bytes over the sum of their rates. Every depth gives such a bound.
//
// A message is on one link as a whole. Where all bytes are multiples of one number, so is what each link carries: the
// bound is the least time in which the links can carry whole multiples that add up.
#include <topowise/mapper/bound/congestion_bound.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/mapper/bound/least_cut.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/whole_numbers.hpp>
#include <topowise/predict/objective/injection.hpp>

namespace topowise {
namespace {

// The machine divided by its hierarchy: into places, switches, sockets, nodes, ...

/// The vertices in groups. At first each vertex is alone; then groups are joined by their ancestors (Vertex::parent),
/// the deepest first.
class AncestorGroups {
 public:
  explicit AncestorGroups(const Topology& topology);

  /// A vertex that speaks for the group.
  [[nodiscard]] std::uint32_t group_of(VertexId vertex) const { return group_[vertex.index()]; }
  [[nodiscard]] std::uint32_t group_of(Place place) const { return group_of(topology_.place(place).vertex); }

  /// Joins the deepest groups with the groups above them; returns false if there is nothing above.
  bool rise();

 private:
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t vertex) const;
  void find_depths();

  const Topology& topology_;
  std::vector<std::uint32_t> group_;     ///< by vertex
  std::vector<std::uint32_t> depth_of_;  ///< by vertex: ancestors
  std::uint32_t depth_ = 0;              ///< of the deepest groups
};

/// Calls `visit(groups, capacity)` for every division that parts the places, from single vertices up; `capacity` is
/// what each group can hold, by the vertex that speaks for it. O((vertices + places) x depth), for 64 depths at most.
template <class Visit>
void for_each_division(const Topology& topology, std::span<const PlaceCapacity> places, const Visit& visit) {
  constexpr int kDeepest = 64;
  AncestorGroups groups(topology);
  for (int depth = 0; depth < kDeepest; ++depth) {
    std::vector<std::size_t> capacity(topology.vertices().size(), 0);
    for (const PlaceCapacity& each : places) capacity[groups.group_of(each.place)] += each.capacity;
    if (std::ranges::count_if(capacity, [](std::size_t c) { return c > 0; }) == 1) return;
    visit(groups, std::move(capacity));
    if (!groups.rise()) return;
  }
}

AncestorGroups::AncestorGroups(const Topology& topology) : topology_(topology), group_(topology.vertices().size()) {
  std::iota(group_.begin(), group_.end(), 0U);
  find_depths();
  if (!depth_of_.empty()) depth_ = *std::ranges::max_element(depth_of_);
}

bool AncestorGroups::rise() {
  if (depth_ == 0) return false;
  for (std::uint32_t& group : group_) {
    if (depth_of_[group] == depth_) group = parent_of(group);
  }
  --depth_;
  return true;
}

std::uint32_t AncestorGroups::parent_of(std::uint32_t vertex) const {
  return static_cast<std::uint32_t>(topology_.vertices()[vertex].parent->index());
}

void AncestorGroups::find_depths() {
  constexpr std::uint32_t kUnknown = ~0U;
  depth_of_.assign(group_.size(), kUnknown);
  std::vector<std::uint32_t> path;
  for (std::uint32_t vertex = 0; vertex < depth_of_.size(); ++vertex) {
    std::uint32_t at = vertex;
    while (depth_of_[at] == kUnknown && topology_.vertices()[at].parent) {
      path.push_back(at);
      at = parent_of(at);
    }
    if (depth_of_[at] == kUnknown) depth_of_[at] = 0;
    std::uint32_t depth = depth_of_[at];
    for (; !path.empty(); path.pop_back()) depth_of_[path.back()] = ++depth;
  }
}

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

/// Seconds that the fullest of the links around the nodes, sockets, ... of the machine needs at least, whoever is
/// where; 0 where nothing must cross, or a rate is not known. `rates`: bytes/s by LinkId. O(messages log messages +
/// links x depth of the machine).
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

/// Seconds that the busiest rank needs for what cannot stay in its group (its place, socket, node, ...), over the links
/// by which the best place reaches others. `rates`: bytes/s by LinkId. Returns 0 for more than 512 places, because each
/// pair of places is looked at, and where a rate is not known.
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

double injection_bound(const MapProblem& problem, const Partners& partners, std::span<const double> rates) {
  const Topology& topology = problem.topology;
  double widest_out = 0;
  double widest_in = 0;
  std::size_t most = 1;
  std::vector<double> in(topology.vertices().size(), 0.0);
  for (std::size_t l = 0; l < rates.size(); ++l) in[topology.links()[l].to.index()] += rates[l];
  std::vector<int> on_vertex(topology.vertices().size(), 0);
  for (const PlaceCapacity& each : place_capacities(problem)) {
    const VertexId vertex = topology.place(each.place).vertex;
    if (++on_vertex[vertex.index()] > 1) return 0;  // places of one vertex reach each other without a link
    double out = 0;
    for (const LinkId link : topology.links_from(vertex)) out += rates[link.index()];
    widest_out = std::max(widest_out, out);
    widest_in = std::max(widest_in, in[vertex.index()]);
    most = std::max(most, each.capacity);
  }
  return injection_time(partners, most - 1, BytesPerSecond(widest_out), BytesPerSecond(widest_in)).value();
}

}  // namespace

double congestion_bound(const MapProblem& problem, const Partners& partners) {
  std::vector<double> rates;
  for (const Link& link : problem.topology.links()) rates.push_back(link.bandwidth.value());
  return congestion_bound(problem, partners, rates);
}

double congestion_bound(const MapProblem& problem, const Partners& partners, std::span<const double> rates) {
  return std::max({injection_bound(problem, partners, rates), link_cut_bound(problem, partners, rates),
                   exit_bound(problem, partners, rates)});
}

}  // namespace topowise
