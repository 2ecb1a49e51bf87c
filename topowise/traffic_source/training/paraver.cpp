// SPDX-License-Identifier: BSD-3-Clause
// Paraver's .prv (BSC, "Paraver trace file description"). Its first line says how many tasks an application has:
//   #Paraver (28/11/2026 at 02:00):1000_ns:1(4):1:4(1:1,1:1,1:1,1:1),0
// A message is a record of 15 numbers between colons: 3, then of sender and of receiver processor, application, task,
// thread, logical and physical time; then size and tag. Tasks count from 1. Records 1 are states. Records 2 are events,
// TYPE:VALUE behind processor, application, task, thread and time. A collective call of MPI is 50000002 with its
// number, then at the same time, as Extrae writes them, 50100001 and 50100002 with the bytes sent and received,
// 50100004 with the communicator, and at the root 50100003. Records 4 are collective calls, which Paraver does not read
// either. Lines c list the tasks of communicators, i are intercommunicators, # begins a comment. No other lines exist.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/block_lines.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/rank_traces.hpp>

namespace topowise::training {
namespace {

using profile::Operation;

constexpr std::string_view kHead = "#Paraver (";
constexpr std::size_t kFields = 15;
constexpr std::int64_t kMost = std::int64_t{1} << 53;

/// Which bytes of a call are a member's part: those that a member of the call sent or received. Of calls with a root
/// the root's record counts, for all members.
enum class Part : std::uint8_t { none, sent, received, received_of_all, sent_of_all };
struct Collective {
  std::int64_t number;  ///< the value of event 50000002
  std::string_view name;
  Operation operation;
  bool rooted;
  Part part;
};
constexpr std::array kCollectives{
    Collective{7, "MPI_Bcast", Operation::bcast, true, Part::sent},
    Collective{8, "MPI_Barrier", Operation::barrier, false, Part::none},
    Collective{9, "MPI_Reduce", Operation::reduce, true, Part::received},
    Collective{10, "MPI_Allreduce", Operation::allreduce, false, Part::sent},
    Collective{11, "MPI_Alltoall", Operation::alltoall, false, Part::sent},
    Collective{13, "MPI_Gather", Operation::gather, true, Part::received_of_all},
    Collective{14, "MPI_Gatherv", Operation::gather, true, Part::received_of_all},
    Collective{15, "MPI_Scatter", Operation::scatter, true, Part::received},
    Collective{16, "MPI_Scatterv", Operation::scatter, true, Part::sent_of_all},
    Collective{17, "MPI_Allgather", Operation::allgather, false, Part::sent},
    Collective{18, "MPI_Allgatherv", Operation::allgather, false, Part::sent},
    Collective{30, "MPI_Scan", Operation::scan, false, Part::sent},
};

/// The collective calls of the first application.
class Calls {
 public:
  Calls(BlockLines& lines, RankTraces& ranks) : lines_(lines), ranks_(ranks) {}
  void set_tasks(std::size_t tasks) { tasks_ = tasks; }

  /// "c:APPLICATION:COMMUNICATOR:NUMBER:TASK:TASK..."
  void read_communicator(std::string_view line) {
    std::string_view rest = line;
    (void)take_part(rest, ':');
    const std::optional<std::int64_t> application = parse_integer(trim(take_part(rest, ':')));
    const std::optional<std::int64_t> communicator = parse_integer(trim(take_part(rest, ':')));
    const std::optional<std::int64_t> count = parse_integer(trim(take_part(rest, ':')));
    if (application != 1 || !communicator || !count) return;
    std::vector<std::size_t> members;
    while (!rest.empty()) {
      const std::string_view cell = take_part(rest, ':');
      const std::optional<std::int64_t> task = parse_integer(trim(cell));
      if (!task || *task < 1 || *task > static_cast<std::int64_t>(tasks_))
        lines_.fail(cell, fmt::format("task '{}' of {}", printable(cell.substr(0, 40)), tasks_));
      members.push_back(static_cast<std::size_t>(*task - 1));
    }
    if (members.size() != static_cast<std::size_t>(*count))
      lines_.fail({}, fmt::format("{} tasks are listed, not {}", members.size(), *count));
    if (listed_twice(members)) lines_.fail({}, "a task is twice in a communicator");
    // Each member's trace keeps the list.
    if (!is_whole(members)) listed_ += members.size() * members.size();
    if (listed_ > kMostListed) lines_.fail({}, "the communicators have too many members");
    communicators_.insert_or_assign(*communicator, std::move(members));
  }

  /// An event of a task and thread: begins a call, says more about one, or ends it.
  void read_event(std::size_t rank, std::int64_t thread, std::string_view type, std::int64_t value) {
    constexpr std::size_t kMostThreads = std::size_t{1} << 20;
    if (type == "50000002") {
      end_call(rank, thread);
      if (value == 0) return;
      if (running_.size() >= kMostThreads) lines_.fail({}, "too many threads are in collective calls");
      running_[{rank, thread}].number = value;
      return;
    }
    if (!type.starts_with("5010000")) return;
    const auto call = running_.find({rank, thread});
    if (call == running_.end()) return;
    if (type == "50100001") call->second.sent = value;
    if (type == "50100002") call->second.received = value;
    if (type == "50100003") call->second.is_root = value != 0;
    if (type == "50100004") call->second.communicator = value;
  }

