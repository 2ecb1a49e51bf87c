// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/traffic_source/recorded/communicators.hpp>
#include <topowise/traffic_source/recorded/expand.hpp>
#include <topowise/traffic_source/training/ranks.hpp>

namespace topowise::training {
namespace {

using profile::Operation;
using Members = std::vector<std::size_t>;

/// Most entries that are kept before those of the same pair are added up.
constexpr std::size_t kMostEntries = std::size_t{1} << 22;
/// Most pairs of all calls together. kMostTimes is the most different calls times their members. Beyond these limits it
/// takes too long, or does not fit into memory.
constexpr double kMostPairs = 0x1p27;
constexpr std::size_t kMostTimes = std::size_t{1} << 26;
constexpr std::size_t kShown = 5;
constexpr std::size_t kMostKinds = 40;  ///< of calls that are left out, or taken to be something
/// Traces do not name the nodes. For models that need them, this many consecutive ranks share one.
constexpr std::size_t kRanksOfNode = 8;

std::string_view name_of(Operation operation) {
  if (operation == Operation::point_to_point) return "send";
  if (operation == Operation::reduce_scatter_block) return "reduce_scatter";
  return profile::kOperations[static_cast<std::size_t>(operation)].name;
}

/// True for operations whose members may bring parts of different sizes.
bool may_differ(Operation operation) {
  return operation == Operation::gather || operation == Operation::allgather;
}

/// By number in List::told: how often the member made a call.
using Times = std::vector<double>;

class Job {
 public:
  Job(const std::string& where, const collective::Model& model, std::vector<Diagnostic>& warnings)
      : where_(where), model_(model), warnings_(warnings) {}

  Traffic add_up(std::vector<Trace> traces) {
    if (traces.empty()) throw bad_input(fmt::format("no traces in '{}'", where_));
    ranks_ = settle_ranks(where_, traces, warnings_);
    settle_groups(traces, ranks_);
    all_.resize(ranks_);
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    of_all_ = std::ranges::any_of(traces, &Trace::of_all);
    present_.assign(ranks_, false);
    for (const Trace& trace : traces) present_[*trace.rank] = true;
    for (const Trace& trace : traces) take(trace);
    compare_calls();
    if (model_.name != "none") expand_calls();
    add_messages();
    warn_of_doubts();
    warn_of_missing();
    warn_of_left_out();
    const Traffic traffic = Traffic::from_entries(ranks_, std::move(entries_));
    return traffic.with_groups(groups_.list());
  }

 private:
  /// The members of a group. Few of many may have a trace, so what is known of each call is kept for those alone.
  struct List {
    const Members* members;
    std::vector<std::size_t> told;  ///< positions of the members with a trace; with `of_all_` of one without any, too
  };
  struct Key {
    std::size_t list;  ///< index into lists_
    Operation operation;
    std::size_t root;
    double bytes;
    bool nccl;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  void warn(std::string what, std::string hint = {}) {
    warnings_.push_back({where_, {}, std::move(what), {}, std::move(hint)});
  }

  void add(std::size_t source, std::size_t destination, double bytes, double messages) {
    if (source == destination || messages <= 0) return;
    entries_.push_back(
        {Rank(source), Rank(destination), Bytes(bytes), static_cast<std::uint64_t>(std::llround(messages))});
    if (entries_.size() >= kMostEntries + compacted_) compact();
  }

  void compact() {
    const Traffic sum = Traffic::from_entries(ranks_, std::move(entries_));
    entries_.assign(sum.entries().begin(), sum.entries().end());
    compacted_ = entries_.size();
  }

  /// True for the group of all ranks, which keeps no list.
  static bool is_whole(const Group& group) { return group.whole_job && group.ranks.empty(); }
  [[nodiscard]] const Members& members_of(const Group& group) const { return is_whole(group) ? all_ : group.ranks; }

  /// The number of the list of the group's members.
  std::size_t list_of(const Group& group) {
    if (is_whole(group) && whole_list_) return *whole_list_;
    const Members& members = members_of(group);
    const auto [at, is_new] = numbers_.try_emplace(members, lists_.size());
    if (is_new) {
      lists_.push_back({&at->first, {}});
      List& list = lists_.back();
      bool others = of_all_;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (!present_[members[i]] && !std::exchange(others, false)) continue;
        list.told.push_back(i);
      }
    }
    if (is_whole(group)) whole_list_ = at->second;
    return at->second;
  }

