// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/agreement.hpp>

#include <algorithm>
#include <climits>
#include <cstring>

#include <topowise/reorder/engine.hpp>

namespace topowise::interpose::reordering {
namespace {

template <class Member>
bool differ(std::span<const Hello> hellos, Member Hello::*member) {
  return std::ranges::any_of(hellos, [&](const Hello& hello) { return hello.*member != hellos.front().*member; });
}

bool one_host(std::span<const Hello> hellos) {
  return std::ranges::all_of(hellos,
                             [&](const Hello& hello) { return std::strcmp(hello.host, hellos.front().host) == 0; });
}

/// Edges travel in one message of at most INT_MAX bytes.
bool too_many_edges(std::span<const Hello> hellos) {
  std::int64_t edges = 0;
  for (const Hello& hello : hellos) edges += hello.edges;
  return edges > INT_MAX / static_cast<std::int64_t>(sizeof(engine::Edge));
}

Agreement trouble(Next next, const char* complaint) {
  return {next, Outcome::trouble, complaint};
}

}  // namespace

Agreement judge(std::span<const Hello> hellos, Mode mode, bool described) {
  const Next refuse = mode == Mode::report ? Next::leave : Next::refuse;
  const Next stay = mode == Mode::report ? Next::leave : Next::stay;
  if (std::ranges::any_of(hellos, [](const Hello& hello) { return hello.permitted == 0; }))
    return {Next::leave, Outcome::denied};
  if (differ(hellos, &Hello::mode))
    return trouble(Next::stay, "the processes were started with different modes of --reorder; ranks stay as they are");
  if (differ(hellos, &Hello::valid))
    return trouble(refuse, "some processes pass a virtual topology that is none, and others do not");
  if (hellos.front().valid == 0) return {Next::leave, Outcome::left};
  if (differ(hellos, &Hello::vertices)) return trouble(refuse, "the processes disagree on the number of vertices");
  if (differ(hellos, &Hello::digest))
    return trouble(stay, "the processes disagree on the virtual topology; ranks stay as they are");
  if (differ(hellos, &Hello::asked))
    return trouble(stay, "the processes disagree on 'reorder'; ranks stay as they are");
  if (hellos.front().asked == 0 && mode == Mode::asked) return {stay, Outcome::unasked};
  if (one_host(hellos) && !described) return {stay, Outcome::one_host};
  if (too_many_edges(hellos)) return trouble(stay, "the edges are too many to gather; ranks stay as they are");
  return {};
}

}  // namespace topowise::interpose::reordering
