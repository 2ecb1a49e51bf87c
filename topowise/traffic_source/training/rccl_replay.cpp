// SPDX-License-Identifier: BSD-3-Clause
// What RCCL's recorder writes for RCCL_REPLAY_FILE=NAME.json (src/misc/recorder.cc of RCCL 2.22 and newer): a file a
// process, in lines that look like JSON and are none:
//   CommInitDev : [comm : 0x5, size : 8, uniqueID : 77, rank : 3, dev : 3, context : [time : 1.5, ...]],
//   CommSplit : [comm : 0x5, color : 0, key : 3, newcomm : 0x6, context : [time : 1.5, ...]],
//   AllReduce : [opCount : 0, sendbuff : [addr : 0x7, ...], ..., count : 10, datatype : 7, op : 0, root : 0, comm :
//   0x5, nranks : 8, stream : 0x1, task : 1, globalrank : 3, context : [time : 1.5, ..., captured : 0, graphID : 0 ]],
// `root` of Send and Recv is the partner. A call that a graph captures has `captured : 1`, and each launch writes it
// once more.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/block_lines.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/nccl_names.hpp>

namespace topowise::training {
namespace {

constexpr std::string_view kOpening = " : [";
constexpr double kMostCount = 0x1p53;

/// The value behind "count : ", where it begins a member; empty if there is none.
std::string_view member(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    const std::string_view before = line.substr(0, at);
    std::string_view rest = line.substr(at + key.size());
    if (!rest.starts_with(" : ") || !(before.ends_with(", ") || before.ends_with("["))) continue;
    rest.remove_prefix(3);
    return trim(rest.substr(0, rest.find_first_of(",]")));
  }
  return {};
}

std::optional<std::size_t> count_of(std::string_view line, std::string_view key) {
  const std::optional<std::int64_t> number = parse_integer(member(line, key));
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

class Reader {
 public:
  Reader(Input& file, Trace& trace) : lines_(file), trace_(trace) {}

  void read() {
    trace_.process = trace_.where;
    while (lines_.next()) {
      const std::string_view line = trim(lines_.line());
      const std::size_t opening = line.find(kOpening);
      if (opening == std::string_view::npos) continue;
      const std::string_view name = line.substr(0, opening);
      if (name == "CommInitDev") read_communicator(line);
      if (name == "CommSplit") read_split(line);
      if (line.find("[opCount : ") != std::string_view::npos) read_call(name, line);
    }
    if (calls_ == 0) lines_.fail({}, "a recording of RCCL without calls");
  }

 private:
  void read_communicator(std::string_view line) {
    const std::optional<std::size_t> size = count_of(line, "size");
    const std::optional<std::size_t> rank = count_of(line, "rank");
    const std::string_view id = member(line, "uniqueID");
    if (!size || !rank || id.empty()) lines_.fail({}, "a communicator without its size, rank or uniqueID");
    if (*size == 0 || *size > kMostRanks || *rank >= *size)
      lines_.fail({}, fmt::format("rank {} of a communicator of {} ranks", *rank, *size));
    set_position(fmt::format("communicator {}", printable(id.substr(0, 40))), *rank, *size, member(line, "comm"));
  }

  /// All ranks of a communicator split it in the same order.
  void read_split(std::string_view line) {
    const auto parent = group_of_.find(std::string(member(line, "comm")));
    const std::string_view pointer = member(line, "newcomm");
    if (parent == group_of_.end() || pointer.empty() || splits_.size() == kMostGroups) return;
    const std::string name = trace_.groups[parent->second].name;
    const std::size_t number = ++splits_of_[name];
    splits_.insert_or_assign(std::string(pointer), fmt::format("{}, split {}, color {}", name, number,
                                                               printable(member(line, "color").substr(0, 20))));
  }

  void set_position(const std::string& name, std::size_t rank, std::size_t size, std::string_view pointer) {
    const std::size_t index = trace_.group_named(name);
    Group& group = trace_.groups[index];
    if (group.size != 0 && (group.size != size || group.position != rank))
      lines_.fail({}, fmt::format("{} has another size or rank before", name));
    group.size = size;
    group.position = rank;
    group_of_.insert_or_assign(std::string(pointer), index);
  }

  void read_call(std::string_view name, std::string_view line) {
    const std::optional<double> count = parse_double(member(line, "count"));
    const std::optional<std::size_t> root = count_of(line, "root");
    const std::optional<std::size_t> ranks = count_of(line, "nranks");
    const std::optional<std::size_t> rank = count_of(line, "globalrank");
    const std::string_view pointer = member(line, "comm");
    if (!count || !root || !ranks || !rank || pointer.empty())
      lines_.fail({}, "a call without its count, root, nranks, globalrank or comm");
    if (!(*count >= 0 && *count <= kMostCount) || *ranks == 0 || *ranks > kMostRanks || *rank >= *ranks)
      lines_.fail({}, fmt::format("a call of {} numbers by rank {} of {}", *count, *rank, *ranks));
    ++calls_;
    if (member(line, "captured") == "1") return;  // what is captured is not done yet
    const std::string key(pointer);
    if (const auto split = splits_.find(key); split != splits_.end()) {
      set_position(split->second, *rank, *ranks, key);
      splits_.erase(split);
    }
    if (!group_of_.contains(key)) {
      ++trace_.left_out["calls on communicators whose beginning is not recorded"];
      return;
    }
    const double size = nccl_type_bytes(member(line, "datatype"));
    if (size == 0 && *count > 0)
      ++trace_.left_out[fmt::format("calls whose type of numbers, '{}', is not known here",
                                    printable(member(line, "datatype").substr(0, 20)))];
    else
      add_nccl_call(trace_, group_of_.at(key), name, *root, *count * size);
  }

  BlockLines lines_;
  Trace& trace_;
  std::map<std::string, std::size_t> group_of_;   ///< by the pointer of the communicator
  std::map<std::string, std::string> splits_;     ///< the names of those that no call has used, by their pointers
  std::map<std::string, std::size_t> splits_of_;  ///< how often a communicator was split, by its name
  std::size_t calls_ = 0;
};

}  // namespace

bool looks_like_rccl_replay(std::string_view head) {
  return begins_with_object(head) && head.find("version : ") != std::string_view::npos &&
         head.find(kOpening) != std::string_view::npos;
}

void read_rccl_replay(Input& file, Trace& trace) {
  Reader(file, trace).read();
}

}  // namespace topowise::training
