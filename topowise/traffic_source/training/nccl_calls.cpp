// SPDX-License-Identifier: BSD-3-Clause
// Logs of NCCL (2.4 or newer) and RCCL under NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,COLL. Each call of each rank
// is a line (src/enqueue.cc); each communicator is a line of each of its ranks (src/init.cc), since 2.18 with an id:
//   n1:7:9 [0] NCCL INFO comm 0x5 rank 0 nranks 8 cudaDev 0 nvmlDev 0 busId 1000 commId 0xab - Init COMPLETE
//   n1:7:9 [0] NCCL INFO ncclCommSplit comm 0x6 rank 0 nranks 2 ... parent 0x5 splitCount 1 color 0 key 0 - Init
//   COMPLETE (childCount in place of splitCount since NCCL 2.29)
//   n1:7:9 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x1 count 8 datatype 7 op 0 root 0 comm
//   0x5 [nranks=8] stream 0x1
// `count` is that of NCCL's function: of a member's part for AllGather and ReduceScatter. `root` of Send and Recv is
// the partner. Lines of any number of processes may be mixed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/block_lines.hpp>
#include <topowise/reading/natural_order.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/nccl_names.hpp>

namespace topowise::training {
namespace {

constexpr std::string_view kMark = "NCCL INFO ";
constexpr std::string_view kCall = ": opCount ";
constexpr std::string_view kHint = "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL";
constexpr double kMostCount = 0x1p53;
constexpr std::int64_t kMostRepeats = 1'000'000'000;
constexpr std::size_t kMostProcesses = std::size_t{1} << 20;

/// The value behind a word, as in "count 8"; empty if the word is not there.
std::string_view value_behind(std::string_view text, std::string_view word) {
  while (!text.empty())
    if (take_word(text) == word) return take_word(text);
  return {};
}

std::optional<std::size_t> count_behind(std::string_view text, std::string_view word) {
  const std::optional<std::int64_t> number = parse_integer(value_behind(text, word));
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

/// The process of a line by what is before the mark: "n1:7:9 [0]", with whatever a launcher puts before it. None where
/// a line of another process, which it cuts, may be glued to it.
struct Process {
  std::string_view host;
  std::string_view id;
  std::string_view device;
};

std::optional<Process> process_of(std::string_view before) {
  before = trim(before);
  if (!before.ends_with(']')) return std::nullopt;
  const std::size_t bracket = before.rfind('[');
  if (bracket == std::string_view::npos) return std::nullopt;
  Process process;
  process.device = before.substr(bracket + 1, before.size() - bracket - 2);
  before = trim(before.substr(0, bracket));
  std::string_view name = before.substr(before.find_last_of(" \t") + 1);
  const std::string_view launcher = trim(before.substr(0, before.size() - name.size()));
  if (launcher.find(trim(kMark)) != std::string_view::npos && !launcher.ends_with(trim(kMark))) return std::nullopt;
  const std::size_t thread = name.rfind(':');
  if (thread == std::string_view::npos) return std::nullopt;
  name = name.substr(0, thread);
  const std::size_t id = name.rfind(':');
  if (id == std::string_view::npos || id == 0) return std::nullopt;
  constexpr std::size_t kLongest = 256;
  process.host = name.substr(0, id).substr(0, kLongest);
  process.id = name.substr(id + 1).substr(0, kLongest);
  process.device = process.device.substr(0, kLongest);
  return process;
}

/// How many other lines Ray has left out for one that it prints: "[repeated 7x across cluster]".
std::size_t repeats_of(std::string_view text) {
  constexpr std::string_view kRepeated = "[repeated ";
  const std::size_t at = text.rfind(kRepeated);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + kRepeated.size());
  const std::optional<std::int64_t> times = parse_integer(text.substr(0, text.find('x')));
  return times && *times > 0 && *times <= kMostRepeats ? static_cast<std::size_t>(*times) : 0;
}

class Reader {
 public:
  Reader(Input& file, std::vector<Trace>& traces) : file_(file), lines_(file), traces_(traces), first_(traces.size()) {}

  void read() {
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      // Another process may have written into a line: what is behind the last mark is whole.
      const std::size_t mark = line.rfind(kMark);
      const std::string_view cut = line.substr(0, mark == std::string_view::npos ? line.size() : mark);
      if (cut.find(kCall) != std::string_view::npos) ++torn_;
      if (mark == std::string_view::npos) continue;
      const std::string_view text = line.substr(mark + kMark.size());
      const bool is_call = text.find(kCall) != std::string_view::npos;
      const bool is_init = text.find("comm 0x") != std::string_view::npos && text.find(" nranks ") < text.size();
      if (!is_call && !is_init) continue;
      repeated_ += repeats_of(text);
      const std::optional<Process> process = process_of(cut);
      if (!process)
        ++torn_;
      else if (is_call)
        read_call(*process, text);
      else
        read_communicator(*process, text);
    }
    finish();
  }