  /// The position of the rank in its group; nothing if the group is not known.
  [[nodiscard]] std::optional<std::size_t> position_in(const Group& group, std::size_t rank) const {
    if (is_whole(group)) return rank;
    const auto at = std::ranges::find(group.ranks, rank);
    if (at != group.ranks.end()) return static_cast<std::size_t>(at - group.ranks.begin());
    return std::nullopt;
  }

  void take(const Trace& trace) {
    const std::size_t rank = *trace.rank;
    for (const auto& [call, times] : trace.calls) {
      const Group& group = trace.groups[call.group];
      const std::optional<std::size_t> position = position_in(group, rank);
      const Members& members = members_of(group);
      if (!position || call.root >= members.size()) {
        outside_[why_outside(group, rank, position.has_value(), call.root)] += times;
        continue;
      }
      const double bytes = call.whole ? call.bytes / static_cast<double>(members.size()) : call.bytes;
      const std::size_t list = list_of(group);
      const std::vector<std::size_t>& told = lists_[list].told;
      Times& made = calls_[{list, call.operation, call.root, bytes, group.nccl}];
      if (made.empty()) {
        times_ += told.size();
        if (times_ > kMostTimes)
          throw bad_input(fmt::format("'{}' has too many different calls for its number of ranks", where_));
        made.assign(told.size(), 0);
      }
      made[static_cast<std::size_t>(std::ranges::lower_bound(told, *position) - told.begin())] += times;
    }
    take_partners(trace, trace.sent, sent_, false);
    take_partners(trace, trace.received, received_, true);
    take_partners(trace, trace.parts, split_, false);
    for (const auto& [why, calls] : trace.left_out) left_out_[why] += calls;
    for (const auto& [name, calls] : trace.rootless) rootless_[name] += calls;
    cut_splits_ += trace.cut_splits;
    for (const std::string& doubt : trace.doubts) {
      Doubt& told = doubts_[doubt];
      if (told.traces++ == 0) told.where = trace.where;
    }
  }

  /// Why a call of a group does not count.
  [[nodiscard]] std::string why_outside(const Group& group, std::size_t rank, bool is_member, std::size_t other) const {
    const std::string name = printable(std::string_view(group.name).substr(0, 60));
    if (members_of(group).empty()) return fmt::format("in group '{}', whose members are in no trace", name);
    if (!is_member)
      return fmt::format("of rank {} in group '{}', which is of {} only", rank, name, list_of_ranks(group.ranks));
    return fmt::format("with member {} of group '{}', which has {}", other, name, members_of(group).size());
  }

  using ByPair = std::map<std::pair<std::size_t, std::size_t>, Amount>;  ///< (source, destination)

  void take_partners(const Trace& trace, const Trace::ByPartner& partners, ByPair& out, bool towards_here) {
    for (const auto& [partner, amount] : partners) {
      const Group& group = trace.groups[partner.first];
      const Members& members = members_of(group);
      if (partner.second >= members.size()) {
        outside_[why_outside(group, *trace.rank, true, partner.second)] += amount.messages;
        continue;
      }
      const std::size_t other = members[partner.second];
      out[towards_here ? std::pair(other, *trace.rank) : std::pair(*trace.rank, other)] += amount;
    }
  }

  /// Warns if members of a group did not make the same calls. The parts of gathers may differ, and so may the splits of
  /// all-to-alls.
  void compare_calls() {
    std::map<std::tuple<std::size_t, Operation, std::size_t>, std::vector<std::map<double, double>>> by_operation;
    for (const auto& [key, times] : calls_) {
      const bool any_size = may_differ(key.operation);
      auto& sizes = by_operation[{key.list, key.operation, key.root}];
      sizes.resize(times.size());
      for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i] > 0) sizes[i][any_size ? 0 : key.bytes] += times[i];
    }
    std::size_t found = 0;
    for (const auto& [call, sizes] : by_operation) {
      for (std::size_t i = 1; i < sizes.size(); ++i) {
        if (sizes[i] == sizes[0]) continue;
        if (++found <= kShown) warn_of_difference(lists_[std::get<0>(call)], std::get<1>(call), i, sizes);
        break;
      }
    }
    if (found > kShown) warn(fmt::format("ranks disagree about {} more collectives", found - kShown));
  }

