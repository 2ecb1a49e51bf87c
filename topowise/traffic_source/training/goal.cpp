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

#include <cstdint>
#include <optional>
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

class Reader {
 public:
  Reader(Input& file, std::vector<Trace>& traces) : lines_(file), ranks_(file, traces) {}

  void read() {
    while (lines_.next()) {
      std::string_view rest = lines_.line();
      rest = rest.substr(0, rest.find("//"));
      std::string_view word = take_word(rest);
      if (word == "num_ranks") {
        world_ = whole(take_word(rest), "a number of ranks", kMostRanks);
      } else if (word == "rank") {
        begin_rank(take_word(rest));
      } else if (word == "}") {
        rank_.reset();
      } else {
        if (word.ends_with(':')) word = take_word(rest);
        if (word == "send") read_send(rest);
      }
    }
    if (world_ == 0) lines_.fail({}, "no 'num_ranks'");
    if (rank_) lines_.fail({}, fmt::format("the schedule of rank {} does not end", *rank_));
    ranks_.set_world(world_);
  }

 private:
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
    if (word.ends_with('{')) word.remove_suffix(1);
    if (rank_) lines_.fail(word, fmt::format("the schedule of rank {} does not end", *rank_));
    rank_ = rank_of_job(word);
    (void)ranks_.of(*rank_);
  }

  void read_send(std::string_view rest) {
    if (!rank_) lines_.fail({}, "a message outside of the schedule of a rank");
    const std::string_view size = take_word(rest);
    const std::string_view number = size.ends_with('b') ? size.substr(0, size.size() - 1) : size;
    const std::optional<double> bytes = parse_double(number);
    if (!bytes || !(*bytes >= 0 && *bytes <= kMost))
      lines_.fail(size, fmt::format("'{}' is not a number of bytes, such as 10b", printable(size.substr(0, 40))));
    if (const std::string_view to = take_word(rest); to != "to")
      lines_.fail(to, "a message without 'to' and the rank that gets it");
    ranks_.send(*rank_, rank_of_job(take_word(rest)), *bytes);
  }

  BlockLines lines_;
  RankTraces ranks_;
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
