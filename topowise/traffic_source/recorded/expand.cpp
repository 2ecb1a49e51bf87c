// SPDX-License-Identifier: BSD-3-Clause
// Every member of a communicator has written its own row of a call. The call is expanded once, for the mean size over
// its members. What a member sends then counts as often as its own row says. So a process that was killed early, or
// whose file is missing, adds what it did and no more.
//
// Sizes are kept in bins of powers of two, and the decisions of the models change at powers of two. So the mean of a
// bin takes the same way as each of its calls.
#include <topowise/traffic_source/recorded/expand.hpp>

#include <fmt/format.h>

#include <cmath>

#include <topowise/base/error.hpp>

namespace topowise::recorded {
namespace {

using profile::Operation;
using profile::Share;

/// Most pairs of all collectives together: beyond this, the matrix would not fit into memory.
constexpr std::size_t kMostPairs = std::size_t{1} << 26;

}  // namespace

Share share_of(Operation operation) {
  return profile::kOperations[static_cast<std::size_t>(operation)].share;
}

bool parts_differ(Operation operation) {
  return operation == Operation::gatherv || operation == Operation::allgatherv ||
         operation == Operation::reduce_scatter;
}

double most_pairs(const collective::Model& model, Operation operation, double members) {
  const bool all = model.name == "nccl-direct" || operation == Operation::alltoall ||
                   operation == Operation::allgather || operation == Operation::allgatherv ||
                   operation == Operation::reduce_scatter || operation == Operation::reduce_scatter_block;
  return members * (all ? members : 2 * std::log2(members + 1) + 2);
}

void append_pair(std::int32_t source, std::int32_t destination, double bytes, double messages,
                 std::vector<TrafficEntry>& entries, double& outside_bytes) {
  if (messages <= 0) return;
  if (source == profile::kOutside || destination == profile::kOutside) {
    outside_bytes += bytes;
    return;
  }
  entries.push_back({Rank(static_cast<std::size_t>(source)), Rank(static_cast<std::size_t>(destination)), Bytes(bytes),
                     static_cast<std::uint64_t>(std::llround(messages))});
}

void expand_call(const collective::Model& model, const collective::Call& call, const std::vector<std::int32_t>& members,
                 const std::function<double(std::size_t)>& times_of, std::vector<TrafficEntry>& entries,
                 double& outside_bytes) {
  if (static_cast<double>(entries.size()) + most_pairs(model, call.operation, static_cast<double>(members.size())) >
      static_cast<double>(kMostPairs))
    throw bad_input(fmt::format("the '{}' of {} ranks is too many pairs",
                                profile::kOperations[static_cast<std::size_t>(call.operation)].name, members.size()),
                    "--collectives none leaves collectives out");
  collective::Sends sends;
  collective::expand(model, call, sends);
  for (const collective::Sent& sent : sends.list()) {
    const double times = times_of(sent.source);
    append_pair(members[sent.source], members[sent.destination], sent.bytes * times, sent.messages * times, entries,
                outside_bytes);
  }
}

void CollectiveRows::add(const File& file) {
  groups_.insert(file.groups.begin(), file.groups.end());
  for (const profile::CollectiveRow& row : file.collectives) {
    if (share_of(row.operation) == Share::per_partner && row.operation != Operation::reduce_scatter) continue;
    const std::uint8_t bin = parts_differ(row.operation) ? 0 : row.size_bin;
    Counted& counted = rows_[{row.group, row.operation, row.root, bin}][file.header.rank];
    counted.calls += static_cast<double>(row.calls);
    counted.bytes += static_cast<double>(row.bytes);
    if (counts(ends_, row.memory)) counted.calls_counted += static_cast<double>(row.calls);
  }
  std::map<std::uint64_t, std::map<std::int32_t, double>> scattered;
  for (const profile::VectorRow& row : file.vectors)
    if (row.operation == Operation::reduce_scatter) scattered[row.group][row.peer] += static_cast<double>(row.bytes);
  scattered_.insert(scattered.begin(), scattered.end());  // every process wrote the same blocks
}

void add_group(const std::vector<std::int32_t>& members, const std::vector<TrafficEntry>& entries, std::size_t before,
               RankGroupsByShape& groups) {
  if (std::ranges::any_of(members, [](std::int32_t member) { return member < 0; })) return;
  Bytes sum;
  for (std::size_t i = before; i < entries.size(); ++i) sum += entries[i].bytes;
  groups.add({members.begin(), members.end()}, sum);
}

void CollectiveRows::expand(std::vector<TrafficEntry>& entries, LeftOut& left_out, RankGroupsByShape& groups) {
  for (const auto& [key, counted] : rows_) {
    const auto group = groups_.find(std::get<0>(key));
    if (group == groups_.end()) {
      for (const auto& [rank, row] : counted) left_out.calls_without_members += row.calls;
      continue;
    }
    if (!group->second.remote.empty()) {
      expand_between(key, counted, group->second, entries, left_out);
    } else {
      expand_inside(key, counted, members_of(group->second.local, ranks_), entries, left_out, groups);
    }
  }
}

void CollectiveRows::expand_inside(const Key& key, const Members& counted, const std::vector<std::int32_t>& members,
                                   std::vector<TrafficEntry>& entries, LeftOut& left_out, RankGroupsByShape& groups) {
  const auto& [group, operation, root, bin] = key;
  auto [call, calls] = mean_call(operation, root, members.size(), counted);
  if (calls == 0) return;
  const double calls_of_one = calls / static_cast<double>(counted.size());
  for (const std::int32_t member : members) {
    if (operation == Operation::reduce_scatter) {
      const auto blocks = scattered_.find(group);
      const bool known = blocks != scattered_.end() && blocks->second.contains(member);
      call.parts.push_back(known ? blocks->second.at(member) / calls_of_one : 0);
    } else if (parts_differ(operation)) {
      const auto row = counted.find(member);
      call.parts.push_back(row != counted.end() && row->second.calls > 0 ? row->second.bytes / row->second.calls : 0);
    }
  }
  const auto times_of = [&](std::size_t position) {
    const auto source = counted.find(members[position]);
    return source != counted.end() ? source->second.calls_counted : 0;
  };
  const std::size_t before = entries.size();
  expand_call(model_, call, members, times_of, entries, left_out.outside_bytes);
  add_group(members, entries, before, groups);
}

/// Between two groups the library's way is not known. Each member sends its part to those who need it, and a result
/// that all need goes through the other group's first member.
void CollectiveRows::expand_between(const Key& key, const Members& counted, const Group& group,
                                    std::vector<TrafficEntry>& entries, LeftOut& left_out) {
  if (model_.name == "none") return;
  const auto& [key_of_group, operation, root, bin] = key;
  const std::vector<std::int32_t> local = members_of(group.local, ranks_);
  const std::vector<std::int32_t> remote = members_of(group.remote, ranks_);
  if (remote.empty()) return;
  if (static_cast<double>(entries.size()) +
          static_cast<double>(counted.size()) * static_cast<double>(local.size() + remote.size()) >
      static_cast<double>(kMostPairs))
    throw bad_input("a collective between two groups is too many pairs", "--collectives none leaves collectives out");
  for (const auto& [member_rank, row] : counted) {
    const std::int32_t rank = member_rank;  // lambdas cannot take structured bindings in every compiler
    const double times = row.calls_counted;
    if (row.bytes == 0 && operation != Operation::barrier) continue;  // as in collective::expand()
    const double bytes = row.calls > 0 ? row.bytes / row.calls * times : 0;
    const auto to_all = [&](const std::vector<std::int32_t>& members, double each) {
      for (const std::int32_t member : members)
        if (member != rank) append_pair(rank, member, each, times, entries, left_out.outside_bytes);
    };
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"  // an operation that is forgotten must not compile
    switch (operation) {
      case Operation::bcast:
      case Operation::scatter:
        if (root == profile::kRootHere) to_all(remote, bytes);
        break;
      case Operation::reduce:
      case Operation::gather:
      case Operation::gatherv:
        if (root >= 0 && static_cast<std::size_t>(root) < remote.size())
          append_pair(rank, remote[static_cast<std::size_t>(root)], bytes, times, entries, left_out.outside_bytes);
        break;
      case Operation::allreduce:
      case Operation::reduce_scatter:
      case Operation::reduce_scatter_block: {
        const double vector =
            operation == Operation::reduce_scatter_block ? bytes * static_cast<double>(local.size()) : bytes;
        append_pair(rank, remote.front(), vector, times, entries, left_out.outside_bytes);
        if (!local.empty() && rank == local.front())
          to_all(local, operation == Operation::allreduce ? bytes : vector / static_cast<double>(local.size()));
        break;
      }
      case Operation::barrier:
      case Operation::allgather:
      case Operation::allgatherv:
      case Operation::alltoall:
      case Operation::scan:
      case Operation::exscan:
        to_all(remote, bytes);
        break;
      case Operation::scatterv:
      case Operation::alltoallv:
      case Operation::alltoallw:
      case Operation::neighbor_allgather:
      case Operation::neighbor_allgatherv:
      case Operation::neighbor_alltoall:
      case Operation::neighbor_alltoallv:
      case Operation::neighbor_alltoallw:
      case Operation::point_to_point:
        break;  // the split over the partners is known exactly
    }
#pragma GCC diagnostic pop
  }
}

}  // namespace topowise::recorded
