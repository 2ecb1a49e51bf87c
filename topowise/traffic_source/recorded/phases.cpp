// SPDX-License-Identifier: BSD-3-Clause
// Time of a call = Header::start_ns (the process's Unix time when recording began) + TraceRow::time_ns (its monotonic
// clock since then). So the clocks of their hosts order the ranks' calls. On one node they are exact, except for the
// microseconds between the two looks at a clock; between hosts they are as exact as the clocks are synchronised.
//
//   1. The calls of all ranks, sorted by time.
//   2. Cut where two calls that follow one another are more than `gap` apart.
//   3. Each burst as messages: a point-to-point call is one; a collective call is what its caller sends under the
//      model, as in expand.cpp.
//   4. Sorted by source (stable: each source's own order stays). Bursts with equal lists are the same phase.
#include <topowise/traffic_source/recorded/phases.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <topowise/base/hash.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/recorded/communicators.hpp>
#include <topowise/traffic_source/recorded/ends.hpp>
#include <topowise/traffic_source/recorded/expand.hpp>
#include <topowise/traffic_source/recorded/profile_file.hpp>

namespace topowise {
namespace {

using profile::Operation;
using profile::TraceRow;

/// Most messages of one phase, and of all different phases together: 2 GB.
constexpr std::size_t kMostMessages = std::size_t{1} << 26;

struct Call {
  std::uint64_t time_ns;  ///< Unix time
  std::int32_t rank;
  TraceRow row;
};

/// What the phases lack, for the warnings.
struct LeftOutCalls {
  std::uint64_t collectives = 0;
  double collective_bytes = 0;
  std::set<std::string_view> operations;
  double outside_bytes = 0;
  double bytes_of_some_gpu = 0;  ///< messages of processes with several GPUs

  void add(const TraceRow& row) {
    ++collectives;
    collective_bytes += static_cast<double>(row.bytes);
    operations.insert(profile::kOperations[static_cast<std::size_t>(row.operation)].name);
  }
};

Error too_many() {
  return bad_input(fmt::format("the phases have more than {} messages", kMostMessages),
                   "--collectives none leaves collectives out");
}

/// One collective call of all members.
struct CollectiveSends {
  std::vector<Communication> messages;           ///< sorted by source
  std::map<std::int32_t, double> outside_bytes;  ///< by rank: bytes to and from processes of other jobs
};

/// Turns calls into messages.
class Expansion {
 public:
  Expansion(std::size_t ranks, std::map<std::uint64_t, recorded::Group> groups,
            const recorded::Communicators& communicators, const collective::Model& model, recorded::Ends ends)
      : ranks_(ranks), groups_(std::move(groups)), communicators_(communicators), model_(model), ends_(ends) {}

  [[nodiscard]] const LeftOutCalls& left_out() const { return left_out_; }

  void append(const Call& call, std::vector<Communication>& messages) {
    if (!recorded::counts(ends_, call.row.memory)) return;
    if (call.row.operation == Operation::point_to_point) return append_message(call, messages);
    if (model_.name == "none") return;
    if (const CollectiveSends* sends = sends_of(call.row)) {
      const std::int32_t from = caller(call);
      const Rank rank(static_cast<std::size_t>(from));
      // Clang 14 does not compile std::ranges::equal_range with this standard library.
      const auto first = std::ranges::lower_bound(sends->messages, rank, {}, &Communication::source);
      const auto last = std::ranges::upper_bound(first, sends->messages.end(), rank, {}, &Communication::source);
      if (messages.size() + static_cast<std::size_t>(last - first) > kMostMessages) throw too_many();
      messages.insert(messages.end(), first, last);
      const auto outside = sends->outside_bytes.find(from);
      if (outside != sends->outside_bytes.end()) left_out_.outside_bytes += outside->second;
    } else {
      left_out_.add(call.row);
    }
  }

 private:
  using Key = std::tuple<std::uint64_t, Operation, std::int32_t, std::uint64_t>;  ///< group, operation, root, bytes

