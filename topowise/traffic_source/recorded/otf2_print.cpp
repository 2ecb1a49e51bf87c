// SPDX-License-Identifier: BSD-3-Clause
// Definitions, then events, a line each; "name" <id> refers to the definition of that id (otf2-print of OTF2 2.0
// to 3.2):
//   LOCATION  3  Name: "thread" <6>, Type: CPU_THREAD, # Events: 16, Group: "MPI Rank 3" <3>
//   GROUP     0  Name: "" <0>, Type: COMM_LOCATIONS, Paradigm: MPI, Flags: NONE, 4 Members: "thread" <0>, ...
//   GROUP     1  Name: "" <0>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 2 Members: 1 ("thread" <1>), ...
//   COMM      0  Name: "MPI_COMM_WORLD" <7>, Group: "" <1>, Parent: UNDEFINED
//   MPI_ISEND           LOCATION TIME  Receiver: 3 ("thread" <3>), Communicator: "" <0>, Tag: 0, Length: 3000, ...
//   MPI_COLLECTIVE_END  LOCATION TIME  Operation: BCAST, Communicator: "" <0>, Root: 2 (...), Sent: 0, Received: 400
//   RMA_WIN             1  Name: "win" <11>, Communicator: "MPI_COMM_WORLD" <0>, Flags: NONE
//   RMA_PUT             LOCATION TIME  Window: "win" <1>, Remote: 1 ("thread" <2>), Bytes: 1000, Matching: 1
// Rank r is member r of the group COMM_LOCATIONS, with all threads of its process. A message counts at its sender. For
// a collective call Score-P gives what a member sends to and receives from all members, itself included (in its
// sources: scorep_mpi_coll.inc.c), also for allreduce and scan. The reader of archives (otf2_archive.cpp) adds
// `, Times: 7` for so many equal events; otf2-print never does.
#include <topowise/traffic_source/recorded/otf2_print.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/recorded/expand.hpp>

