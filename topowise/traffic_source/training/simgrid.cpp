// SPDX-License-Identifier: BSD-3-Clause
// Time-independent traces of SimGrid (smpirun -trace-ti): "RANK ACTION ...", of one rank or of many. The arguments are
// those of SMPI's replay, the numbers of types those of its datatypes (smpi_replay, smpi_datatype in its sources). No
// action names a communicator. The place of some arguments depends on the number of ranks: these calls are kept as they
// stand until all ranks are read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

constexpr double kMost = 0x1p53;
constexpr std::string_view kNoRank = "-666";  ///< MPI_PROC_NULL of SMPI

/// Types by their number.
constexpr std::array<std::string_view, 27> kTypes{"MPI_DOUBLE",
                                                  "MPI_INT",
                                                  "MPI_CHAR",
                                                  "MPI_SHORT",
                                                  "MPI_LONG",
                                                  "MPI_FLOAT",
                                                  "MPI_BYTE",
                                                  "MPI_LONG_LONG",
                                                  "MPI_SIGNED_CHAR",
                                                  "MPI_UNSIGNED_CHAR",
                                                  "MPI_UNSIGNED_SHORT",
                                                  "MPI_UNSIGNED",
                                                  "MPI_UNSIGNED_LONG",
                                                  "MPI_UNSIGNED_LONG_LONG",
                                                  "MPI_LONG_DOUBLE",
                                                  "MPI_WCHAR",
                                                  "MPI_C_BOOL",
                                                  "MPI_INT8_T",
                                                  "MPI_INT16_T",
                                                  "MPI_INT32_T",
                                                  "MPI_INT64_T",
                                                  "MPI_UINT8_T",
                                                  "MPI_UINT16_T",
                                                  "MPI_UINT32_T",
                                                  "MPI_UINT64_T",
                                                  "MPI_C_FLOAT_COMPLEX",
                                                  "MPI_C_DOUBLE_COMPLEX"};

/// Where a collective action has what, counted from the first argument; none for what it has not.
struct Action {
  std::string_view name;
  Operation operation;
  std::size_t size;
  std::optional<std::size_t> root;
  std::size_t type;
};
constexpr std::array kActions{
    Action{"bcast", Operation::bcast, 0, 1, 2},          Action{"reduce", Operation::reduce, 0, 2, 3},
    Action{"allreduce", Operation::allreduce, 0, {}, 2}, Action{"alltoall", Operation::alltoall, 0, {}, 2},
    Action{"gather", Operation::gather, 0, 2, 3},        Action{"allgather", Operation::allgather, 0, {}, 2},
    Action{"scatter", Operation::scatter, 1, 2, 4},      Action{"scan", Operation::scan, 0, {}, 2},
    Action{"exscan", Operation::exscan, 0, {}, 2},
};
/// Actions that settle_simgrid() reads. Older versions write allReduce for allreduce.
constexpr std::array<std::string_view, 7> kOfAllRanks{"sendrecv",   "isendrecv", "gatherv",      "scatterv",
                                                      "allgatherv", "alltoallv", "reducescatter"};
constexpr std::size_t kMostKept = std::size_t{16} << 20;  ///< bytes of such actions of a file
constexpr std::array<std::string_view, 6> kSends{"send", "isend", "ssend", "issend", "bsend", "ibsend"};
/// Actions that send nothing to another rank, or whose sender has an action of its own.
constexpr std::array<std::string_view, 24> kSilent{
    "init",  "finalize", "compute",  "computing", "sleep",    "sleeping",   "recv",         "irecv",
    "wait",  "waitany",  "waitall",  "waitsome",  "test",     "testany",    "testall",      "testsome",
    "probe", "iprobe",   "location", "comm_size", "comm_dup", "comm_split", "iteration_in", "iteration_out"};

/// Actions that may send, but do not say to which rank.
struct Vague {
  std::string_view name;
  std::string_view why;
};
constexpr std::array kVague{
    Vague{"start", "starts of persistent calls, which do not say whether they send"},
    Vague{"startall", "starts of persistent calls, which do not say whether they send"},
};

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_collective(std::string_view name) {
  return name == "barrier" || is_among(kOfAllRanks, name) ||
         std::ranges::find(kActions, name, &Action::name) != kActions.end();
}