  /// The rank that makes a call. A process that is several members of a communicator calls each collective once for
  /// each of them, so they take turns. Its row does not say which of them sends a message: that gives kOutside.
  std::int32_t caller(const Call& call) {
    if (!communicators_.has(call.row.group)) return communicators_.rank_of(call.rank);
    const std::vector<std::int32_t> members = communicators_.members_of(call.row.group, call.rank);
    if (members.empty()) return communicators_.rank_of(call.rank);
    if (members.size() == 1) return members.front();
    if (call.row.operation == Operation::point_to_point) return profile::kOutside;
    return members[turns_[{{call.row.group, call.row.operation, call.row.peer, call.row.bytes}, call.rank}]++ %
                   members.size()];
  }

  void append_message(const Call& call, std::vector<Communication>& messages) {
    const std::int32_t from = caller(call);
    const std::int32_t to = call.row.group == 0 ? communicators_.rank_of(call.row.peer)
                                                : communicators_.rank_of(call.row.group, call.row.peer);
    if (from == profile::kOutside) {
      left_out_.bytes_of_some_gpu += static_cast<double>(call.row.bytes);
      return;
    }
    if (to == profile::kOutside) {
      left_out_.outside_bytes += static_cast<double>(call.row.bytes);
      return;
    }
    if (to == from) return;  // a copy in its memory
    if (messages.size() == kMostMessages) throw too_many();
    const bool towards_here = call.row.channel == profile::Channel::get;
    const Rank here(static_cast<std::size_t>(from));
    const Rank peer(static_cast<std::size_t>(to));
    messages.push_back({towards_here ? peer : here, towards_here ? here : peer,
                        Bytes(static_cast<double>(call.row.bytes)), Seconds()});
  }

  /// What all members send in such a call, by source. Null if a row does not say: for parts that differ between
  /// partners or members, groups that no file names, and calls between two groups.
  const CollectiveSends* sends_of(const TraceRow& row) {
    const auto group = groups_.find(row.group);
    const bool of_nccl = communicators_.has(row.group);
    if (recorded::share_of(row.operation) == profile::Share::per_partner || recorded::parts_differ(row.operation) ||
        (!of_nccl && (group == groups_.end() || !group->second.remote.empty())))
      return nullptr;
    const Key key{row.group, row.operation, row.peer, row.bytes};
    const auto known = sends_.find(key);
    if (known != sends_.end()) return &known->second;
    CollectiveSends sends = of_nccl
                                ? expand(row, communicators_.members(row.group), recorded::model_of_nccl(model_, {}))
                                : expand(row, ranks_of(recorded::members_of(group->second.local, ranks_)), model_);
    const std::size_t count = sends.messages.size();
    if (remembered_ + count > kMostMessages) {
      sends_.clear();
      remembered_ = 0;
    }
    remembered_ += count;
    return &sends_.emplace(key, std::move(sends)).first->second;
  }

  [[nodiscard]] std::vector<std::int32_t> ranks_of(std::vector<std::int32_t> processes) const {
    for (std::int32_t& process : processes) process = communicators_.rank_of(process);
    return processes;
  }

  [[nodiscard]] static CollectiveSends expand(const TraceRow& row, const std::vector<std::int32_t>& members,
                                              const collective::Model& model) {
    if (recorded::most_pairs(model, row.operation, static_cast<double>(members.size())) >
        static_cast<double>(kMostMessages))
      throw too_many();
    collective::Call call;
    call.operation = row.operation;
    call.members = members.size();
    call.root =
        row.peer >= 0 && static_cast<std::size_t>(row.peer) < members.size() ? static_cast<std::size_t>(row.peer) : 0;
    call.bytes = static_cast<double>(row.bytes);
    collective::Sends sends;
    if (!members.empty()) collective::expand(model, call, sends);
    CollectiveSends found;
    for (const collective::Sent& sent : sends.list()) {
      const std::int32_t source = members[sent.source];
      const std::int32_t destination = members[sent.destination];
      if (source == destination) continue;
      if (source == profile::kOutside || destination == profile::kOutside) {
        found.outside_bytes[std::max(source, destination)] += sent.bytes;  // kOutside is below every rank
        continue;
      }
      const auto count = static_cast<std::size_t>(sent.messages);
      if (found.messages.size() + count > kMostMessages) throw too_many();
      found.messages.insert(found.messages.end(), count,
                            {Rank(static_cast<std::size_t>(source)), Rank(static_cast<std::size_t>(destination)),
                             Bytes(sent.bytes / sent.messages), Seconds()});
    }
    std::ranges::stable_sort(found.messages, {}, &Communication::source);
    return found;
  }

