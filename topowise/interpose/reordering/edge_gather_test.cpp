// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/decision.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <numeric>
#include <random>
#include <utility>

using namespace topowise::interpose::reordering;

namespace {

std::vector<Participant> on_hosts(const std::vector<int>& host_of_process, const std::vector<int>& edges) {
  std::vector<Participant> participants(host_of_process.size());
  for (std::size_t i = 0; i < participants.size(); ++i) {
    std::snprintf(participants[i].host, sizeof(participants[i].host), "h%d", host_of_process[i]);
    participants[i].edges = edges[i];
  }
  return participants;
}

}  // namespace

TEST_CASE("edges reach the first process in one message per host, and all of them") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t processes = 1 + random() % 40;
    const int hosts = static_cast<int>(1 + random() % 6);
    std::vector<int> host_of_process(processes);
    std::vector<int> edges(processes);
    for (std::size_t i = 0; i < processes; ++i) {
      host_of_process[i] = static_cast<int>(random() % static_cast<unsigned>(hosts));
      edges[i] = static_cast<int>(random() % 4);  // some processes have no edges
    }
    std::vector<std::int32_t> job_ranks(processes);
    std::iota(job_ranks.begin(), job_ranks.end(), 100);
    const EdgePlan plan = plan_edges(on_hosts(host_of_process, edges), job_ranks);
    std::vector<int> have(edges);
    int crossing = 0;
    // A process later in the job is deeper in its tree.
    for (std::size_t i = processes; i-- > 0;) {
      for (const EdgeMessage& message : plan.routes[i].before) {
        if (message.edges == 0) continue;
        const auto from = static_cast<std::size_t>(message.from - 100);
        CHECK(plan.routes[from].to == job_ranks[i]);
        CHECK(host_of_process[from] == host_of_process[i]);
        CHECK(have[from] == message.edges);
        have[i] += std::exchange(have[from], 0);
      }
    }
    for (const EdgeMessage& message : plan.from_hosts) {
      const auto from = static_cast<std::size_t>(message.from - 100);
      CHECK(plan.routes[from].to == job_ranks[0]);
      CHECK(host_of_process[from] != host_of_process[0]);
      CHECK(have[from] == message.edges);
      have[0] += std::exchange(have[from], 0);
      ++crossing;
    }
    CHECK(have[0] == std::accumulate(edges.begin(), edges.end(), 0));
    CHECK(crossing < hosts);
    CHECK(plan.routes[0].to == EdgeRoute::kNobody);
    for (std::size_t i = 1; i < processes; ++i) CHECK(have[i] == 0);
  }
}

TEST_CASE("where ranks in the job are not known, or threads go side by side, MPI gathers") {
  const auto participants = on_hosts({0, 0, 1}, {1, 1, 1});
  CHECK(plan_edges(participants, {}).routes.at(2).to == EdgeRoute::kByMpi);
  CHECK(plan_edges(participants, std::vector<std::int32_t>{0, 1, -32766}).routes.at(0).to == EdgeRoute::kByMpi);
  auto threads = participants;
  threads[1].threaded = 1;
  CHECK(plan_edges(threads, std::vector<std::int32_t>{0, 1, 2}).routes.at(2).to == EdgeRoute::kByMpi);
}
