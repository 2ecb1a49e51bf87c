// SPDX-License-Identifier: BSD-3-Clause
// Traces of DUMPI as dumpi2ascii prints them, one file per rank. MPI_Comm_rank has the rank, else the end of the name:
//   MPI_Send entering at walltime 8153.0493, cputime 0.0044 seconds in thread 0.
//   int count=100
//   MPI_Datatype datatype=2 (MPI_CHAR)
//   int dest=1
//   MPI_Comm comm=2 (MPI_COMM_WORLD)
//   MPI_Send returning at walltime 8153.0493, cputime 0.0044 seconds in thread 0.
// Only calls on MPI_COMM_WORLD with MPI's own types are read; others are counted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
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

constexpr std::string_view kEnters = " entering at walltime ";
constexpr std::string_view kReturns = " returning at walltime ";
constexpr std::string_view kWorld = "MPI_COMM_WORLD";
constexpr std::size_t kLongestName = 64;
constexpr std::int64_t kMost = std::int64_t{1} << 53;

/// A function, and the names of its arguments: number and type of what it sends or gets, and root or partner.
struct Function {
  std::string_view name;
  Operation operation;
  std::string_view count;
  std::string_view type;
  std::string_view other;
};
constexpr std::array kFunctions{
    Function{"MPI_Send", Operation::point_to_point, "count", "datatype", "dest"},
    Function{"MPI_Bsend", Operation::point_to_point, "count", "datatype", "dest"},
    Function{"MPI_Ssend", Operation::point_to_point, "count", "datatype", "dest"},
    Function{"MPI_Rsend", Operation::point_to_point, "count", "datatype", "dest"},
    Function{"MPI_Isend", Operation::point_to_point, "count", "datatype", "dest"},
    Function{"MPI_Ibsend", Operation::point_to_point, "count", "datatype", "dest"},
    Function{"MPI_Issend", Operation::point_to_point, "count", "datatype", "dest"},
    Function{"MPI_Irsend", Operation::point_to_point, "count", "datatype", "dest"},
    Function{"MPI_Sendrecv", Operation::point_to_point, "sendcount", "sendtype", "dest"},
    Function{"MPI_Sendrecv_replace", Operation::point_to_point, "count", "datatype", "dest"},
    Function{"MPI_Bcast", Operation::bcast, "count", "datatype", "root"},
    Function{"MPI_Reduce", Operation::reduce, "count", "datatype", "root"},
    Function{"MPI_Allreduce", Operation::allreduce, "count", "datatype", ""},
    Function{"MPI_Scan", Operation::scan, "count", "datatype", ""},
    Function{"MPI_Exscan", Operation::exscan, "count", "datatype", ""},
    Function{"MPI_Gather", Operation::gather, "sendcount", "sendtype", "root"},
    Function{"MPI_Scatter", Operation::scatter, "recvcount", "recvtype", "root"},
    Function{"MPI_Allgather", Operation::allgather, "sendcount", "sendtype", ""},
    Function{"MPI_Allgatherv", Operation::allgather, "sendcount", "sendtype", ""},
    Function{"MPI_Alltoall", Operation::alltoall, "sendcount", "sendtype", ""},
    Function{"MPI_Barrier", Operation::barrier, "", "", ""},
};
/// Functions that move data and are not read.
constexpr std::array<std::string_view, 11> kUnread{
    "MPI_Gatherv",  "MPI_Scatterv", "MPI_Alltoallv", "MPI_Alltoallw",  "MPI_Reduce_scatter",      "MPI_Start",
    "MPI_Startall", "MPI_Put",      "MPI_Get",       "MPI_Accumulate", "MPI_Reduce_scatter_block"};

class Reader {
 public:
  Reader(Input& file, std::vector<Trace>& traces) : file_(file), lines_(file), ranks_(file, traces) {}

  void read() {
    Trace& own = ranks_.of(kOwn);
    while (lines_.next()) read_line(lines_.line());
    if (!function_.empty() && is_known()) ranks_.leave_out(kOwn, "calls that ran on when the trace ended");
    own.rank = rank_ ? rank_ : rank_in_name(file_.where());
    own.world = world_;
    if (!own.rank)
      throw Error(ExitStatus::bad_input,
                  {Diagnostic{file_.where(),
                              {},
                              "neither a call of MPI_Comm_rank nor the name of the file has the rank",
                              {},
                              "name the text of rank 3 as DUMPI does: dumpi-...-0003.txt"}});
  }

 private:
  static constexpr std::size_t kOwn = 0;  ///< stands for the rank, until it is known

  void read_line(std::string_view line) {
    if (const std::size_t enters = line.find(kEnters); enters != std::string_view::npos) {
      function_ = trim(line.substr(0, enters)).substr(0, kLongestName);
      arguments_.clear();
    } else if (line.find(kReturns) != std::string_view::npos) {
      end_call();
    } else if (!function_.empty()) {
      read_argument(line);
    }
  }

  [[nodiscard]] bool is_known() const {
    return std::ranges::find(kFunctions, function_, &Function::name) != kFunctions.end();
  }