/// The collective of an action, which has the same arguments with and without waiting (ibcast); empty for other
/// actions.
std::string_view collective_of(std::string_view name) {
  if (is_collective(name)) return name;
  const std::string_view rest = name.substr(std::min<std::size_t>(name.size(), 1));
  return name.starts_with('i') && is_collective(rest) ? rest : std::string_view{};
}

class Reader {
 public:
  Reader(Input& file, std::vector<Trace>& traces) : file_(file), lines_(file), ranks_(file, traces) {}

  void read() {
    while (lines_.next()) {
      words_.clear();
      std::string_view rest = lines_.line();
      if (trim(rest).starts_with('#')) continue;
      for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) words_.push_back(word);
      if (words_.size() >= 2) read_action(rank(words_[0]), lower(words_[1]));
    }
    if (ranks_.empty())
      throw Error(ExitStatus::bad_input, {Diagnostic{file_.where(), {}, "no actions of ranks in it", {}, {}}});
  }

 private:
  std::size_t rank(std::string_view word) const {
    const std::optional<std::int64_t> number = parse_integer(word);
    if (!number || *number < 0 || *number >= static_cast<std::int64_t>(kMostRanks))
      lines_.fail(word, fmt::format("'{}' is not a rank of a job", printable(word.substr(0, 40))));
    return static_cast<std::size_t>(*number);
  }

  std::string_view argument(std::size_t place) const {
    if (place + 2 >= words_.size())
      lines_.fail({}, fmt::format("'{}' misses its argument {}", printable(words_[1].substr(0, 40)), place + 1));
    return words_[place + 2];
  }

  double number(std::size_t place) const {
    const std::string_view word = argument(place);
    const std::optional<double> number = parse_double(word);
    if (!number || !(*number >= 0 && *number <= kMost))
      lines_.fail(word, fmt::format("'{}' is not a number from 0 to 2^53", printable(word.substr(0, 40))));
    return *number;
  }

  /// Bytes of the type at that place, or of the usual one; 0 if it is not known.
  double type(std::size_t place) const {
    if (place + 2 >= words_.size()) return usual_;
    const std::optional<std::int64_t> number = parse_integer(words_[place + 2]);
    if (!number || *number < 0 || *number >= static_cast<std::int64_t>(kTypes.size())) return 0;
    return bytes_of_mpi_type(kTypes[static_cast<std::size_t>(*number)]);
  }

  void read_action(std::size_t rank, const std::string& name) {
    (void)ranks_.of(rank);
    if (name == "init") usual_ = words_.size() > 2 ? 8 : 1;  // MPI_DOUBLE or MPI_BYTE
    if (is_among(kSends, name))
      send(rank);
    else if (const std::string_view collective = collective_of(name); !collective.empty())
      read_collective(rank, collective);
    else if (!is_among(kSilent, name))
      leave_out(rank, name);
  }

  void send(std::size_t rank) {
    if (argument(0) == kNoRank) return;
    const double bytes = number(2) * type(3);
    if (type(3) > 0)
      ranks_.send(rank, this->rank(argument(0)), bytes);
    else
      ranks_.leave_out(rank, "messages of a type that is not known here");
  }

  void leave_out(std::size_t rank, std::string_view name) {
    const auto vague = std::ranges::find(kVague, name, &Vague::name);
    if (vague != kVague.end()) return ranks_.leave_out(rank, std::string(vague->why));
    // One name of a file is kept: a file may have any number of them.
    if (unknown_.empty()) unknown_ = printable(words_[1].substr(0, 40));
    ranks_.leave_out(rank, fmt::format("actions that are not read, such as '{}'", unknown_));
  }

  void read_collective(std::size_t rank, std::string_view name) {
    if (name == "barrier") ranks_.collective(rank, Operation::barrier, 0, 0);
    if (is_among(kOfAllRanks, name)) keep(rank, name);
    if (name != "barrier" && !name.ends_with("sendrecv"))
      ranks_.of(rank).doubts.insert(
          "the trace names no communicators: collective calls are taken as those of all ranks");
    const auto action = std::ranges::find(kActions, name, &Action::name);
    if (action == kActions.end()) return;
    const std::size_t root =
        action->root && *action->root + 2 < words_.size() ? this->rank(argument(*action->root)) : 0;
    if (type(action->type) > 0)
      ranks_.collective(rank, action->operation, root, number(action->size) * type(action->type));
    else
      ranks_.leave_out(rank, fmt::format("calls of '{}' with a type that is not known here", name));
  }

  /// Keeps an action of which all arguments are numbers.
  void keep(std::size_t rank, std::string_view name) {
    std::string action = fmt::format("{} {}", name, usual_);
    for (std::size_t place = 0; place + 2 < words_.size(); ++place) {
      const bool is_partner = name.ends_with("sendrecv") && (place == 1 || place == 3);
      action += fmt::format(" {}", is_partner && argument(place) == kNoRank ? -666 : number(place));
    }
    std::map<std::string, double>& kept = ranks_.of(rank).unsettled;
    const auto known = kept.find(action);
    if (known == kept.end() && kept_ + action.size() > kMostKept)
      return ranks_.leave_out(rank, fmt::format("calls of '{}': too many different ones", name));
    if (known == kept.end()) kept_ += action.size();
    ++kept[std::move(action)];
  }

  Input& file_;
  BlockLines lines_;
  RankTraces ranks_;
  std::vector<std::string_view> words_;
  std::string unknown_;  ///< the first action that is not known
  double usual_ = 1;     ///< bytes of a number without a type
  std::size_t kept_ = 0;
};

