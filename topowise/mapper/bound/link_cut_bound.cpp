// SPDX-License-Identifier: BSD-3-Clause
// Divide the vertices of the machine by their ancestors at some depth: into nodes, say, each with its switches and
// adapters. A message from one group with places to another leaves the first by one of the links that lead out of it,
// and enters the second by one that leads in. So these links together carry all bytes that must cross (least_cut), and
// the fullest of them needs at least the bytes over the sum of their rates. Every depth gives such a bound.
#include <topowise/mapper/bound/link_cut_bound.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include <topowise/mapper/bound/least_cut.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {
namespace {

/// The vertices in groups: at first each alone, then by ancestors, deepest first.
class Division {
 public:
  explicit Division(const Topology& topology) : topology_(topology), group_(topology.vertices().size()) {
    std::iota(group_.begin(), group_.end(), 0U);
    find_depths();
    depth_ = *std::ranges::max_element(depth_of_);
  }

  [[nodiscard]] std::uint32_t group_of(VertexId vertex) const { return group_[vertex.index()]; }

  /// Joins the deepest groups with what they are below; false if there is nothing above.
  bool rise() {
    if (depth_ == 0) return false;
    for (std::uint32_t& group : group_) {
      if (depth_of_[group] == depth_) group = parent_of(group);
    }
    --depth_;
    return true;
  }

 private:
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t vertex) const {
    return static_cast<std::uint32_t>(topology_.vertices()[vertex].parent->index());
  }

  void find_depths() {
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

  const Topology& topology_;
  std::vector<std::uint32_t> group_;     ///< by vertex: another vertex that speaks for the group
  std::vector<std::uint32_t> depth_of_;  ///< by vertex: ancestors
  std::uint32_t depth_ = 0;              ///< of the deepest groups
};

/// Bytes/s of all links that lead out of groups with places, or into them, whichever is less; nothing if one is not
/// known.
std::optional<double> crossing_rate(const Topology& topology, const Division& division,
                                    const std::vector<std::size_t>& capacity, std::span<const double> rates) {
  double out = 0;
  double in = 0;
  for (std::size_t l = 0; l < rates.size(); ++l) {
    const Link& link = topology.links()[l];
    const std::uint32_t from = division.group_of(link.from);
    const std::uint32_t to = division.group_of(link.to);
    if (from == to || (capacity[from] == 0 && capacity[to] == 0)) continue;
    const double rate = rates[l];
    if (rate <= 0) return std::nullopt;
    if (capacity[from] > 0) out += rate;
    if (capacity[to] > 0) in += rate;
  }
  return std::min(out, in);
}

}  // namespace

double link_cut_bound(const MapProblem& problem, const Partners& partners) {
  std::vector<double> rates;
  for (const Link& link : problem.topology.links()) rates.push_back(link.bandwidth.value());
  return link_cut_bound(problem, partners, rates);
}

double link_cut_bound(const MapProblem& problem, const Partners& partners, std::span<const double> rates) {
  constexpr std::size_t kDeepest = 64;
  const Topology& topology = problem.topology;
  if (topology.vertices().empty() || topology.links().empty()) return 0;
  const std::vector<PlaceCapacity> places = place_capacities(problem);
  const LeastCut cut(problem.traffic, partners);
  Division division(topology);
  double bound = 0;
  for (std::size_t depth = 0; depth < kDeepest; ++depth) {
    std::vector<std::size_t> capacity(topology.vertices().size(), 0);
    for (const PlaceCapacity& each : places)
      capacity[division.group_of(topology.place(each.place).vertex)] += each.capacity;
    const std::optional<double> rate = crossing_rate(topology, division, capacity, rates);
    std::erase(capacity, std::size_t{0});
    if (capacity.size() == 1) break;
    if (rate && *rate > 0)
      bound = std::max(bound, cut.between(group_sizes(std::move(capacity), problem.traffic.ranks())) / *rate);
    if (!division.rise()) break;
  }
  return bound;
}

}  // namespace topowise
