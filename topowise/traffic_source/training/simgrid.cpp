// SPDX-License-Identifier: BSD-3-Clause
// Time-independent traces of SimGrid (smpirun -trace-ti): "RANK ACTION ...", of one rank or of many. The arguments are
// those of SMPI's replay, the numbers of types those of its datatypes (smpi_replay, smpi_datatype in its sources). All
// actions are on MPI_COMM_WORLD. Where the place of an argument depends on the number of ranks, the call is left out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
    Action{"scatter", Operation::scatter, 1, 2, 4},
};
/// Actions whose arguments depend on the number of ranks. Older versions write allReduce for allreduce.
constexpr std::array<std::string_view, 7> kUnread{"gatherv",       "scatterv", "alltoallv", "alltoallw",
                                                  "reducescatter", "scan",     "exscan"};
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
    Vague{"sendrecv", "calls of 'sendRecv', which names a process of the simulator and not a rank"},
    Vague{"start", "starts of persistent calls, which do not say whether they send"},
    Vague{"startall", "starts of persistent calls, which do not say whether they send"},
};

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_collective(std::string_view name) {
  return name == "barrier" || name == "allgatherv" || is_among(kUnread, name) ||
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
    if (is_among(kUnread, name)) ranks_.leave_out(rank, fmt::format("calls of '{}', which are not read", name));
    if (name == "allgatherv") ranks_.collective(rank, Operation::allgather, 0, number(0) * usual_);
    const auto action = std::ranges::find(kActions, name, &Action::name);
    if (action == kActions.end()) return;
    const std::size_t root =
        action->root && *action->root + 2 < words_.size() ? this->rank(argument(*action->root)) : 0;
    if (type(action->type) > 0)
      ranks_.collective(rank, action->operation, root, number(action->size) * type(action->type));
    else
      ranks_.leave_out(rank, fmt::format("calls of '{}' with a type that is not known here", name));
  }

  Input& file_;
  BlockLines lines_;
  RankTraces ranks_;
  std::vector<std::string_view> words_;
  std::string unknown_;  ///< the first action that is not known
  double usual_ = 1;     ///< bytes of a number without a type
};

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

}  // namespace topowise::training