double bytes_of(double type) {
  return type >= 0 && type < static_cast<double>(kTypes.size())
             ? bytes_of_mpi_type(kTypes[static_cast<std::size_t>(type)])
             : 0;
}

/// An action that was kept: its arguments, of which the first `ranks` or so are counts.
class Kept {
 public:
  explicit Kept(std::string_view text) : name_(take_word(text)) {
    usual_ = parse_double(take_word(text)).value_or(1);
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text))
      arguments_.push_back(parse_double(word).value_or(0));
  }
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] bool is_exchange() const { return name_.ends_with("sendrecv"); }
  [[nodiscard]] std::size_t size() const { return arguments_.size(); }
  [[nodiscard]] double argument(std::size_t place) const { return place < size() ? arguments_[place] : 0; }
  /// Bytes of the type at that place, of the usual one if there is none; 0 if it is not known.
  [[nodiscard]] double type(std::size_t place) const { return place < size() ? bytes_of(arguments_[place]) : usual_; }
  [[nodiscard]] double sum(std::size_t begin, std::size_t count) const {
    double sum = 0;
    for (std::size_t i = begin; i < begin + count; ++i) sum += argument(i);
    return sum;
  }
  [[nodiscard]] std::vector<double> split(std::size_t begin, std::size_t count, double bytes) const {
    std::vector<double> split(count);
    for (std::size_t i = 0; i < count; ++i) split[i] = argument(begin + i) * bytes;
    return split;
  }

 private:
  std::string_view name_;
  double usual_ = 1;
  std::vector<double> arguments_;
};

