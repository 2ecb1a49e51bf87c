// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/objective_choice.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/congestion/link_model.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostRanks = 512;
constexpr std::size_t kMostMessages = 8192;
/// The time of shorter messages is latency alone. Who gives so few means weights, not bytes.
constexpr Bytes kShortest{64};

/// What different ranks send each other.
struct Messages {
  std::size_t count = 0;
  Bytes longest;
};
Messages messages_of(const Traffic& traffic) {
  Messages messages;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.source == entry.destination || !(entry.bytes > Bytes(0))) continue;
    ++messages.count;
    messages.longest = std::max(messages.longest, entry.bytes);
  }
  return messages;
}

/// What keeps the routes between usable places from being predicted; empty if nothing does. Notes in `assumed` whether
/// a reader assumes a rate.
std::string unknown_rates(const MapProblem& problem, bool& assumed) {
  constexpr std::size_t kEveryPair = 512;  // places; of more, only the routes from and to the first one are looked at
  const Topology& topology = problem.topology;
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  UsedLinks used(topology);
  const bool is_every_pair = all.size() <= kEveryPair;
  const bool is_network = !is_every_pair && topology.network() != nullptr;  // it joins all, and uses all of its links
  if (is_network) used.add_all();
  for (std::size_t a = 0; a < all.size() && !is_network; ++a) {
    for (std::size_t b = 0; b < (is_every_pair || a == 0 ? all.size() : 1); ++b) {
      const Place from = all[a].place;
      const Place to = all[b].place;
      if (!used.add(from, to))
        return fmt::format("no links are known between {} and {}", printable(topology.vertex_of(from).name),
                           printable(topology.vertex_of(to).name));
    }
  }
  const std::vector<LinkId> links = used.all();
  std::size_t unknown = 0;
  for (const LinkId link : links) {
    const RateOrigin origin = model_rate(topology, topology.link(link), {}).origin;
    unknown += origin == RateOrigin::usual ? 1 : 0;
    assumed = assumed || origin == RateOrigin::assumed;
  }
  if (unknown == 0) return {};
  return fmt::format("{} of {} {} no rate", unknown, counted(links.size(), "link"), unknown == 1 ? "has" : "have");
}

}  // namespace

bool is_quick_to_predict(const Traffic& traffic) {
  return traffic.ranks() <= kMostRanks && messages_of(traffic).count <= kMostMessages;
}

ObjectiveChoice choose_objective(const MapProblem& problem, const AskedObjective& asked) {
  if (asked.objective) return {*asked.objective, {}};
  const auto hop_bytes = [](std::string reason) { return ObjectiveChoice{Objective::hop_bytes, std::move(reason)}; };
  if (asked.is_metric_named || asked.mapper != "auto") return hop_bytes({});
  const Messages messages = messages_of(problem.traffic);
  if (messages.count == 0) return hop_bytes({});
  if (!problem.loads.empty()) return hop_bytes("predicted-time knows no loads of ranks");
  if (!is_quick_to_predict(problem.traffic)) {
    const bool many_ranks = problem.traffic.ranks() > kMostRanks;
    return hop_bytes(
        fmt::format("{} are too many to predict each mapping; --objective predicted-time does it anyway",
                    many_ranks ? counted(problem.traffic.ranks(), "rank") : counted(messages.count, "message")));
  }
  if (messages.longest < kShortest)
    return hop_bytes(
        fmt::format("ranks send each other {} at most, which is latency alone", to_string(messages.longest)));
  bool assumed = false;
  if (std::string unknown = unknown_rates(problem, assumed); !unknown.empty()) return hop_bytes(std::move(unknown));
  return {.objective = Objective::predicted_time, .reason = {}, .spares_hop_bytes = assumed};
}

}  // namespace topowise
