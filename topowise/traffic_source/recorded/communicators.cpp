// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/communicators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include <topowise/base/saturating.hpp>
#include <topowise/traffic_source/recorded/expand.hpp>

namespace topowise::recorded {

void Communicators::add(std::int32_t process, const std::vector<profile::CommunicatorRow>& rows) {
  for (const profile::CommunicatorRow& row : rows) {
    Members& members = all_[row.key];
    members.size = std::max({members.size, row.size, row.rank + 1});
    const auto [member, is_new] = members.known.try_emplace(row.rank, Member{process, row.gpu, 0});
    conflict_ = conflict_ || (!is_new && member->second.process != process);
    member->second = {process, row.gpu, 0};
  }
}

void Communicators::number(std::size_t processes, const std::set<std::int32_t>& without_mpi) {
  processes_ = processes;
  std::map<std::int32_t, std::vector<std::uint32_t>> told;  // by process: its GPUs that files state, ascending
  for (const auto& [key, members] : all_) {
    for (const auto& [rank, member] : members.known)
      if (member.gpu != 0) told[member.process].push_back(member.gpu);
  }
  std::map<std::int32_t, std::int32_t> most;  // by process: its last GPU
  for (auto& [process, gpus] : told) {
    std::ranges::sort(gpus);
    gpus.erase(std::unique(gpus.begin(), gpus.end()), gpus.end());
  }
  for (auto& [key, members] : all_) {
    std::map<std::int32_t, std::int32_t> members_so_far;
    for (auto& [rank, member] : members.known) {
      const auto gpus = told.find(member.process);
      if (gpus == told.end())
        member.index = members_so_far[member.process]++;
      else
        member.index =
            member.gpu == 0
                ? 0
                : static_cast<std::int32_t>(std::ranges::lower_bound(gpus->second, member.gpu) - gpus->second.begin());
      most[member.process] = std::max(most[member.process], member.index);
    }
  }
  after_.clear();
  const bool several = std::ranges::any_of(most, [](const auto& one) { return one.second > 0; });
  counted_in_gpus_ = several && !without_mpi.empty() && incomplete() == 0;
  if (counted_in_gpus_)
    for (const std::int32_t process : without_mpi) most.try_emplace(process, 0);
  for (const auto& [process, last] : most) {
    if (!counted_in_gpus_ && last == 0) continue;
    const std::int32_t first = rank_of(process);
    after_[process] = first + last + 1;
  }
}

std::int32_t Communicators::rank_of(std::int32_t process) const {
  const auto above = after_.lower_bound(process);
  if (above == after_.begin()) return counted_in_gpus_ ? 0 : process;
  const auto& [below, rank] = *std::prev(above);
  return rank + (counted_in_gpus_ ? 0 : process - below - 1);
}

std::size_t Communicators::ranks() const {
  return after_.empty() ? processes_ : static_cast<std::size_t>(rank_of(static_cast<std::int32_t>(processes_)));
}

std::size_t Communicators::incomplete() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      all_, [](const auto& one) { return one.second.known.size() < static_cast<std::size_t>(one.second.size); }));
}

std::int32_t Communicators::rank_of(const Member& member) const {
  return rank_of(member.process) + member.index;
}

std::vector<std::int32_t> Communicators::members(std::uint64_t key) const {
  const auto found = all_.find(key);
  if (found == all_.end()) return {};
  std::vector<std::int32_t> all(static_cast<std::size_t>(found->second.size), profile::kOutside);
  for (const auto& [rank, member] : found->second.known) all[static_cast<std::size_t>(rank)] = rank_of(member);
  return all;
}

std::vector<std::int32_t> Communicators::members_of(std::uint64_t key, std::int32_t process) const {
  std::vector<std::int32_t> ranks;
  const auto found = all_.find(key);
  if (found == all_.end()) return ranks;
  for (const auto& [rank, member] : found->second.known)
    if (member.process == process) ranks.push_back(rank_of(member));
  return ranks;
}