  std::size_t ranks_;
  std::map<std::uint64_t, recorded::Group> groups_;
  const recorded::Communicators& communicators_;
  const collective::Model& model_;
  recorded::Ends ends_;
  std::map<std::pair<Key, std::int32_t>, std::size_t> turns_;
  std::map<Key, CollectiveSends> sends_;
  std::size_t remembered_ = 0;
  LeftOutCalls left_out_;
};

/// The different phases so far.
class DistinctPhases {
 public:
  void add(Seconds time, std::vector<Communication> messages) {
    if (messages.empty()) return;
    std::ranges::stable_sort(messages, {}, &Communication::source);
    std::vector<std::size_t>& alike = by_hash_[hash(messages)];
    for (const std::size_t known : alike) {
      if (phases_[known].messages != messages) continue;
      ++phases_[known].occurrences;
      return;
    }
    message_count_ += messages.size();
    if (message_count_ > kMostMessages) throw too_many();
    alike.push_back(phases_.size());
    phases_.push_back({time, 1, std::move(messages)});
  }
  [[nodiscard]] std::vector<RecordedPhase> take() { return std::move(phases_); }

 private:
  /// Every recorded message passes here, so it hashes whole words.
  static std::uint64_t hash(const std::vector<Communication>& messages) {
    Fnv1a hash;
    for (const Communication& message : messages) {
      for (const std::uint64_t word :
           {std::uint64_t{message.source.index()}, std::uint64_t{message.destination.index()},
            std::bit_cast<std::uint64_t>(message.bytes.value())})
        hash.add_word(word);
    }
    return hash.value();
  }

  std::vector<RecordedPhase> phases_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash_;  // only looked up, so its order does not matter
  std::size_t message_count_ = 0;
};

/// What the files say about the trace as a whole.
struct TraceState {
  std::size_t ranks = 0;
  std::set<std::int32_t> traced;
  std::set<std::string> hosts;
  std::uint64_t lost_to_limit = 0;
  std::uint64_t lost_to_disk = 0;
  bool with_mpi = false;
  std::uint64_t begin_ns = ~std::uint64_t{0};