 private:
  /// A communicator as one process knows it.
  struct Communicator {
    std::size_t group = 0;  ///< index into Trace::groups
    std::string name;
  };
  using Key = std::tuple<std::string, std::string, std::string>;  ///< host, process, device

  /// The number of the process's trace, counted from first_.
  std::size_t trace_of(const Process& process) {
    Key key(process.host, process.id, process.device);
    const auto known = processes_.find(key);
    if (known != processes_.end()) return known->second;
    if (processes_.size() == kMostProcesses) lines_.fail({}, fmt::format("more than {} processes", kMostProcesses));
    const std::size_t number = processes_.size();
    Trace& trace = traces_.emplace_back();
    trace.where = file_.where();
    trace.process = fmt::format("process {} of {}, device {}", printable(process.id), printable(process.host),
                                printable(process.device));
    processes_.emplace(std::move(key), number);
    return number;
  }

  Trace& trace(std::size_t number) { return traces_[first_ + number]; }

  static std::string unnamed(std::size_t ranks) { return fmt::format("communicator of {} ranks", ranks); }

  /// Says where a process is in a communicator. Without an id those of one size cannot be told apart.
  void set_position(std::size_t number, const std::string& name, std::optional<std::size_t> rank, std::size_t ranks,
                    bool has_id) {
    Trace& known = trace(number);
    const std::size_t index = known.group_named(name);
    Group& group = known.groups[index];
    const bool other = group.size != 0 && (group.size != ranks || (rank && group.position && group.position != rank));
    if (other && has_id) lines_.fail({}, fmt::format("communicator {} has another size or rank before", name));
    if (other) ambiguous_.insert(name);
    group.size = ranks;
    if (rank) group.position = rank;
    if (rank) located_ = true;
    if (!has_id && rank) {
      const auto [at, is_new] = at_position_.try_emplace({name, *rank}, number);
      if (!is_new && at->second != number) ambiguous_.insert(name);
    }
  }

  void read_communicator(const Process& process, std::string_view text) {
    const std::optional<std::size_t> rank = count_behind(text, "rank");
    const std::optional<std::size_t> ranks = count_behind(text, "nranks");
    const std::string pointer(value_behind(text, "comm"));
    if (!rank || !ranks || pointer.empty()) {
      ++torn_;
      return;
    }
    if (*ranks == 0 || *ranks > kMostRanks || *rank >= *ranks)
      lines_.fail({}, fmt::format("rank {} of a communicator of {} ranks", *rank, *ranks));
    const std::size_t number = trace_of(process);
    // The line that ends a communicator names neither its id nor its parent.
    if (ends_communicator(text) && communicators_.erase({number, pointer}) > 0) return;
    std::string name = unnamed(*ranks);
    bool has_id = true;
    const std::string id(value_behind(text, "commId"));
    const auto parent = communicators_.find({number, std::string(value_behind(text, "parent"))});
    if (!id.empty())
      name = id;
    else if (parent != communicators_.end() && !split_of(text).empty())
      name = fmt::format("{}, split {}, color {}", parent->second.name, split_of(text), value_behind(text, "color"));
    else
      has_id = false;
    set_position(number, name, rank, *ranks, has_id);
    communicators_[{number, pointer}] = {trace(number).group_named(name), name};
  }

  static bool ends_communicator(std::string_view text) {
    return text.find("Destroy COMPLETE") != std::string_view::npos ||
           text.find("Abort COMPLETE") != std::string_view::npos;
  }

  /// Which split of its parent makes a communicator, in the words before NCCL 2.29 and since.
  static std::string_view split_of(std::string_view text) {
    const std::string_view before = value_behind(text, "splitCount");
    return before.empty() ? value_behind(text, "childCount") : before;
  }

  /// The number in "[nranks=8]".
  static std::optional<std::int64_t> ranks_of_call(std::string_view text) {
    constexpr std::string_view kRanks = "[nranks=";
    const std::size_t at = text.find(kRanks);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + kRanks.size());
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    return parse_integer(text.substr(0, end));
  }

  void read_call(const Process& process, std::string_view text) {
    // Words may be before the name, such as the rank.
    std::string_view name = trim(text.substr(0, text.find(kCall)));
    name.remove_prefix(name.find_last_of(" \t") + 1);
    const std::optional<double> count = parse_double(value_behind(text, "count"));
    const std::string_view type = value_behind(text, "datatype");
    const std::optional<std::size_t> root = count_behind(text, "root");
    const std::string pointer(value_behind(text, "comm"));
    const std::optional<std::int64_t> ranks = ranks_of_call(text);
    const bool has_two_calls = text.find(kCall) != text.rfind(kCall);
    if (has_two_calls || !count || type.empty() || !root || pointer.empty() || !ranks) {
      ++torn_;
      return;
    }
    if (!(*count >= 0 && *count <= kMostCount) || *ranks < 1 || *ranks > static_cast<std::int64_t>(kMostRanks))
      lines_.fail({}, fmt::format("a call of {} numbers by {} ranks", *count, *ranks));
    const std::size_t number = trace_of(process);
    const std::size_t group = group_of_call(number, pointer, static_cast<std::size_t>(*ranks), text);
    Trace& known = trace(number);
    const double bytes = *count * nccl_type_bytes(type);
    ++calls_;
    if (bytes == 0 && *count > 0) {
      ++known.left_out[fmt::format("calls whose type of numbers, '{}', is not known here",
                                   printable(type.substr(0, 20)))];
      return;
    }
    add_nccl_call(known, group, name, *root, bytes);
  }

