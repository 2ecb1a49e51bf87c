// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/communicators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <topowise/traffic_source/recorded/expand.hpp>

namespace topowise::recorded {

void Communicators::add(std::int32_t world_rank, const std::vector<profile::CommunicatorRow>& rows) {
  for (const profile::CommunicatorRow& row : rows) {
    std::vector<std::int32_t>& members = all_[row.key];
    const auto size = static_cast<std::size_t>(std::max(row.size, row.rank + 1));
    if (members.size() < size) members.resize(size, profile::kOutside);
    std::int32_t& member = members[static_cast<std::size_t>(row.rank)];
    conflict_ = conflict_ || (member != profile::kOutside && member != world_rank);
    member = world_rank;
  }
}

const std::vector<std::int32_t>& Communicators::members(std::uint64_t key) const {
  static const std::vector<std::int32_t> kNone;
  const auto found = all_.find(key);
  return found != all_.end() ? found->second : kNone;
}

std::int32_t Communicators::world_rank(std::uint64_t key, std::int32_t member) const {
  const std::vector<std::int32_t>& all = members(key);
  return member >= 0 && static_cast<std::size_t>(member) < all.size() ? all[static_cast<std::size_t>(member)]
                                                                      : profile::kOutside;
}

void Communicators::warn(const std::string& where, double unknown_bytes, std::vector<Diagnostic>& warnings) const {
  std::size_t incomplete = 0;
  bool several = false;
  for (const auto& [key, members] : all_) {
    incomplete += std::ranges::count(members, profile::kOutside) > 0 ? 1 : 0;
    std::vector<std::int32_t> known = members;
    std::erase(known, profile::kOutside);
    std::ranges::sort(known);
    several = several || std::ranges::adjacent_find(known) != known.end();
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
  const std::vector<std::int32_t>& members = communicators_.members(communicator);
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