/// Reads an action of a job of so many ranks; false if it has not as many counts, or a type that is not known here.
/// `first` is the number of rank 0 in it.
bool settle(const Kept& action, double times, std::size_t ranks, std::size_t first, Trace& trace) {
  const std::size_t group = group_of_all(trace);
  const std::string_view name = action.name();
  const auto has = [&](std::size_t least, std::size_t most) { return action.size() >= least && action.size() <= most; };
  const auto own = [&](Operation operation, double root, double bytes) {
    trace.add({group, operation, static_cast<std::size_t>(root), bytes}, times);
    return true;
  };
  if (action.is_exchange()) {  // count, receiver, count, sender, types
    if (!has(4, 6) || action.type(4) == 0) return false;
    if (action.argument(1) < 0) return true;
    const auto to = static_cast<std::size_t>(action.argument(1));
    if (to < first) return false;
    trace.sent[{group, to - first}] += {action.argument(0) * action.type(4) * times, times};
    return true;
  }
  if (name == "alltoallv") {  // size, counts, size, counts, types
    const double bytes = action.type(2 * ranks + 2);
    if (!has(2 * ranks + 2, 2 * ranks + 4) || bytes == 0) return false;
    trace.add_split(group, action.split(1, ranks, bytes), times);
    return true;
  }
  if (name == "gatherv") {  // count, counts, root, types
    const double bytes = action.type(ranks + 2);
    if (!has(ranks + 1, ranks + 4) || bytes == 0) return false;
    return own(Operation::gather, action.argument(ranks + 1), action.argument(0) * bytes);
  }
  if (name == "scatterv") {  // counts, count, root, types
    const double bytes = action.type(ranks + 2);
    if (!has(ranks + 1, ranks + 4) || bytes == 0) return false;
    const bool is_root = trace.rank && static_cast<double>(*trace.rank) == action.argument(ranks + 1);
    trace.add_split(group, is_root ? action.split(0, ranks, bytes) : std::vector<double>(), times);
    return true;
  }
  if (name == "allgatherv") {  // count, counts, types or displacements or both
    const bool has_types = action.size() <= ranks + 3 || action.size() > 2 * ranks + 1;
    const double bytes = has_types ? action.type(ranks + 1) : action.type(action.size());
    if (!has(ranks + 1, 2 * ranks + 3) || bytes == 0) return false;
    return own(Operation::allgather, 0, action.argument(0) * bytes);
  }
  // reducescatter: counts, work, type
  const double bytes = action.type(ranks + 1);
  if (!has(ranks + 1, ranks + 2) || bytes == 0) return false;
  return own(Operation::reduce_scatter_block, 0, action.sum(0, ranks) / static_cast<double>(ranks) * bytes);
}

/// 1 if the exchanges of a job name processes of the simulator, which count from 1, as older versions write; else 0.
/// A doubt says so where that is no more than likely: an exchange with number 0 would be with rank 0.
std::size_t first_rank(std::vector<Trace>& traces, std::size_t ranks) {
  bool has_none = false;
  bool has_last = false;
  Trace* trace_of_some = nullptr;
  for (Trace& trace : traces) {
    for (const auto& [text, times] : trace.unsettled) {
      const Kept action(text);
      if (!action.is_exchange()) continue;
      for (const std::size_t place : {1, 3}) {
        if (action.argument(place) >= 0 && trace_of_some == nullptr) trace_of_some = &trace;
        has_none = has_none || action.argument(place) == 0;
        has_last = has_last || action.argument(place) == static_cast<double>(ranks);
      }
    }
  }
  const std::size_t first = has_last && !has_none ? 1 : 0;
  if (trace_of_some != nullptr && !has_none)
    trace_of_some->doubts.insert(
        fmt::format("no sendRecv names process 0, and {} names process {}: they are taken to count ranks from {}",
                    first == 1 ? "one" : "none", ranks, first));
  return first;
}

}  // namespace

bool looks_like_simgrid(std::string_view head) {
  std::string_view line;
  do {
    if (head.empty()) return false;
    line = trim(take_part(head, '\n'));
  } while (line.empty() || line.starts_with('#'));
  const std::string_view process = take_word(line);
  return parse_integer(process).has_value() && take_word(line) == "init";
}

void read_simgrid(Input& file, std::vector<Trace>& traces) {
  Reader(file, traces).read();
}

void settle_simgrid(std::vector<Trace>& traces) {
  std::size_t ranks = 0;
  for (const Trace& trace : traces) ranks = std::max(ranks, trace.rank.value_or(0) + 1);
  const std::size_t first = first_rank(traces, ranks);
  for (Trace& trace : traces) {
    for (const auto& [text, times] : trace.unsettled) {
      const Kept action(text);
      if (!settle(action, times, ranks, first, trace))
        trace
            .left_out[fmt::format("calls of '{}' of a type that is not known here, or with another number of counts "
                                  "than there are ranks",
                                  action.name())] += static_cast<std::size_t>(times);
    }
    trace.unsettled.clear();
  }
}

}  // namespace topowise::training
