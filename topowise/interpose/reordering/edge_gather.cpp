// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/edge_gather.hpp>

#include <algorithm>
#include <map>
#include <string_view>

#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/own_communicator.hpp>

namespace topowise::interpose::reordering {
namespace {

constexpr int kTag = 0;

/// Receives `messages` and appends their edges to what is there.
int receive(const Mpi& m, std::span<const EdgeMessage> messages, std::vector<engine::Edge>& edges) {
  for (const EdgeMessage& message : messages) {
    if (message.edges == 0) continue;
    const std::size_t have = edges.size();
    edges.resize(have + static_cast<std::size_t>(message.edges));
    const int status =
        calls()->Recv(edges.data() + have, message.edges * static_cast<int>(sizeof(engine::Edge)), m.family.type_byte,
                      message.from, kTag, own_communicator(m), m.family.status_ignore);
    if (status != 0) return status;
  }
  return 0;
}

/// The tree of one host: member i sends to member (i - 1) / 2. Returns how many edges its first member has then.
std::int32_t plan_host(std::span<const std::size_t> members, std::span<const Participant> participants,
                       std::span<const std::int32_t> job_ranks, std::vector<EdgeRoute>& routes) {
  std::vector<std::int32_t> edges;
  for (const std::size_t member : members) edges.push_back(participants[member].edges);
  for (std::size_t i = members.size() - 1; i > 0; --i) {
    const std::size_t above = (i - 1) / 2;
    if (edges[i] == 0) continue;
    routes[members[i]].to = job_ranks[members[above]];
    routes[members[above]].before[(i - 1) % 2] = {job_ranks[members[i]], edges[i]};
    edges[above] += edges[i];
  }
  return edges.front();
}

}  // namespace

EdgePlan plan_edges(std::span<const Participant> participants, std::span<const std::int32_t> job_ranks) {
  EdgePlan plan{.routes = std::vector<EdgeRoute>(participants.size()), .from_hosts = {}};
  if (job_ranks.empty() || std::ranges::any_of(job_ranks, [](std::int32_t rank) { return rank < 0; }) ||
      std::ranges::any_of(participants, [](const Participant& participant) { return participant.threaded != 0; })) {
    std::ranges::fill(plan.routes, EdgeRoute{.to = EdgeRoute::kByMpi, .before = {}});
    return plan;
  }
  std::map<std::string_view, std::vector<std::size_t>> hosts;
  for (std::size_t process = 0; process < participants.size(); ++process)
    hosts[participants[process].host].push_back(process);
  for (const auto& [host, members] : hosts) {
    const std::int32_t edges = plan_host(members, participants, job_ranks, plan.routes);
    if (members.front() == 0 || edges == 0) continue;
    plan.routes[members.front()].to = job_ranks[0];
    plan.from_hosts.push_back({job_ranks[members.front()], edges});
  }
  return plan;
}

int gather_by_host(const Mpi& m, const EdgeRoute& route, std::span<const EdgeMessage> from_hosts,
                   std::vector<engine::Edge>& edges) {
  if (const int status = receive(m, route.before, edges); status != 0) return status;
  if (const int status = receive(m, from_hosts, edges); status != 0) return status;
  if (route.to < 0) return 0;
  return calls()->Send(edges.data(), static_cast<int>(edges.size() * sizeof(engine::Edge)), m.family.type_byte,
                       route.to, kTag, own_communicator(m));
}

}  // namespace topowise::interpose::reordering
