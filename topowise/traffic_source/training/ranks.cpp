// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/ranks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>

namespace topowise::training {
namespace {

[[noreturn]] void fail(const std::string& where, std::string what, std::string hint) {
  throw Error(ExitStatus::bad_input, {Diagnostic{where, {}, std::move(what), {}, std::move(hint)}});
}

/// Ranks for processes that only know their positions in communicators. The largest communicator is the job, and every
/// process must belong to it.
void rank_by_communicator(const std::string& where, std::vector<Trace>& traces) {
  std::map<std::string, std::vector<std::pair<std::size_t, Trace*>>> members;
  std::map<std::string, std::size_t> sizes;
  for (Trace& trace : traces) {
    for (const Group& group : trace.groups) {
      if (!group.position) continue;
      members[group.name].emplace_back(*group.position, &trace);
      const auto [size, is_new] = sizes.emplace(group.name, group.size);
      if (!is_new && size->second != group.size)
        fail(trace.where,
             fmt::format("communicator {} has {} ranks here, and {} in '{}'", printable(group.name), group.size,
                         size->second, printable(members[group.name].front().second->where)),
             "give the files of one job");
    }
  }
  const auto largest = std::ranges::max_element(sizes, {}, [](const auto& group) { return group.second; });
  if (largest == sizes.end()) fail(where, "traces that do not state their ranks", "name them NAME.RANK.et");
  std::set<const Trace*> reached;
  for (const auto& [position, trace] : members[largest->first]) {
    trace->rank = position;
    trace->world = largest->second;
    reached.insert(trace);
  }
  for (const Trace& trace : traces)
    if (!reached.contains(&trace))
      fail(trace.where,
           fmt::format("a process that does not belong to communicator {}, the largest one: its rank cannot be known",
                       printable(largest->first)),
           "log a job in which all ranks call one collective, and give the files of one job");
  for (const auto& [name, list] : members) {
    std::map<std::size_t, std::size_t> rank_at;  // by position
    for (const auto& [position, trace] : list) {
      if (position >= sizes[name]) continue;
      const std::size_t known = rank_at.try_emplace(position, *trace->rank).first->second;
      if (known != *trace->rank)
        fail(trace->where,
             fmt::format("rank {} of communicator {} is rank {} of the job here, and rank {} in another file", position,
                         printable(name), *trace->rank, known),
             "give the files of one job");
    }
    // Some members have no file, or it is the group of all ranks, which keeps no list.
    if (name == largest->first || rank_at.size() < sizes[name]) continue;
    std::vector<std::size_t> ranks;
    for (const auto& [position, rank] : rank_at) ranks.push_back(rank);
    for (const auto& [position, trace] : list) trace->groups[trace->group_named(name)].ranks = ranks;
  }
}

void join(Trace& into, const Trace& more) {
  const auto same_group = [&](std::size_t index) {
    const Group& group = more.groups[index];
    std::size_t mine = into.group_named(group.name);
    if (!into.groups[mine].ranks.empty() && !group.ranks.empty() && into.groups[mine].ranks != group.ranks) {
      into.doubts.insert(fmt::format("group '{}' has {} here and {} in '{}': each counts with its own",
                                     printable(std::string_view(group.name).substr(0, 60)),
                                     list_of_ranks(into.groups[mine].ranks), list_of_ranks(group.ranks),
                                     printable(more.where)));
      mine = into.group_named(fmt::format("{} in {}", group.name, more.where));
    }
    if (into.groups[mine].ranks.empty()) into.groups[mine] = group;
    return mine;
  };
  for (std::size_t i = 0; i < more.groups.size(); ++i) (void)same_group(i);
  for (const auto& [call, times] : more.calls) {
    Call mine = call;
    mine.group = same_group(call.group);
    into.add(mine, times);
  }
  const auto join_partners = [&](Trace::ByPartner& mine, const Trace::ByPartner& others) {
    for (const auto& [partner, amount] : others) mine[{same_group(partner.first), partner.second}] += amount;
  };
  join_partners(into.parts, more.parts);
  join_partners(into.sent, more.sent);
  join_partners(into.received, more.received);
  for (const auto& [why, calls] : more.left_out) into.left_out[why] += calls;
  for (const auto& [name, calls] : more.rootless) into.rootless[name] += calls;
  into.cut_splits += more.cut_splits;
  into.doubts.insert(more.doubts.begin(), more.doubts.end());
}

bool tell_the_same(const Trace& a, const Trace& b) {
  return a.groups == b.groups && a.calls == b.calls && a.parts == b.parts && a.sent == b.sent &&
         a.received == b.received;
}

/// Fails because two files are of one rank. If the format names no process, the error says what the two files may be.
[[noreturn]] void fail_of_one_rank(const Trace& first, const Trace& again) {
  const std::string already = fmt::format("rank {} has a trace in '{}' already", *again.rank, printable(first.where));
  if (!first.process.empty() && !again.process.empty())
    fail(again.where, already + ", of another process: traces of two jobs?",
         "give the traces of one job, such as 'DIR/run1*'");
  if (tell_the_same(first, again))
    fail(again.where, already + ", and the two are the same: is one a copy of the other?", "give one trace a rank");
  fail(again.where, already + ", and the two differ: traces of two jobs, or of several steps?",
       "give one trace a rank");
}

/// Joins the files of one process to one trace, because profilers write a file for each window of steps.
void join_windows(std::vector<Trace>& traces, std::vector<Diagnostic>& warnings) {
  std::map<std::size_t, std::size_t> of_rank;
  std::vector<Trace> joined;
  for (Trace& trace : traces) {
    const auto [at, is_new] = of_rank.emplace(*trace.rank, joined.size());
    if (is_new) {
      joined.push_back(std::move(trace));
      continue;
    }
    Trace& first = joined[at->second];
    if (first.process.empty() || first.process != trace.process) fail_of_one_rank(first, trace);
    if (!trace.recordings.empty() &&
        std::ranges::find(first.recordings, trace.recordings.front()) != first.recordings.end()) {
      warnings.push_back({trace.where, {}, "a copy of a trace that counts already: left out", {}, {}});
      continue;
    }
    join(first, trace);
    first.recordings.insert(first.recordings.end(), trace.recordings.begin(), trace.recordings.end());
  }
  traces = std::move(joined);
}

/// A trace of one rank whose collectives do not say how many ranks made them would have no traffic.
void refuse_one_of_many(const std::vector<Trace>& traces, bool told, std::size_t ranks) {
  if (told || ranks != 1) return;
  for (const Trace& trace : traces)
    if (!trace.of_all && (!trace.calls.empty() || !trace.parts.empty() || !trace.unsettled.empty()))
      fail(trace.where, "the trace of one rank, and nothing in it says how many ranks its collective operations have",
           "give the traces of all ranks, such as 'DIR/run1*'");
}

}  // namespace

std::size_t settle_ranks(const std::string& where, std::vector<Trace>& traces, std::vector<Diagnostic>& warnings) {
  if (std::ranges::any_of(traces, [](const Trace& trace) { return !trace.rank; })) rank_by_communicator(where, traces);
  std::size_t ranks = 0;
  const Trace* teller = nullptr;
  for (const Trace& trace : traces) {
    if (trace.world == 0) continue;
    if (teller != nullptr && teller->world != trace.world)
      fail(trace.where,
           fmt::format("of a job of {} ranks, while '{}' is of a job of {}", trace.world, printable(teller->where),
                       teller->world),
           "give the traces of one job, such as 'DIR/run1*'");
    teller = &trace;
    ranks = trace.world;
  }
  const bool told = ranks > 0;
  for (const Trace& trace : traces) {
    if (told && *trace.rank >= ranks)
      fail(trace.where, fmt::format("rank {} of a job of {} ranks", *trace.rank, ranks), {});
    ranks = std::max(ranks, *trace.rank + 1);
  }
  for (const Trace& trace : traces) {
    for (const Group& group : trace.groups) {
      if (const std::optional<std::size_t> twice = listed_twice(group.ranks))
        fail(trace.where, fmt::format("group '{}' lists rank {} twice", printable(group.name), *twice), {});
      for (const std::size_t rank : group.ranks) {
        if (rank >= kMostRanks || (told && rank >= ranks))
          fail(trace.where, fmt::format("group '{}' has rank {} in a job of {}", printable(group.name), rank, ranks),
               {});
        ranks = std::max(ranks, rank + 1);
      }
    }
  }
  for (const Trace& trace : traces) {
    if (told) break;
    // A message of the group of all ranks names a rank of the job.
    for (const Trace::ByPartner* partners : {&trace.sent, &trace.received})
      for (const auto& [partner, amount] : *partners)
        if (trace.groups[partner.first].whole_job) ranks = std::max(ranks, partner.second + 1);
  }
  refuse_one_of_many(traces, told, ranks);
  join_windows(traces, warnings);
  return ranks;
}

void settle_groups(std::vector<Trace>& traces, std::size_t ranks) {
  std::map<std::string, std::vector<const Group*>> told;
  std::map<std::string, std::set<std::size_t>> callers;
  for (const Trace& trace : traces) {
    for (const Group& group : trace.groups) {
      if (!group.ranks.empty()) told[group.name].push_back(&group);
      callers[group.name].insert(*trace.rank);
    }
  }
  const bool all_told = traces.size() == ranks || std::ranges::any_of(traces, &Trace::of_all);
  for (Trace& trace : traces) {
    for (Group& group : trace.groups) {
      if (group.ranks.empty() && group.size == ranks) group.whole_job = true;
      if (group.ranks.empty() && group.whole_job) continue;  // a list in each of many traces would take too much
      // Members from other traces are copied only here, so `told` does not change while this runs.
      for (const Group* other : told[group.name])
        if (group.ranks.empty() && std::ranges::find(other->ranks, *trace.rank) != other->ranks.end())
          group.ranks = other->ranks;
      // Of a group that does not state its size, ranks without a trace may be members.
      const std::set<std::size_t>& known = callers[group.name];
      const std::size_t size = group.size == 0 && all_told ? known.size() : group.size;
      if (group.ranks.empty() && told[group.name].empty() && !group.position && size == known.size())
        group.ranks.assign(known.begin(), known.end());
    }
  }
}

}  // namespace topowise::training