  void add(const profile::Header& header) {
    ranks = std::max({ranks, static_cast<std::size_t>(header.world_size), static_cast<std::size_t>(header.rank) + 1});
    (header.disk_full != 0 ? lost_to_disk : lost_to_limit) += header.trace_lost;
    with_mpi = with_mpi || !recorded::is_without_mpi(header);
    begin_ns = std::min(begin_ns, header.start_ns);
    if (header.has_trace == 0) return;
    traced.insert(header.rank);
    hosts.emplace(header.host, ::strnlen(header.host, sizeof(header.host)));
  }
};

/// The error also says why each file was left out.
Error no_trace(const std::string& where, const std::vector<Diagnostic>& warnings) {
  std::vector<Diagnostic> found{Diagnostic{where,
                                           {},
                                           "the profile has no trace, so nothing is known of phases",
                                           {},
                                           "record one: mpirun -n 16 topowise run --profile DIR --trace -- ./app"}};
  found.insert(found.end(), warnings.begin(), warnings.end());
  return {ExitStatus::bad_input, std::move(found)};
}

void warn_of(const std::string& where, const TraceState& state, const LeftOutCalls& left_out,
             std::vector<Diagnostic>& warnings) {
  const auto warn = [&](std::string what, std::string hint = {}) {
    warnings.push_back({where, {}, std::move(what), {}, std::move(hint)});
  };
  if (state.traced.size() < state.ranks)
    warn(fmt::format("{} of {} ranks left no trace: traffic from there is missing", state.ranks - state.traced.size(),
                     state.ranks));
  if (state.lost_to_limit > 0)
    warn(fmt::format("{} missing: the trace reached its limit", counted(state.lost_to_limit, "call")));
  if (state.lost_to_disk > 0) warn(fmt::format("{} missing: the disk was full", counted(state.lost_to_disk, "call")));
  if (state.hosts.size() > 1)
    warn(fmt::format("recorded on {} hosts: phases are right if their clocks agree to well below the gap",
                     state.hosts.size()));
  if (left_out.outside_bytes > 0)
    warn(fmt::format("{} to or from processes of other jobs are left out", to_string(Bytes(left_out.outside_bytes))));
  if (left_out.bytes_of_some_gpu > 0)
    warn(fmt::format("{} of messages are left out: a trace does not say which of a process's GPUs sent them",
                     to_string(Bytes(left_out.bytes_of_some_gpu))));
  if (left_out.collectives > 0)
    warn(fmt::format("{} collective calls ({}; {} of their callers) are left out: a trace does not say whom they "
                     "send how much",
                     left_out.collectives, fmt::join(left_out.operations, ", "),
                     to_string(Bytes(left_out.collective_bytes))),
         "without --phases they count as recorded");
}

recorded::Ends ends_of_sender(std::string_view memory) {
  const std::optional<recorded::Ends> ends = recorded::parse_ends(memory);
  if (ends == recorded::Ends::all || ends == recorded::Ends::from_host || ends == recorded::Ends::from_device)
    return *ends;
  throw usage_error(fmt::format("--phases cannot tell memory '{}': a trace knows the sender's buffer only", memory),
                    "--memory all|host|device");
}

}  // namespace

RecordedPhases phases_of_profile(const std::string& where, std::span<const ProfileFile> files, Seconds gap,
                                 std::string_view collectives, std::string_view memory,
                                 std::vector<Diagnostic>& warnings) {
  const collective::Model& model = collective::model_named(collectives);
  const recorded::Ends ends = ends_of_sender(memory);
  TraceState state;
  std::vector<Call> calls;
  std::map<std::uint64_t, recorded::Group> groups;
  recorded::Communicators communicators;
  for (const ProfileFile& file : files) {
    std::string why_not;
    if (!recorded::read_header(file.text, why_not)) {
      warnings.push_back({file.where, {}, why_not + ": left out", {}, {}});
      continue;
    }
    const recorded::File content = recorded::read_file(file.where, file.text, warnings, recorded::WithTrace::yes);
    state.add(content.header);
    groups.insert(content.groups.begin(), content.groups.end());
    communicators.add(content.header.rank, content.communicators);
    for (const TraceRow& row : content.trace)
      calls.push_back({content.header.start_ns + row.time_ns, content.header.rank, row});
  }
  if (state.traced.empty()) throw no_trace(where, warnings);
  communicators.number(state.ranks, state.with_mpi ? std::set<std::int32_t>{} : state.traced);
  if (communicators.counted_in_gpus()) state.ranks = state.traced.size();
  std::ranges::stable_sort(calls, {}, [](const Call& call) { return std::pair(call.time_ns, call.rank); });

  Expansion expansion(state.ranks, std::move(groups), communicators, model, ends);
  DistinctPhases phases;
  const double gap_ns = std::round(gap.value() * 1e9);  // the gap may be longer than an integer holds
  for (std::size_t first = 0, next = 0; first < calls.size(); first = next) {
    std::vector<Communication> messages;
    do {
      expansion.append(calls[next++], messages);
    } while (next < calls.size() && static_cast<double>(calls[next].time_ns - calls[next - 1].time_ns) <= gap_ns);
    const auto since_begin = static_cast<double>(calls[first].time_ns - state.begin_ns);
    phases.add(Seconds(since_begin * 1e-9), std::move(messages));
  }
  warn_of(where, state, expansion.left_out(), warnings);
  return {communicators.ranks(), phases.take()};
}

}  // namespace topowise