  /// "int count=100" or "MPI_Datatype datatype=2 (MPI_CHAR)"
  void read_argument(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view before = trim(line.substr(0, equals));
    const std::string_view name = before.substr(before.find_last_of(" \t") + 1);
    constexpr std::size_t kMostArguments = 32;
    constexpr std::size_t kLongest = 128;
    if (arguments_.size() < kMostArguments)
      arguments_.insert_or_assign(std::string(name.substr(0, kLongest)),
                                  Argument{std::string(trim(line.substr(equals + 1)).substr(0, kLongest)),
                                           lines_.number(), std::string(line.substr(0, kLongest))});
  }

  /// Throws for an argument of the call that has ended, at the argument's own line.
  [[noreturn]] void fail_at(std::string_view name, std::string what) const {
    const auto found = arguments_.find(name);
    if (found == arguments_.end()) lines_.fail({}, std::move(what));
    const Argument& argument = found->second;
    const std::size_t at = argument.source.rfind(argument.value);
    throw Error(ExitStatus::bad_input, {Diagnostic{file_.where(),
                                                   {argument.line, at == std::string::npos ? 1 : at + 1},
                                                   std::move(what),
                                                   argument.source,
                                                   {}}});
  }

  std::string_view argument(std::string_view name) const {
    const auto found = arguments_.find(name);
    if (found == arguments_.end())
      lines_.fail({}, fmt::format("this call of {} has no '{}'", printable(function_), name));
    return found->second.value;
  }

  std::int64_t number(std::string_view name) const {
    std::string_view rest = argument(name);
    const std::optional<std::int64_t> number = parse_integer(take_word(rest));
    if (!number || *number > kMost)
      fail_at(name, fmt::format("'{}' of {} is '{}'", name, printable(function_), printable(argument(name))));
    return *number;
  }

  std::size_t below(std::string_view name, std::size_t most) const {
    const std::int64_t stated = number(name);
    if (stated < 0 || stated >= static_cast<std::int64_t>(most))
      fail_at(name, fmt::format("{} is no number of ranks", stated));
    return static_cast<std::size_t>(stated);
  }

  /// The name in the parentheses of an argument: MPI_CHAR in "2 (MPI_CHAR)".
  std::string_view named(std::string_view name) const {
    const std::string_view value = argument(name);
    const std::size_t open = value.find('(');
    const std::size_t close = value.find(')', open);
    if (open == std::string_view::npos || close == std::string_view::npos) return {};
    return value.substr(open + 1, close - open - 1);
  }

  void end_call() {
    const auto function = std::ranges::find(kFunctions, function_, &Function::name);
    if (function != kFunctions.end())
      take(*function);
    else if (std::ranges::find(kUnread, function_) != kUnread.end())
      ranks_.leave_out(kOwn, fmt::format("calls of {}, which are not read", function_));
    else if (function_ == "MPI_Comm_rank" && named("comm") == kWorld)
      rank_ = below("rank", kMostRanks);
    else if (function_ == "MPI_Comm_size" && named("comm") == kWorld)
      world_ = below("size", kMostRanks + 1);
    function_.clear();
  }

  void take(const Function& function) {
    const std::string_view communicator = named("comm");
    if (communicator == "MPI_COMM_SELF") return;
    if (communicator != kWorld) return ranks_.leave_out(kOwn, "calls on other communicators than MPI_COMM_WORLD");
    if (function.count.empty()) return ranks_.collective(kOwn, function.operation, 0, 0);
    const double size = bytes_of_mpi_type(named(function.type));
    if (size == 0) return ranks_.leave_out(kOwn, "calls with types that the program made");
    const std::int64_t count = number(function.count);
    if (count < 0) fail_at(function.count, fmt::format("a call of {} of {} numbers", function.name, count));
    const std::int64_t other = function.other.empty() ? 0 : number(function.other);
    const double bytes = static_cast<double>(count) * size;
    if (other < 0 || other >= static_cast<std::int64_t>(kMostRanks)) return;  // MPI_PROC_NULL
    if (function.operation == Operation::point_to_point)
      ranks_.send(kOwn, static_cast<std::size_t>(other), bytes);
    else
      ranks_.collective(kOwn, function.operation, static_cast<std::size_t>(other), bytes);
  }

  Input& file_;
  BlockLines lines_;
  RankTraces ranks_;
  std::optional<std::size_t> rank_;  ///< what MPI_Comm_rank gave
  std::size_t world_ = 0;            ///< what MPI_Comm_size gave
  std::string function_;             ///< the call that runs; empty between calls
  struct Argument {
    std::string value;
    std::size_t line = 0;
    std::string source;  ///< the text of that line
  };
  std::map<std::string, Argument, std::less<>> arguments_;
};

}  // namespace

bool looks_like_dumpi(std::string_view head) {
  const std::size_t mark = head.find(kEnters);
  return mark != std::string_view::npos && head.find(", cputime ", mark) != std::string_view::npos;
}

void read_dumpi(Input& file, std::vector<Trace>& traces) {
  Reader(file, traces).read();
}

}  // namespace topowise::training