  /// Adds what the events said.
  void finish() {
    while (!running_.empty()) end_call(running_.begin()->first.first, running_.begin()->first.second);
    for (const auto& [key, calls] : calls_) {
      const auto& [communicator, operation, root, bytes] = key;
      for (const std::size_t member : communicators_.at(communicator))
        add(member, communicator, operation, root, bytes, calls);
    }
    for (const auto& [key, calls] : own_calls_) {
      const auto& [rank, communicator, operation, bytes] = key;
      add(rank, communicator, operation, 0, bytes, calls);
    }
  }

 private:
  struct Running {
    std::int64_t number = 0;
    std::optional<std::int64_t> sent;
    std::optional<std::int64_t> received;
    std::optional<std::int64_t> communicator;
    bool is_root = false;
  };

  [[nodiscard]] bool is_whole(const std::vector<std::size_t>& members) const {
    if (members.size() != tasks_) return false;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (members[i] != i) return false;
    return true;
  }

  void add(std::size_t rank, std::int64_t communicator, Operation operation, std::size_t root, double bytes,
           double calls) {
    const std::vector<std::size_t>& members = communicators_.at(communicator);
    Trace& trace = ranks_.of(rank);
    const std::size_t group = trace.group_named(fmt::format("communicator {}", communicator));
    trace.groups[group].whole_job = is_whole(members);
    if (!trace.groups[group].whole_job) trace.groups[group].ranks = members;
    trace.add({group, operation, root, bytes, false}, calls);
  }

  void end_call(std::size_t rank, std::int64_t thread) {
    const auto at = running_.find({rank, thread});
    if (at == running_.end()) return;
    const Running call = at->second;
    running_.erase(at);
    const auto collective = std::ranges::find(kCollectives, call.number, &Collective::number);
    if (collective == kCollectives.end()) return ranks_.leave_out(rank, "collective calls of MPI of other kinds");
    const auto members = call.communicator ? communicators_.find(*call.communicator) : communicators_.end();
    if (members == communicators_.end())
      return ranks_.leave_out(rank, "collective calls of MPI without a known communicator");
    const auto position = std::ranges::find(members->second, rank);
    if (position == members->second.end())
      return ranks_.leave_out(rank, "collective calls of MPI by tasks that are not in the communicator");
    if (collective->rooted && !call.is_root) return;  // the root says it for all
    const std::optional<double> bytes = part_of(*collective, call, members->second.size());
    if (!bytes) return ranks_.leave_out(rank, "collective calls of MPI without a size");
    constexpr std::size_t kMostKinds = std::size_t{1} << 22;
    if (calls_.size() + own_calls_.size() > kMostKinds) lines_.fail({}, "too many different collective calls");
    if (collective->rooted)
      ++calls_[{*call.communicator, collective->operation, static_cast<std::size_t>(position - members->second.begin()),
                *bytes}];
    else
      ++own_calls_[{rank, *call.communicator, collective->operation, *bytes}];
  }

  static std::optional<double> part_of(const Collective& collective, const Running& call, std::size_t members) {
    if (collective.part == Part::none) return 0;
    const bool by_sent = collective.part == Part::sent || collective.part == Part::sent_of_all;
    const std::optional<std::int64_t> stated = by_sent ? call.sent : call.received;
    if (!stated || *stated < 0 || *stated > kMost) return std::nullopt;
    const auto bytes = static_cast<double>(*stated);
    const bool of_all = collective.part == Part::sent_of_all || collective.part == Part::received_of_all;
    return of_all ? bytes / static_cast<double>(members) : bytes;
  }

  BlockLines& lines_;
  RankTraces& ranks_;
  std::size_t tasks_ = 0;
  std::size_t listed_ = 0;
  std::map<std::int64_t, std::vector<std::size_t>> communicators_;
  std::map<std::pair<std::size_t, std::int64_t>, Running> running_;  ///< by (rank, thread)
  /// (communicator, operation, root, bytes): calls that the root speaks for
  std::map<std::tuple<std::int64_t, Operation, std::size_t, double>, double> calls_;
  /// (rank, communicator, operation, bytes)
  std::map<std::tuple<std::size_t, std::int64_t, Operation, double>, double> own_calls_;
};

class Reader {
 public:
  Reader(Input& file, std::vector<Trace>& traces) : lines_(file), ranks_(file, traces), calls_(lines_, ranks_) {}

  void read() {
    if (!lines_.next()) lines_.fail({}, "the trace is empty");
    tasks_ = tasks_of(lines_.line());
    ranks_.of(0).of_all = true;  // tasks without a record take no memory
    calls_.set_tasks(tasks_);
    while (lines_.next()) {
      if (const std::string_view line = lines_.line(); !trim(line).empty() && !line.starts_with('#')) read_record(line);
    }
    calls_.finish();
    ranks_.set_world(tasks_);
    if (records_4_ > 0) ranks_.of(0).left_out["records 4 of collective calls"] += records_4_;
    if (others_ > 0) ranks_.of(0).left_out["messages of other applications than the first"] += others_;
  }