namespace topowise {
namespace {

using profile::Operation;

constexpr std::string_view kHead = "=== OTF2-PRINT ===";
constexpr std::size_t kMostCount = std::size_t{1} << 53;

/// The number of a reference `"name" <id>` at the end of `text`; nothing if there is none.
std::optional<std::size_t> last_reference(std::string_view text) {
  const std::size_t end = text.rfind('>');
  const std::size_t begin = text.rfind('<', end);
  if (end == std::string_view::npos || begin == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> id = parse_integer(text.substr(begin + 1, end - begin - 1));
  return id && *id >= 0 ? std::optional(static_cast<std::size_t>(*id)) : std::nullopt;
}

/// The text after the last `key`, up to the comma or the end.
std::string_view last_value(std::string_view text, std::string_view key) {
  const std::size_t at = text.rfind(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + key.size());
  return trim(rest.substr(0, rest.find(',')));
}

/// How a member's part follows from what it sent and received, if there are n members.
enum class Part : std::uint8_t {
  sent,
  received,
  nth_of_sent,
  nth_of_received,
  of_prefix,           ///< (sent + received) / (n + 1): also to itself
  of_exclusive_prefix  ///< (sent + received) / (n - 1)
};

/// A collective operation; parts that may differ are taken as equal.
struct Collective {
  std::string_view name;
  Operation operation;
  Part part;    ///< as Score-P counts
  Part others;  ///< as other writers are taken to count
};
constexpr std::array kCollectives{
    Collective{"BCAST", Operation::bcast, Part::received, Part::received},
    Collective{"GATHER", Operation::gather, Part::sent, Part::sent},
    Collective{"GATHERV", Operation::gather, Part::sent, Part::sent},
    Collective{"SCATTER", Operation::scatter, Part::received, Part::received},
    Collective{"SCATTERV", Operation::scatter, Part::received, Part::received},
    Collective{"ALLGATHER", Operation::allgather, Part::nth_of_received, Part::nth_of_received},
    Collective{"ALLGATHERV", Operation::allgather, Part::nth_of_received, Part::nth_of_received},
    Collective{"ALLTOALL", Operation::alltoall, Part::nth_of_received, Part::nth_of_received},
    Collective{"ALLTOALLV", Operation::alltoall, Part::nth_of_received, Part::nth_of_received},
    Collective{"ALLTOALLW", Operation::alltoall, Part::nth_of_received, Part::nth_of_received},
    Collective{"ALLREDUCE", Operation::allreduce, Part::nth_of_received, Part::received},
    Collective{"REDUCE", Operation::reduce, Part::sent, Part::sent},
    Collective{"REDUCE_SCATTER", Operation::reduce_scatter_block, Part::nth_of_sent, Part::received},
    Collective{"REDUCE_SCATTER_BLOCK", Operation::reduce_scatter_block, Part::nth_of_sent, Part::received},
    Collective{"SCAN", Operation::scan, Part::of_prefix, Part::sent},
    Collective{"EXSCAN", Operation::exscan, Part::of_exclusive_prefix, Part::sent},
};

double part_of(Part part, double sent, double received, double members) {
  switch (part) {
    case Part::sent:
      return sent;
    case Part::received:
      return received;
    case Part::nth_of_sent:
      return sent / members;
    case Part::nth_of_received:
      return received / members;
    case Part::of_prefix:
      return (sent + received) / (members + 1);
    case Part::of_exclusive_prefix:
      return members > 1 ? (sent + received) / (members - 1) : 0;
  }
  return 0;
}

class Reader {
 public:
  Reader(const std::string& where, std::string_view text, const collective::Model& model)
      : where_(where), lines_(where, text), diagnostics_(lines_), model_(model) {}

  Traffic read(std::vector<Diagnostic>& warnings) {
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      const std::string_view text = lines_[line];
      const std::string_view kind = text.substr(0, text.find(' '));
      if (text == kHead && begun_++ > 0) diagnostics_.fail(line, {}, "a second trace begins here: one job at a time");
      if (kind == "Creator") of_score_p_ = trim(text.substr(kind.size())).starts_with("Score-P");
      if (kind == "LOCATION") read_location(line);
      if (kind == "GROUP") read_group(line);
      if (kind == "COMM") read_communicator(line);
      if (kind == "INTER_COMM") read_intercommunicator(line);
      if (kind == "RMA_WIN") read_window(line);
      if (kind == "MPI_SEND" || kind == "MPI_ISEND") read_message(line);
      if (kind == "MPI_COLLECTIVE_END" || kind == "NON_BLOCKING_COLLECTIVE_COMPLETE") read_collective(line);
      if (kind == "RMA_PUT" || kind == "RMA_GET" || kind == "RMA_ATOMIC") read_one_sided(line, kind);
    }
    diagnostics_.throw_if_any();
    if (rank_of_process_.empty())
      throw Error(
          ExitStatus::bad_input,
          {Diagnostic{
              where_, {}, "no definitions of an MPI job in it", {}, "otf2-print --show-all traces.otf2 > job.txt"}});
    expand_collectives();
    warn(warnings);
    return Traffic::from_entries(rank_of_process_.size(), std::move(entries_));
  }

 private:
  /// The number of the definition with which a line begins: "KIND ID ...".
  std::optional<std::size_t> number_of(std::size_t line) {
    const std::vector<std::string_view> words = split_blanks(lines_[line].substr(0, 80));
    if (words.size() < 2) {
      diagnostics_.add(line, {}, "its number is missing");
      return std::nullopt;
    }
    return matrix::whole_number(diagnostics_, line, words[1], "a number", 0, kMostCount);
  }

  void read_location(std::size_t line) {
    const std::optional<std::size_t> location = number_of(line);
    const std::optional<std::size_t> process = last_reference(lines_[line]);
    if (!process) return diagnostics_.add(line, {}, "the group of a location is missing");
    if (location) process_of_[*location] = *process;
  }

  /// True for a group of that type. A paradigm that the trace defines, as Score-P does, is `"MPI" <4>`.
  static bool is_of_mpi(std::string_view text, std::string_view type) {
    const std::string key = fmt::format("Type: {}, Paradigm: ", type);
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return false;
    const std::string_view paradigm = text.substr(at + key.size());
    return paradigm.starts_with("MPI") || paradigm.starts_with("\"MPI\"");
  }

  /// True for MPI_COMM_SELF, whose only member is the caller.
  bool is_self(std::optional<std::size_t> communicator) const {
    if (!communicator) return false;
    const auto group = group_of_.find(*communicator);
    return group != group_of_.end() && self_groups_.contains(group->second);
  }

  void read_group(std::size_t line) {
    const std::string_view text = lines_[line];
    const bool all = is_of_mpi(text, "COMM_LOCATIONS");
    const bool some = is_of_mpi(text, "COMM_GROUP");
    const std::optional<std::size_t> group = number_of(line);
    if (group && is_of_mpi(text, "COMM_SELF")) self_groups_.insert(*group);
    if (!group || (!all && !some)) return;
    const std::size_t at = text.find(" Member", text.find(", Paradigm: "));  // "1 Member: ...", "0 Members"
    if (at == std::string_view::npos) return diagnostics_.add(line, {}, "the members are missing");
    std::vector<std::size_t> locations;
    for (std::size_t end = text.find('>', at); end != std::string_view::npos; end = text.find('>', end + 1)) {
      if (const std::optional<std::size_t> location = last_reference(text.substr(at, end + 1 - at)))
        locations.push_back(*location);
    }
    const std::string_view before = text.substr(0, at);
    const std::string_view count = before.substr(before.rfind(' ') + 1);
    if (std::to_string(locations.size()) != count)
      return diagnostics_.add(line, count,
                              fmt::format("{} members are listed, not '{}'", locations.size(), printable(count)));
    if (some) groups_[*group] = std::move(locations);
    if (!all) return;
    for (const std::size_t location : locations) {
      const auto process = process_of_.find(location);
      if (process == process_of_.end())
        return diagnostics_.add(line, {}, fmt::format("location {} is not defined", location));
      rank_of_process_.try_emplace(process->second, static_cast<std::int32_t>(rank_of_process_.size()));
    }
  }

  void read_communicator(std::size_t line) {
    const std::string_view text = lines_[line];
    const std::size_t group = text.rfind(", Group: ");
    const std::size_t parent = text.rfind(", Parent: ");
    const std::optional<std::size_t> number = number_of(line);
    if (group == std::string_view::npos || !number)
      return diagnostics_.add(line, {}, "the group of a communicator is missing");
    if (const std::optional<std::size_t> id = last_reference(text.substr(group, parent - group)))
      group_of_[*number] = *id;
  }

  /// The reference behind the last `key`, up to `end` or the end of the line.
  static std::optional<std::size_t> reference_in(std::string_view text, std::string_view key, std::string_view end) {
    const std::size_t at = text.rfind(key);
    if (at == std::string_view::npos) return std::nullopt;
    return last_reference(text.substr(at, std::min(text.find(end, at), text.size()) - at));
  }

  void read_intercommunicator(std::size_t line) {
    const std::optional<std::size_t> number = number_of(line);
    const std::optional<std::size_t> a = reference_in(lines_[line], ", Group A: ", ", Group B: ");
    const std::optional<std::size_t> b = reference_in(lines_[line], ", Group B: ", ", Common Communicator: ");
    if (number && a && b)
      sides_of_[*number] = {*a, *b};
    else
      diagnostics_.add(line, {}, "a group of an intercommunicator is missing");
  }

  void read_window(std::size_t line) {
    const std::optional<std::size_t> number = number_of(line);
    const std::optional<std::size_t> communicator = reference_in(lines_[line], ", Communicator: ", ", Flags: ");
    if (number && communicator)
      communicator_of_window_[*number] = *communicator;
    else
      diagnostics_.add(line, {}, "the communicator of a window is missing");
  }

  std::optional<std::int32_t> rank_at(std::size_t location) const {
    const auto process = process_of_.find(location);
    if (process == process_of_.end()) return std::nullopt;
    const auto rank = rank_of_process_.find(process->second);
    return rank == rank_of_process_.end() ? std::nullopt : std::optional(rank->second);
  }

  /// The communicator that is named before `key`.
  static std::optional<std::size_t> communicator_in(std::string_view text, std::string_view key) {
    return last_reference(text.substr(0, text.rfind(key)));
  }

  /// The ranks of the communicator's members; null if they are not known, and for an intercommunicator.
  const std::vector<std::int32_t>* members_of(std::optional<std::size_t> communicator) {
    if (!communicator) return nullptr;
    const auto group = group_of_.find(*communicator);
    return group == group_of_.end() ? nullptr : members_of_group(group->second);
  }

  /// The ranks to which `sender` can send on the communicator: on an intercommunicator those of the other side.
  const std::vector<std::int32_t>* receivers_of(std::optional<std::size_t> communicator, std::int32_t sender) {
    const auto sides = communicator ? sides_of_.find(*communicator) : sides_of_.end();
    if (sides == sides_of_.end()) return members_of(communicator);
    for (const auto& [own, other] : {sides->second, std::pair(sides->second.second, sides->second.first)})
      if (is_member(own, sender)) return members_of_group(other);
    return nullptr;
  }

  /// Asked for each message, so the members are not gone through again.
  bool is_member(std::size_t group, std::int32_t rank) {
    const auto known = member_sets_.find(group);
    if (known != member_sets_.end()) return known->second.contains(rank);
    const std::vector<std::int32_t>* members = members_of_group(group);
    return members != nullptr &&
           member_sets_.emplace(group, std::set(members->begin(), members->end())).first->second.contains(rank);
  }

  const std::vector<std::int32_t>* members_of_group(std::size_t group) {
    if (const auto known = members_.find(group); known != members_.end()) return &known->second;
    const auto locations = groups_.find(group);
    if (locations == groups_.end()) return nullptr;
    std::vector<std::int32_t> ranks;
    for (const std::size_t location : locations->second) {
      const std::optional<std::int32_t> rank = rank_at(location);
      if (!rank) return nullptr;
      ranks.push_back(*rank);
    }
    return &members_.emplace(group, std::move(ranks)).first->second;
  }

  /// How many equal events a line is for.
  static double times_in(std::string_view text) {
    const std::optional<std::int64_t> times = parse_integer(last_value(text, ", Times: "));
    return times && *times > 0 ? static_cast<double>(*times) : 1;
  }

  /// The rank to which an event belongs.
  std::optional<std::int32_t> caller(std::size_t line) {
    const std::optional<std::size_t> location = number_of(line);
    const std::optional<std::int32_t> rank = location ? rank_at(*location) : std::nullopt;
    if (location && !rank) diagnostics_.add(line, {}, fmt::format("location {} is of no rank of MPI", *location));
    return rank;
  }

  /// The position of a member behind `key`: `1 ("thread" <2>)`, where names of windows may hold anything.
  std::optional<std::size_t> position(std::size_t line, std::size_t at, std::string_view key, std::string_view what) {
    const std::string_view text = lines_[line];
    const std::string_view word =
        at == std::string_view::npos
            ? std::string_view()
            : text.substr(at + key.size(), text.find_first_of(" ,", at + key.size()) - at - key.size());
    return matrix::whole_number(diagnostics_, line, word, what, 0, matrix::kMostRanks - 1);
  }

  void read_one_sided(std::size_t line, std::string_view kind) {
    const std::string_view text = lines_[line];
    const std::string_view key = ", Remote: ";
    const std::size_t at = text.rfind(key);
    const std::optional<std::size_t> window = last_reference(text.substr(0, at));
    const auto known = window ? communicator_of_window_.find(*window) : communicator_of_window_.end();
    const std::optional<std::size_t> communicator =
        known == communicator_of_window_.end() ? std::nullopt : std::optional(known->second);
    const double times = times_in(text);
    if (is_self(communicator)) return;  // nothing leaves the rank
    const std::vector<std::int32_t>* members = members_of(communicator);
    if (members == nullptr) {
      foreign_one_sided_ += times;
      return;
    }
    const std::optional<std::int32_t> rank = caller(line);
    const std::optional<std::size_t> remote = position(line, at, key, "a rank of the window");
    if (!rank || !remote) return;
    if (*remote >= members->size())
      return diagnostics_.add(line, {}, fmt::format("the window has no rank {}", *remote));
    const auto move = [&](std::string_view amount, bool to_remote) {
      const auto bytes = matrix::whole_number(diagnostics_, line, last_value(text, amount), "a size", 0, kMostCount);
      if (!bytes || *bytes == 0) return;
      const std::int32_t other = (*members)[*remote];
      recorded::append_pair(to_remote ? *rank : other, to_remote ? other : *rank, static_cast<double>(*bytes) * times,
                            times, entries_, unknown_bytes_);
    };
    if (kind == "RMA_ATOMIC") {
      move(", Sent: ", true);
      move(", Received: ", false);
    } else {
      move(", Bytes: ", kind == "RMA_PUT");
    }
  }

  void read_message(std::size_t line) {
    const std::string_view text = lines_[line];
    const std::optional<std::int32_t> source = caller(line);
    const std::string_view key = "Receiver: ";
    const auto position = this->position(line, text.find(key), key, "a receiver");
    const auto bytes =
        matrix::whole_number(diagnostics_, line, last_value(text, ", Length: "), "a length", 0, kMostCount);
    if (!source || !position || !bytes) return;
    const std::optional<std::size_t> communicator = communicator_in(text, ", Tag: ");
    const double times = times_in(text);
    const double sum = static_cast<double>(*bytes) * times;
    if (is_self(communicator)) return recorded::append_pair(*source, *source, sum, times, entries_, unknown_bytes_);
    const std::vector<std::int32_t>* members = receivers_of(communicator, *source);
    if (members == nullptr || *position >= members->size()) {
      unknown_bytes_ += sum;
      return;
    }
    recorded::append_pair(*source, (*members)[*position], sum, times, entries_, unknown_bytes_);
  }

  void read_collective(std::size_t line) {
    const std::string_view text = lines_[line];
    const std::string_view key = "Operation: ";
    const std::size_t at = text.find(key);
    const std::string_view name = at == std::string_view::npos
                                      ? std::string_view()
                                      : trim(text.substr(at + key.size(), text.find(',', at) - at - key.size()));
    const auto collective = std::ranges::find(kCollectives, name, &Collective::name);
    const std::optional<std::int32_t> rank = caller(line);
    if (collective == kCollectives.end() || !rank || model_.name == "none") return;  // barriers, the making of windows
    const auto sent = matrix::whole_number(diagnostics_, line, last_value(text, ", Sent: "), "a size", 0, kMostCount);
    const auto received =
        matrix::whole_number(diagnostics_, line, last_value(text, ", Received: "), "a size", 0, kMostCount);
    if (!sent || !received) return;
    const std::optional<std::size_t> communicator = communicator_in(text, ", Root: ");
    if (is_self(communicator)) return;  // nothing leaves the rank
    const std::vector<std::int32_t>* members = members_of(communicator);
    const double times = times_in(text);
    if (members == nullptr || members->empty()) {
      (communicator && sides_of_.contains(*communicator) ? calls_between_ : unknown_calls_) += times;
      return;
    }
    std::size_t root = 0;
    if (profile::kOperations[static_cast<std::size_t>(collective->operation)].rooted) {
      constexpr std::string_view kRoot = ", Root: ";
      const std::optional<std::size_t> member = this->position(line, text.rfind(kRoot), kRoot, "a root");
      if (!member) return;
      if (*member >= members->size())
        return diagnostics_.add(line, {}, fmt::format("the communicator has no rank {}", *member));
      root = *member;
    }
    const double part = part_of(of_score_p_ ? collective->part : collective->others, static_cast<double>(*sent),
                                static_cast<double>(*received), static_cast<double>(members->size()));
    if (!of_score_p_ && collective->part != collective->others) doubtful_calls_ += times;
    Counted& counted = calls_[{*communicator, collective->operation, root,
                               profile::size_bin(static_cast<std::uint64_t>(part))}][*rank];
    counted.calls += times;
    counted.bytes += part * times;
  }

  void expand_collectives() {
    for (const auto& [key, by_rank] : calls_) {
      const auto& [communicator, operation, root, bin] = key;
      const std::vector<std::int32_t>& members = *members_of(communicator);
      collective::Call call;
      call.operation = operation;
      call.members = members.size();
      call.root = root;
      double calls = 0;
      for (const auto& [rank, counted] : by_rank) {
        calls += counted.calls;
        call.bytes += counted.bytes;
      }
      call.bytes /= calls;
      const auto times_of = [&rows = by_rank, &ranks = members](std::size_t member) {
        const auto counted = rows.find(ranks[member]);
        return counted == rows.end() ? 0 : counted->second.calls;
      };
      recorded::expand_call(model_, call, members, times_of, entries_, unknown_bytes_);
    }
  }

  void warn(std::vector<Diagnostic>& warnings) const {
    const auto say = [&](std::string what) { warnings.push_back({where_, {}, std::move(what), {}, {}}); };
    if (unknown_bytes_ > 0)
      say(fmt::format("{} to ranks or on communicators that are not defined in it are left out",
                      to_string(Bytes(unknown_bytes_))));
    if (unknown_calls_ > 0)
      say(fmt::format("{} collective calls on communicators that are not defined in it are left out", unknown_calls_));
    if (calls_between_ > 0) say(fmt::format("{} collective calls on intercommunicators are left out", calls_between_));
    if (foreign_one_sided_ > 0)
      say(fmt::format("{} one-sided operations on windows that are not of MPI (copies of GPUs, SHMEM) are left out",
                      foreign_one_sided_));
    if (doubtful_calls_ > 0)
      say(
          fmt::format("Score-P did not write this trace: the sizes of {} reductions and scans to all members are taken "
                      "as those of one member",
                      doubtful_calls_));
  }

  struct Counted {
    double calls = 0;
    double bytes = 0;
  };
  /// (communicator, operation, root, size_bin)
  using Key = std::tuple<std::size_t, Operation, std::size_t, std::size_t>;

  const std::string& where_;
  TextLines lines_;
  matrix::TextDiagnostics diagnostics_;
  const collective::Model& model_;
  std::map<std::size_t, std::size_t> process_of_;  ///< by location
  std::map<std::size_t, std::int32_t> rank_of_process_;
  std::map<std::size_t, std::vector<std::size_t>> groups_;               ///< by group: its locations
  std::set<std::size_t> self_groups_;                                    ///< of the calling rank alone
  std::map<std::size_t, std::size_t> group_of_;                          ///< by communicator
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> sides_of_;  ///< by intercommunicator: its two groups
  std::map<std::size_t, std::size_t> communicator_of_window_;
  std::map<std::size_t, std::vector<std::int32_t>> members_;   ///< by group
  std::map<std::size_t, std::set<std::int32_t>> member_sets_;  ///< by group, of intercommunicators
  std::map<Key, std::map<std::int32_t, Counted>> calls_;       ///< by rank
  std::vector<TrafficEntry> entries_;
  double unknown_bytes_ = 0;
  double unknown_calls_ = 0;
  double calls_between_ = 0;
  double foreign_one_sided_ = 0;
  double doubtful_calls_ = 0;
  bool of_score_p_ = false;
  int begun_ = 0;  ///< number of traces that have begun
};

}  // namespace

bool looks_like_otf2_print(std::string_view head) {
  return trim(head.substr(0, 200)).starts_with(kHead);
}

Traffic read_otf2_print(const std::string& where, std::string_view text, const collective::Model& model,
                        std::vector<Diagnostic>& warnings) {
  return Reader(where, text, model).read(warnings);
}

}  // namespace topowise