  void warn_of_difference(const List& list, Operation operation, std::size_t other,
                          const std::vector<std::map<double, double>>& sizes) {
    const auto sum = [](const std::map<double, double>& calls) {
      Amount all;
      for (const auto& [bytes, times] : calls) all += {bytes * times, times};
      return all;
    };
    const Members& members = *list.members;
    const Amount a = sum(sizes[0]);
    const Amount b = sum(sizes[other]);
    const bool any_size = may_differ(operation);
    const auto said = [any_size](const Amount& amount) {
      const std::string calls = counted(static_cast<std::uint64_t>(amount.messages), "call");
      return any_size ? calls : fmt::format("{} of {} in all", calls, to_string(Bytes(amount.bytes)));
    };
    warn(fmt::format("ranks disagree about '{}' in the group of {}: rank {} made {}, rank {} {}", name_of(operation),
                     list_of_ranks(members), members[list.told[0]], said(a), members[list.told[other]], said(b)),
         "the traces may be of different steps; each rank's calls count as its own trace has them");
  }

  /// What the members of a group send each other by all_to_allv; 0 for a group so large that its pairs are too many.
  [[nodiscard]] Bytes bytes_of_splits(const Members& members) const {
    constexpr std::size_t kMost = 512;
    double sum = 0;
    for (std::size_t a = 0; a < members.size() && members.size() <= kMost; ++a) {
      for (std::size_t b = 0; b < members.size(); ++b) {
        const auto found = split_.find({members[a], members[b]});
        if (found != split_.end()) sum += found->second.bytes;
      }
    }
    return Bytes(sum);
  }

  void expand_calls() {
    for (const auto& [key, times] : calls_) {
      const Members& members = *lists_[key.list].members;
      if (key.operation == Operation::alltoallv) {  // their splits are known exactly
        groups_.add({members.begin(), members.end()}, bytes_of_splits(members));
        continue;
      }
      const collective::Model& model = key.nccl ? recorded::model_of_nccl(model_, "") : model_;
      check_pairs(model, key.operation, static_cast<double>(members.size()));
      double most = 0;  // taken for the members without a trace
      for (const double made : times) most = std::max(most, made);
      std::vector<double> made_by(members.size(), of_all_ ? 0 : most);
      for (std::size_t i = 0; i < times.size(); ++i) made_by[lists_[key.list].told[i]] = times[i];
      collective::Sends sends;
      collective::Call call{key.operation, members.size(), key.root, key.bytes, {}};
      for (const std::size_t member : members) call.node_of.push_back(member / kRanksOfNode);
      collective::expand(model, call, sends);
      double sum = 0;
      for (const collective::Sent& sent : sends.list()) {
        const double made = made_by[sent.source];
        sum += sent.bytes * made;
        add(members[sent.source], members[sent.destination], sent.bytes * made, sent.messages * made);
      }
      groups_.add({members.begin(), members.end()}, Bytes(sum));
    }
    for (const auto& [pair, amount] : split_) add(pair.first, pair.second, amount.bytes, amount.messages);
  }

  void check_pairs(const collective::Model& model, Operation operation, double members) {
    pairs_ += recorded::most_pairs(model, operation, members);
    if (pairs_ > kMostPairs)
      throw bad_input(fmt::format("the collectives of '{}' are too many pairs", where_),
                      "--collectives none leaves collectives out");
  }

  /// Adds the messages. What the receiver recorded counts only if the sender has no trace.
  void add_messages() {
    for (const auto& [pair, amount] : sent_) add(pair.first, pair.second, amount.bytes, amount.messages);
    std::size_t different = 0;
    std::string example;
    for (const auto& [pair, amount] : received_) {
      if (!present_[pair.first] && !of_all_) {
        add(pair.first, pair.second, amount.bytes, amount.messages);
        continue;
      }
      const auto sent = sent_.find(pair);
      const Amount there = sent == sent_.end() ? Amount() : sent->second;
      if (there == amount || ++different > 1) continue;
      example = fmt::format("rank {} sent {} to rank {}, which received {}", pair.first,
                            counted(static_cast<std::uint64_t>(there.messages), "message"), pair.second,
                            static_cast<std::uint64_t>(amount.messages));
      if (there.messages == amount.messages)
        example = fmt::format("rank {} sent {} to rank {}, which received {}", pair.first,
                              to_string(Bytes(there.bytes)), pair.second, to_string(Bytes(amount.bytes)));
    }
    if (different > 0)
      warn(fmt::format("{} of ranks disagree about their messages: {}", counted(different, "pair"), example),
           "what the sender's trace has counts");
  }