 private:
  /// The tasks of the first application: the number before the parenthesis of its list.
  std::size_t tasks_of(std::string_view line) const {
    const std::size_t date = line.find("):");
    std::string_view rest = date == std::string_view::npos ? std::string_view() : line.substr(date + 2);
    for (int i = 0; i < 3; ++i) (void)take_part(rest, ':');  // duration, nodes, applications
    const std::optional<std::int64_t> tasks = parse_integer(rest.substr(0, rest.find('(')));
    if (!line.starts_with(kHead) || !tasks || *tasks < 1 || *tasks > static_cast<std::int64_t>(kMostRanks))
      lines_.fail({}, "the first line does not say how many tasks there are",
                  "#Paraver (DATE):DURATION:NODES:APPLICATIONS:TASKS(...)");
    return static_cast<std::size_t>(*tasks);
  }

  void read_record(std::string_view line) {
    const std::string_view type = line.substr(0, line.find(':') + 1);
    if (type == "1:")
      check_numbers(line, "a state", [](std::size_t fields) { return fields == 8; });
    else if (type == "2:")
      read_events(line);
    else if (type == "3:")
      read_message(line);
    else if (type == "4:")
      ++records_4_;
    else if (type == "c:" || type == "C:")
      calls_.read_communicator(line);
    else if (type != "i:" && type != "I:")
      lines_.fail(line.substr(0, line.find(':')), "this line is no record of a Paraver trace",
                  "records begin with 1: (state), 2: (event), 3: (message), 4:, c: or i:, comments with #");
  }

  /// Checks that all fields are whole numbers, and that their number fits.
  void check_numbers(std::string_view line, std::string_view what, bool (*fits)(std::size_t)) const {
    std::string_view rest = line;
    std::size_t fields = 0;
    while (!rest.empty()) {
      const std::string_view cell = take_part(rest, ':');
      ++fields;
      std::string_view digits = trim(cell);
      if (digits.starts_with('-')) digits.remove_prefix(1);
      if (digits.empty() || !std::ranges::all_of(digits, is_digit))  // values of events may have all 64 bits
        lines_.fail(cell,
                    fmt::format("field {} of {} is not a number: '{}'", fields, what, printable(cell.substr(0, 40))));
    }
    if (!fits(fields)) lines_.fail(line.substr(0, line.find(':')), fmt::format("{} of {} fields", what, fields));
  }

  void read_message(std::string_view line) {
    std::array<std::int64_t, kFields> fields{};
    std::string_view rest = line;
    for (std::size_t i = 0; i < kFields; ++i) {
      const std::string_view cell = take_part(rest, ':');
      const std::optional<std::int64_t> number = parse_integer(trim(cell));
      if (!number)
        lines_.fail(cell,
                    fmt::format("field {} of a message is not a number: '{}'", i + 1, printable(cell.substr(0, 40))));
      fields[i] = *number;
    }
    if (fields[2] != 1 || fields[8] != 1) {
      ++others_;
      return;
    }
    const auto task = [&](std::int64_t number) {
      if (number < 1 || number > static_cast<std::int64_t>(tasks_))
        lines_.fail({}, fmt::format("task {} of {}", number, tasks_));
      return static_cast<std::size_t>(number - 1);
    };
    if (fields[13] < 0 || fields[13] > kMost) lines_.fail({}, fmt::format("a message of {} bytes", fields[13]));
    ranks_.send(task(fields[3]), task(fields[9]), static_cast<double>(fields[13]));
  }

  void read_events(std::string_view line) {
    check_numbers(line, "an event", [](std::size_t fields) { return fields >= 8 && fields % 2 == 0; });
    if (line.find(":50") == std::string_view::npos) return;  // most events are of other kinds
    std::string_view rest = line;
    (void)take_part(rest, ':');
    (void)take_part(rest, ':');
    const std::optional<std::int64_t> application = parse_integer(trim(take_part(rest, ':')));
    const std::optional<std::int64_t> task = parse_integer(trim(take_part(rest, ':')));
    const std::optional<std::int64_t> thread = parse_integer(trim(take_part(rest, ':')));
    (void)take_part(rest, ':');
    if (application != 1 || !task || *task < 1 || *task > static_cast<std::int64_t>(tasks_)) return;
    while (!rest.empty()) {
      const std::string_view type = trim(take_part(rest, ':'));
      const std::optional<std::int64_t> value = parse_integer(trim(take_part(rest, ':')));
      calls_.read_event(static_cast<std::size_t>(*task - 1), thread.value_or(0), type, value.value_or(kMost + 1));
    }
  }

  BlockLines lines_;
  RankTraces ranks_;
  Calls calls_;
  std::size_t tasks_ = 0;
  std::size_t records_4_ = 0;
  std::size_t others_ = 0;
};

}  // namespace

bool looks_like_paraver(std::string_view head) {
  return head.starts_with(kHead);
}

void read_paraver(Input& file, std::vector<Trace>& traces) {
  Reader(file, traces).read();
}

}  // namespace topowise::training
