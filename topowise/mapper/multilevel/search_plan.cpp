// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/search_plan.hpp>

#include <algorithm>
#include <cmath>

namespace topowise::multilevel {
namespace {

constexpr int kFewest = 10;  ///< fewer children are not worth a population
constexpr int kMost = 300;
constexpr double kFewArcs = 1e4;
constexpr double kManyArcs = 1e6;
constexpr double kHugeArcs = 4e6;  ///< one search takes so long that a second one like it is not worth its time

bool is_huge(const Graph& graph) {
  return static_cast<double>(graph.arcs.size()) > kHugeArcs;
}

}  // namespace

SearchPlan plan_fast(const Graph& graph, int threads) {
  SearchPlan plan;
  plan.division.bisection_tries = 2;
  plan.division.members = is_huge(graph) ? 1 : 2;
  plan.division.threads = threads;
  plan.whole.rounds = is_huge(graph) ? 1 : 2;
  // On a 27-point stencil, a random geometric and a power-law graph the cycles took a quarter to a half of all time and
  // gained 0.01 % at most. Ranks with loads keep them, because they have no exchanges before.
  if (is_huge(graph) && graph.largest_load() <= 1) plan.cycles_on_hierarchy = false;
  plan.sweeps = 2;
  plan.matchings = 4;
  return plan;
}

std::optional<SearchPlan> plan_search(const Graph& graph, int threads) {
  if (is_huge(graph)) return std::nullopt;
  SearchPlan plan;
  const auto arcs = static_cast<double>(std::max<std::size_t>(graph.arcs.size(), 1));
  // One child costs time in proportion to the arcs. The work for all of them grows slower than the graph, so that small
  // problems are searched well; from some hundred thousand arcs on it grows no more.
  // Where ranks have many partners, cuts are larger and partitions differ more: they are worth more children.
  const double partners = arcs / static_cast<double>(std::max<GuestVertex>(graph.size(), 1));
  const double most = 1e7 / arcs * std::clamp(partners / 10, 1.0, 1.6);
  const int generations = static_cast<int>(std::min(1000.0 * std::pow(arcs, -0.25), most));
  plan.division.generations = generations < kFewest ? 0 : std::min(generations, kMost);
  // First partitions vary more in a large graph; and those of its coarsest level take a small part of the time.
  plan.division.members = std::clamp(plan.division.generations / (arcs < kFewArcs ? 5 : 3), 1, 40);
  plan.division.bisection_tries = arcs < kFewArcs ? 4 : 16;
  plan.division.threads = threads;
  plan.tops = static_cast<int>(std::clamp(7e3 / arcs, 1.0, 12.0));
  plan.cycles = arcs < kManyArcs ? 4 : 1;
  plan.sweeps = arcs < kManyArcs ? 8 : 2;
  plan.matchings = static_cast<int>(std::clamp(2e5 / arcs, 8.0, 64.0));
  return plan;
}

}  // namespace topowise::multilevel