std::int32_t Communicators::rank_of(std::uint64_t key, std::int32_t member) const {
  const auto found = all_.find(key);
  if (found == all_.end()) return profile::kOutside;
  const auto known = found->second.known.find(member);
  return known != found->second.known.end() ? rank_of(known->second) : profile::kOutside;
}

void Communicators::warn(const std::string& where, double unknown_bytes, std::vector<Diagnostic>& warnings) const {
  const std::size_t incomplete = this->incomplete();
  const auto say = [&](std::string what, std::string hint) {
    warnings.push_back({where, {}, std::move(what), {}, std::move(hint)});
  };
  if (incomplete > 0)
    say(fmt::format("{} NCCL communicator{} members that are in no file: {} to or from them are not in the matrix",
                    incomplete, incomplete == 1 ? " has" : "s have", to_string(Bytes(unknown_bytes))),
        {});
  if (several())
    say(fmt::format("processes drive several GPUs: a rank is a GPU here, {} of {} processes, in the order of processes "
                    "and GPUs; what MPI sent counts to the first GPU of a process",
                    ranks(), counted_in_gpus_ ? after_.size() : processes_),
        "start one process for each GPU (torchrun does), and a mapping can be put into effect");
  if (conflict_)
    say("two processes say that they are the same member of an NCCL communicator: the last one counts",
        "remove what other runs left in the directory");
}

const collective::Model& model_of_nccl(const collective::Model& chosen, std::string_view algorithm) {
  if (chosen.name == "linear" || chosen.name == "none" || chosen.name.starts_with("nccl-")) return chosen;
  if (algorithm.empty()) return collective::model_named("nccl");
  if (algorithm == "RING") return collective::model_named("nccl-ring");
  if (algorithm == "TREE") return collective::model_named("nccl-tree");
  return collective::model_named(algorithm == "PAT" ? "nccl-pat" : "nccl-direct");
}

void CommunicatorTraffic::add(const File& file) {
  if (!counts_) return;
  for (const profile::CommunicatorCallRow& row : file.communicator_calls) {
    const std::string algorithm(row.algorithm, ::strnlen(row.algorithm, sizeof(row.algorithm)));
    Counted& counted = calls_[{row.communicator, row.operation, row.root, row.size_bin, algorithm}][row.rank];
    counted.calls += static_cast<double>(row.calls);
    counted.bytes += static_cast<double>(row.bytes);
  }
  for (const profile::CommunicatorSendRow& row : file.communicator_sends) {
    auto& [bytes, messages] = sends_[{row.communicator, row.rank, row.peer}];
    bytes += static_cast<double>(row.bytes);
    messages = saturating_sum(messages, row.messages);
  }
}

void CommunicatorTraffic::expand(std::vector<TrafficEntry>& entries, double& unknown_bytes,
                                 RankGroupsByShape& groups) const {
  for (const auto& [key, sent] : sends_) {
    const auto& [communicator, source, destination] = key;
    append_pair(communicators_.rank_of(communicator, source), communicators_.rank_of(communicator, destination),
                sent.first, static_cast<double>(sent.second), entries, unknown_bytes);
  }
  for (const auto& [key, counted] : calls_) expand_calls(key, counted, entries, unknown_bytes, groups);
}

void CommunicatorTraffic::expand_calls(const Key& key, const std::map<std::int32_t, Counted>& counted,
                                       std::vector<TrafficEntry>& entries, double& unknown_bytes,
                                       RankGroupsByShape& groups) const {
  const auto& [communicator, operation, root, bin, algorithm] = key;
  const std::vector<std::int32_t> members = communicators_.members(communicator);
  const auto [call, calls] = mean_call(operation, root, members.size(), counted);
  if (calls == 0) return;
  const auto times_of = [&rows = counted](std::size_t member) {
    const auto row = rows.find(static_cast<std::int32_t>(member));
    return row != rows.end() ? row->second.calls : 0;
  };
  const std::size_t before = entries.size();
  expand_call(model_of_nccl(chosen_, algorithm), call, members, times_of, entries, unknown_bytes);
  add_group(members, entries, before, groups);
}

}  // namespace topowise::recorded
