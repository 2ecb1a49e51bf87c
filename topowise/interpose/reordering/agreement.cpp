// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/agreement.hpp>

#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>

#include <topowise/reorder/engine.hpp>

namespace topowise::interpose::reordering {
namespace {

template <class Member>
bool differ(std::span<const Participant> participants, Member Participant::*member) {
  return std::ranges::any_of(participants, [&](const Participant& participant) {
    return participant.*member != participants.front().*member;
  });
}

bool one_host(std::span<const Participant> participants) {
  return std::ranges::all_of(participants, [&](const Participant& participant) {
    return std::strcmp(participant.host, participants.front().host) == 0;
  });
}

/// Whether some processes of one host are nearer to each other than to the rest.
bool bound_apart(std::span<const Participant> participants) {
  std::vector<NodePart> parts;
  for (const Participant& participant : participants) parts.push_back(participant.part);
  return are_divided(parts);
}

/// Whether there are too many edges: they travel in one message of at most INT_MAX bytes.
bool too_many_edges(std::span<const Participant> participants) {
  std::int64_t edges = 0;
  for (const Participant& participant : participants) edges += participant.edges;
  return edges > INT_MAX / static_cast<std::int64_t>(sizeof(engine::Edge));
}

Agreement trouble(Next next, const char* warning) {
  return {next, Outcome::trouble, warning};
}

}  // namespace

Agreement agreement_of(std::span<const Participant> participants, Mode mode, bool described) {
  const Next refuse = mode == Mode::report ? Next::leave : Next::refuse;
  const Next stay = mode == Mode::report ? Next::leave : Next::stay;
  if (std::ranges::any_of(participants, [](const Participant& participant) { return participant.lacks != 0; }))
    return trouble(stay, "a process has no memory left to reorder ranks; ranks stay as they are");
  if (std::ranges::any_of(participants, [](const Participant& participant) { return participant.permitted == 0; }))
    return {Next::leave, Outcome::denied};
  if (differ(participants, &Participant::mode))
    return trouble(Next::stay, "the processes were started with different modes of --reorder; ranks stay as they are");
  if (differ(participants, &Participant::valid))
    return trouble(refuse, "some processes pass a virtual topology that is none, and others do not");
  if (participants.front().valid == 0) return {Next::leave, Outcome::left};
  if (differ(participants, &Participant::vertices))
    return trouble(refuse, "the processes disagree on the number of vertices");
  if (differ(participants, &Participant::digest))
    return trouble(stay, "the processes disagree on the virtual topology; ranks stay as they are");
  if (differ(participants, &Participant::asked))
    return trouble(stay, "the processes disagree on 'reorder'; ranks stay as they are");
  if (participants.front().asked == 0 && mode == Mode::asked) return {stay, Outcome::unasked};
  if (one_host(participants) && !described && !bound_apart(participants)) return {stay, Outcome::one_host};
  if (too_many_edges(participants)) return trouble(stay, "the edges are too many to gather; ranks stay as they are");
  return {};
}

}  // namespace topowise::interpose::reordering
