// SPDX-License-Identifier: BSD-3-Clause
// Schedules in the language GOAL (Hoefler et al., LogGOPSim; Schedgen writes them):
//   num_ranks 2
//   rank 0 {
//   l1: calc 100
//   l2: send 10b to 1 tag 5
//   l2 requires l1
//   }
// Collectives are messages there.
#include <fmt/format.h>

#include <algorithm>
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

constexpr double kMost = 0x1p53;

constexpr std::string_view kStatements = "send 10b to 1, recv 10b from 0, calc 100, l2 requires l1";

/// The statements of txt2bin, which reads GOAL for LogGOPSim. A line that is none of them is an error.
class Reader {
 public:
  Reader(Input& file, std::vector<Trace>& traces) : lines_(file), ranks_(file, traces) {}

  void read() {
    while (lines_.next()) {
      rest_ = lines_.line();
      if (in_comment_) end_comment();
      for (std::string_view word = take(); !word.empty(); word = take()) read_statement(word);
    }
    if (world_ == 0) lines_.fail({}, "no 'num_ranks'");
    if (rank_) lines_.fail({}, fmt::format("the schedule of rank {} does not end", *rank_));
    ranks_.set_world(world_);
  }

 private:
  /// Skips what belongs to a comment between /* and */, which may have any number of lines.
  void end_comment() {
    const std::size_t end = rest_.find("*/");
    in_comment_ = end == std::string_view::npos;
    rest_.remove_prefix(in_comment_ ? rest_.size() : end + 2);
  }

  /// The next word of the line, or one of its signs { } and :. Empty at the end of the line.
  std::string_view take() {
    rest_ = trim(rest_);
    while (rest_.starts_with("/*")) {
      rest_.remove_prefix(2);
      end_comment();
      rest_ = trim(rest_);
    }
    if (rest_.starts_with("//")) rest_ = {};
    const bool is_sign = !rest_.empty() && kSigns.find(rest_.front()) != std::string_view::npos;
    const std::size_t size = is_sign ? 1 : std::min(rest_.find_first_of(" \t\v\f\r/{}:", 1), rest_.size());
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

  [[noreturn]] void fail(std::string_view word, std::string_view what) const {
    lines_.fail(word, fmt::format("'{}' {}", printable(word.substr(0, 40)), what), std::string(kStatements));
  }

  void read_statement(std::string_view word) {
    if (word == "num_ranks") {
      world_ = whole(take(), "a number of ranks", kMostRanks);
    } else if (word == "rank") {
      begin_rank(take());
    } else if (word == "}") {
      if (!rank_) lines_.fail(word, "no schedule of a rank begins before this '}'");
      rank_.reset();
    } else {
      read_operation(word);
      if (const std::string_view more = take(); !more.empty()) fail(more, "is too much in this line");
    }
  }

  std::size_t whole(std::string_view word, std::string_view what, std::size_t most) const {
    const std::optional<std::int64_t> number = parse_integer(word);
    if (!number || *number < 0 || static_cast<std::size_t>(*number) > most)
      lines_.fail(word, fmt::format("'{}' is not {} up to {}", printable(word.substr(0, 40)), what, most));
    return static_cast<std::size_t>(*number);
  }

  std::size_t rank_of_job(std::string_view word) const {
    if (world_ == 0) lines_.fail({}, "no 'num_ranks' before");
    return whole(word, "a rank", world_ - 1);
  }

  void begin_rank(std::string_view word) {
    if (rank_) lines_.fail(word, fmt::format("the schedule of rank {} does not end", *rank_));
    rank_ = rank_of_job(word);
    if (const std::string_view sign = take(); sign != "{") lines_.fail(sign, "no '{' behind the number of the rank");
    (void)ranks_.of(*rank_);
  }

  static bool is_operation(std::string_view word) { return word == "send" || word == "recv" || word == "calc"; }

  void read_operation(std::string_view word) {
    if (!is_operation(word)) {  // then it is a label
      const std::string_view sign = take();
      if (sign == "requires" || sign == "irequires") {
        if (const std::string_view other = take(); other.empty() || !is_letter_or_digit(other.front()))
          lines_.fail(other, fmt::format("'{}' without the label of another operation", sign));
        return;
      }
      if (sign != ":") fail(word, "begins no statement of GOAL");
      word = take();
      if (!is_operation(word)) fail(word, "is no operation of GOAL");
    }
    if (!rank_)
      lines_.fail({},
                  fmt::format("a {} outside of the schedule of a rank", word == "calc" ? "calculation" : "message"));
    if (word == "calc")
      amount("a number of nanoseconds, such as 100", "");
    else
      read_message(word == "send");
    read_places();
  }

  /// The number of 0 or more that is next, with or without its unit.
  double amount(std::string_view what, std::string_view unit) {
    const std::string_view word = take();
    std::string_view number = word;
    if (!unit.empty() && number.ends_with(unit)) number.remove_suffix(unit.size());
    const std::optional<double> value = parse_double(number);
    if (!value || !(*value >= 0 && *value <= kMost))
      lines_.fail(word, fmt::format("'{}' is not {}", printable(word.substr(0, 40)), what));
    return *value;
  }

  void read_message(bool is_send) {
    const double bytes = amount("a number of bytes, such as 10b", "b");
    std::string_view word = take();
    if (word == "b") word = take();
    if (word != (is_send ? "to" : "from"))
      lines_.fail(word, is_send ? "a message without 'to' and the rank that gets it"
                                : "a message without 'from' and the rank that sends it");
    word = take();
    if (!is_send && word == "-1") return;  // from any rank
    const std::size_t other = rank_of_job(word);
    if (is_send) ranks_.send(*rank_, other, bytes);
  }

  /// What may be behind an operation: tag 5 cpu 0 nic 0.
  void read_places() {
    for (std::string_view word = take(); !word.empty(); word = take()) {
      if (word != "tag" && word != "cpu" && word != "nic") fail(word, "is too much in this line");
      const std::string_view number = take();
      if (!parse_integer(number))
        lines_.fail(number, fmt::format("'{}' without its number: '{}'", word, printable(number.substr(0, 40))));
    }
  }

  static constexpr std::string_view kSigns = "{}:";
  BlockLines lines_;
  RankTraces ranks_;
  std::string_view rest_;  ///< what is not read of the line
  bool in_comment_ = false;
  std::size_t world_ = 0;
  std::optional<std::size_t> rank_;  ///< whose schedule it is
};

}  // namespace

bool looks_like_goal(std::string_view head) {
  while (!head.empty()) {
    std::string_view line = trim(take_part(head, '\n'));
    if (line.empty() || line.starts_with("//")) continue;
    return take_word(line) == "num_ranks" && parse_integer(take_word(line)).has_value();
  }
  return false;
}

void read_goal(Input& file, std::vector<Trace>& traces) {
  Reader(file, traces).read();
}

}  // namespace topowise::training
