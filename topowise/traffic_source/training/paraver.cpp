// SPDX-License-Identifier: BSD-3-Clause
// Paraver's .prv (BSC, "Paraver trace file description"). Its first line says how many tasks an application has:
//   #Paraver (28/11/2026 at 02:00):1000_ns:1(4):1:4(1:1,1:1,1:1,1:1),0
// A message is a record of 15 numbers between colons: 3, then of sender and of receiver processor, application, task,
// thread, logical and physical time; then size and tag. Tasks count from 1. Records 1 are states. Records 2 are events:
// 50000002 is a collective call of MPI. Records 4 are collective calls, which Paraver does not read either. Lines c and
// i list communicators, # begins a comment. No other lines exist.
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

constexpr std::string_view kHead = "#Paraver (";
constexpr std::size_t kFields = 15;
constexpr std::int64_t kMost = std::int64_t{1} << 53;

class Reader {
 public:
  Reader(Input& file, std::vector<Trace>& traces) : lines_(file), ranks_(file, traces) {}

  void read() {
    if (!lines_.next()) lines_.fail({}, "the trace is empty");
    tasks_ = tasks_of(lines_.line());
    for (std::size_t rank = 0; rank < tasks_; ++rank) (void)ranks_.of(rank);
    ranks_.set_world(tasks_);
    while (lines_.next()) {
      if (const std::string_view line = lines_.line(); !trim(line).empty() && !line.starts_with('#')) read_record(line);
    }
    if (collectives_ > 0)
      ranks_.of(0).left_out["collective calls of MPI, of which only messages are read"] += collectives_;
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
      ++collectives_;
    else if (type != "c:" && type != "C:" && type != "i:" && type != "I:")
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

  /// Counts the beginnings of collective calls: TYPE:VALUE behind processor, application, task, thread and time.
  void read_events(std::string_view line) {
    check_numbers(line, "an event", [](std::size_t fields) { return fields >= 8 && fields % 2 == 0; });
    std::string_view rest = line;
    for (int i = 0; i < 6; ++i) (void)take_part(rest, ':');
    while (!rest.empty()) {
      const std::string_view type = take_part(rest, ':');
      const std::string_view value = take_part(rest, ':');
      if (type == "50000002" && trim(value) != "0") ++collectives_;
    }
  }

  BlockLines lines_;
  RankTraces ranks_;
  std::size_t tasks_ = 0;
  std::size_t collectives_ = 0;
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