  std::size_t group_of_call(std::size_t number, const std::string& pointer, std::size_t ranks, std::string_view text) {
    const auto known = communicators_.find({number, pointer});
    if (known != communicators_.end()) return known->second.group;
    // No line says what the communicator is. RCCL names the rank with the call.
    const std::string name = unnamed(ranks);
    set_position(number, name, count_behind(text, "globalrank"), ranks, false);
    return trace(number).group_named(name);
  }

  void finish() {
    if (calls_ == 0)
      throw Error(ExitStatus::bad_input,
                  {Diagnostic{file_.where(), {}, "a log of NCCL without calls", {}, std::string(kHint)}});
    if (torn_ > 0) trace(0).left_out["lines that another process's line cuts, or that miss a part"] += torn_;
    if (repeated_ > 0) trace(0).left_out["lines that Ray took for repeats (RAY_DEDUP_LOGS=0 keeps them)"] += repeated_;
    if (!located_) return assume_order();
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      for (Group& group : trace(i).groups)
        if (ambiguous_.contains(group.name)) group.position.reset();
    }
  }

  /// The log does not say which rank a process is. If it has as many processes as the largest communicator, they are
  /// taken in the order of their hosts and devices.
  void assume_order() {
    std::vector<std::pair<Key, std::size_t>> order(processes_.begin(), processes_.end());
    std::ranges::sort(order, [](const auto& a, const auto& b) {
      const auto& [a_host, a_process, a_device] = a.first;
      const auto& [b_host, b_process, b_device] = b.first;
      if (a_host != b_host) return NaturalOrder()(a_host, b_host);
      if (a_device != b_device) return NaturalOrder()(a_device, b_device);
      return NaturalOrder()(a_process, b_process);
    });
    std::size_t largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const Group& group : trace(i).groups) largest = std::max(largest, group.size);
    if (largest != order.size())
      throw Error(
          ExitStatus::bad_input,
          {Diagnostic{file_.where(),
                      {},
                      fmt::format("no line says which ranks its {} processes are, and a communicator has {} ranks",
                                  order.size(), largest),
                      {},
                      std::string(kHint)}});
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      Trace& known = trace(order[rank].second);
      known.rank = rank;
      known.world = largest;
    }
    trace(0).doubts.insert(
        "no line says which rank a process is ('Init COMPLETE'): ranks are taken in the order of hosts "
        "and devices");
  }

  Input& file_;
  BlockLines lines_;
  std::vector<Trace>& traces_;
  std::size_t first_;                                                          ///< the first trace of this file
  std::map<Key, std::size_t> processes_;                                       ///< the number of their traces
  std::map<std::pair<std::size_t, std::string>, Communicator> communicators_;  ///< (trace, pointer)
  std::map<std::pair<std::string, std::size_t>, std::size_t> at_position_;     ///< (name, rank): the trace
  std::set<std::string> ambiguous_;  ///< names that several communicators have
  bool located_ = false;             ///< a line says which rank a process is
  std::size_t calls_ = 0;
  std::size_t torn_ = 0;
  std::size_t repeated_ = 0;  ///< lines that Ray has left out
};

}  // namespace

bool looks_like_nccl_calls(std::string_view head) {
  const std::size_t mark = head.find(kMark);
  if (mark == std::string_view::npos) return false;
  if (head.find(kCall, mark) != std::string_view::npos) return true;
  // Many ranks write more about their start than the beginning of a file holds.
  return head.size() >= Input::kHead && head.find(" nranks ", mark) != std::string_view::npos;
}

void refuse_nccl_log_without_calls(const std::string& where, std::string_view head) {
  if (head.find(kMark) == std::string_view::npos || begins_with_object(head) || looks_like_nccl_calls(head)) return;
  const std::string_view what =
      head.size() < Input::kHead ? "this log of NCCL has no calls" : "the beginning of this log of NCCL has no calls";
  throw wrong_input(where, fmt::format("{}, where traffic is asked for", what), std::string(kHint));
}

void read_nccl_calls(Input& file, std::vector<Trace>& traces) {
  Reader(file, traces).read();
}

}  // namespace topowise::training