  void warn_of_doubts() {
    std::size_t shown = 0;
    for (const auto& [what, doubt] : doubts_) {
      if (++shown > kShown) continue;
      const std::string more = doubt.traces > 1 ? fmt::format(" (so in {} traces)", doubt.traces) : "";
      warnings_.push_back({doubt.where, {}, what + more, {}, {}});
    }
    if (shown > kShown) warn(fmt::format("{} more contradictions of this kind", shown - kShown));
  }

  void warn_of_missing() {
    if (of_all_) return;
    Members missing;
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      if (!present_[rank]) missing.push_back(rank);
    if (missing.empty()) return;
    const std::string_view taken =
        missing.size() == 1 ? "taken to have done what the others did with it; what only its own trace says is missing"
                            : "what they did among themselves is missing";
    warn(fmt::format("{} of {} left no trace: {}", list_of_ranks(missing), ranks_, taken),
         "give the traces of all ranks");
  }

  void warn_of_left_out() {
    std::size_t shown = 0;
    for (const auto& [why, calls] : outside_)
      if (++shown <= kShown)
        warn(fmt::format("{} {}, left out", counted(static_cast<std::uint64_t>(calls), "call"), why));
    if (shown > kShown) warn(fmt::format("so are calls for {} more such reasons", shown - kShown));
    std::size_t kinds = 0;
    for (const auto& [why, calls] : left_out_)
      if (++kinds <= kMostKinds) warn(fmt::format("left out: {} ({})", why, calls));
    for (const auto& [name, calls] : rootless_) {
      if (++kinds > kMostKinds) continue;
      const bool one = calls == 1;
      warn(fmt::format("{} of '{}' {} not say {} root: taken to be the first rank of {} group", counted(calls, "call"),
                       name, one ? "does" : "do", one ? "its" : "their", one ? "its" : "their"));
    }
    if (kinds > kMostKinds)
      warn(fmt::format("{} more kinds of calls are left out, or taken to be something", kinds - kMostKinds));
    if (cut_splits_ > 0)
      warn(fmt::format("the trace cuts short the splits of {}: taken as even", counted(cut_splits_, "all-to-all")));
    if (entries_.empty() && calls_.empty() && sent_.empty())
      warn("the traces hold no communication", "trace some whole steps of the job");
  }

  const std::string& where_;
  const collective::Model& model_;
  std::vector<Diagnostic>& warnings_;
  std::size_t ranks_ = 0;
  Members all_;                             ///< all ranks, in order
  std::optional<std::size_t> whole_list_;   ///< number of the list of all ranks, if a call has been by all
  std::vector<bool> present_;               ///< by rank: there is a trace of it
  bool of_all_ = false;                     ///< ranks without a trace made no calls
  std::map<Members, std::size_t> numbers_;  ///< lists of members of groups, with their numbers
  std::vector<List> lists_;                 ///< by number
  std::map<Key, Times> calls_;
  std::size_t times_ = 0;  ///< how many numbers are in calls_
  double pairs_ = 0;
  ByPair sent_;
  ByPair received_;
  ByPair split_;
  struct Doubt {
    std::string where;  ///< the first trace that has it
    std::size_t traces = 0;
  };
  std::map<std::string, double> outside_;  ///< why calls are in no known group, and how many such calls there are
  std::map<std::string, Doubt> doubts_;
  std::map<std::string, std::size_t> left_out_;
  std::map<std::string, std::size_t> rootless_;
  std::size_t cut_splits_ = 0;
  std::vector<TrafficEntry> entries_;
  std::size_t compacted_ = 0;
  RankGroupsByShape groups_;  ///< of collective calls
};

}  // namespace

Traffic traffic_of_job(const std::string& where, std::vector<Trace> traces, const collective::Model& model,
                       std::vector<Diagnostic>& warnings) {
  return Job(where, model, warnings).add_up(std::move(traces));
}

}  // namespace topowise::training
