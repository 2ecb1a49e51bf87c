// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/communicators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include <topowise/traffic_source/recorded/expand.hpp>

namespace topowise::recorded {

void Communicators::add(std::int32_t world_rank, const std::vector<profile::CommunicatorRow>& rows) {
  for (const profile::CommunicatorRow& row : rows) {
    Members& members = all_[row.key];
    members.size = std::max({members.size, row.size, row.rank + 1});
    const auto [member, is_new] = members.known.try_emplace(row.rank, world_rank);
    conflict_ = conflict_ || (!is_new && member->second != world_rank);
    member->second = world_rank;
  }
}

std::vector<std::int32_t> Communicators::members(std::uint64_t key) const {
  const auto found = all_.find(key);
  if (found == all_.end()) return {};
  std::vector<std::int32_t> all(static_cast<std::size_t>(found->second.size), profile::kOutside);
  for (const auto& [member, world_rank] : found->second.known) all[static_cast<std::size_t>(member)] = world_rank;
  return all;
}

std::int32_t Communicators::world_rank(std::uint64_t key, std::int32_t member) const {
  const auto found = all_.find(key);
  if (found == all_.end()) return profile::kOutside;
  const auto known = found->second.known.find(member);
  return known != found->second.known.end() ? known->second : profile::kOutside;
}

void Communicators::warn(const std::string& where, double unknown_bytes, std::vector<Diagnostic>& warnings) const {
  std::size_t incomplete = 0;
  bool several = false;
  for (const auto& [key, members] : all_) {
    incomplete += members.known.size() < static_cast<std::size_t>(members.size) ? 1 : 0;
    std::set<std::int32_t> processes;
    for (const auto& [member, world_rank] : members.known) processes.insert(world_rank);
    several = several || processes.size() < members.known.size();
  }
  const auto say = [&](std::string what, std::string hint) {
    warnings.push_back({where, {}, std::move(what), {}, std::move(hint)});
  };
  if (incomplete > 0)
    say(fmt::format("{} NCCL communicator{} members that are in no file: {} to or from them are not in the matrix",
                    incomplete, incomplete == 1 ? " has" : "s have", to_string(Bytes(unknown_bytes))),
        {});
  if (several)
    say("processes drive several GPUs of one NCCL communicator: a process is one rank here",
        "start one process for each GPU (torchrun does)");
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
    messages += row.messages;
  }
}

void CommunicatorTraffic::expand(std::vector<TrafficEntry>& entries, double& unknown_bytes) const {
  for (const auto& [key, sent] : sends_) {
    const auto& [communicator, source, destination] = key;
    append_pair(communicators_.world_rank(communicator, source), communicators_.world_rank(communicator, destination),
                sent.first, static_cast<double>(sent.second), entries, unknown_bytes);
  }
  for (const auto& [key, counted] : calls_) expand_calls(key, counted, entries, unknown_bytes);
}

void CommunicatorTraffic::expand_calls(const Key& key, const std::map<std::int32_t, Counted>& counted,
                                       std::vector<TrafficEntry>& entries, double& unknown_bytes) const {
  const auto& [communicator, operation, root, bin, algorithm] = key;
  const std::vector<std::int32_t> members = communicators_.members(communicator);
  collective::Call call;
  call.operation = operation;
  call.members = members.size();
  call.root = root >= 0 && static_cast<std::size_t>(root) < members.size() ? static_cast<std::size_t>(root) : 0;
  double calls = 0;
  for (const auto& [member, row] : counted) {
    calls += row.calls;
    call.bytes += row.bytes;
  }
  if (calls == 0 || members.empty()) return;
  call.bytes /= calls;
  const auto times_of = [&rows = counted](std::size_t member) {
    const auto row = rows.find(static_cast<std::int32_t>(member));
    return row != rows.end() ? row->second.calls : 0;
  };
  expand_call(model_of_nccl(chosen_, algorithm), call, members, times_of, entries, unknown_bytes);
}

}  // namespace topowise::recorded
