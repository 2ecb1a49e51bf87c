// SPDX-License-Identifier: BSD-3-Clause
// Logs of the Inspector of NCCL (since 2.28) and of RCCL: JSON lines, one record for each operation, one file for each
// process. The header names the communicator by its hash, and this process's rank in it. The communicator of all
// processes says which rank of the job that is. A record has no root, so rooted operations are taken to be rooted at
// rank 0.
//
// coll_msg_size_bytes is the count that NCCL's function was given, in bytes: that of a member's part for AllGather and
// ReduceScatter, that of the vector for the others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/json_events.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/torch_calls.hpp>

namespace topowise::training {
namespace {

using profile::Operation;

struct Name {
  std::string_view name;
  Operation operation;
};

constexpr std::array kNames{
    Name{"AllReduce", Operation::allreduce}, Name{"AllGather", Operation::allgather},
    Name{"Broadcast", Operation::bcast},     Name{"ReduceScatter", Operation::reduce_scatter_block},
    Name{"Reduce", Operation::reduce},
};

class InspectorVisitor : public JsonVisitor {
 public:
  explicit InspectorVisitor(Trace& trace) : trace_(trace) {}

  void begin(const JsonPath& path) override {
    if (path.size() == 0) record_ = {};
  }

  void end(const JsonPath& path) override {
    if (path.size() == 0) end_record();
  }

  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (path.size() != 2) return;
    const std::string_view key = path.key(1);
    const std::optional<std::uint64_t> count = value.count();
    if (path.key(0) == "header") {
      if (key == "id") record_.communicator = value.text;
      if (key == "rank") record_.rank = count;
      if (key == "n_ranks") record_.ranks = count;
    } else if (path.key(0) == "metadata") {
      if (key == "hostname") record_.host = value.text;
      if (key == "pid" && count) record_.process = *count;
      if (key == "dump_timestamp_us" && count && trace_.recordings.empty())
        trace_.recordings = {fmt::format("{}", *count)};
    } else if (path.key(0) == "coll_perf" || path.key(0) == "p2p_perf") {
      if (key == "coll") record_.collective = value.text;
      if (key == "p2p") record_.message = value.text;
      if (key == "p2p_peer") record_.peer = count;
      if (key == "coll_msg_size_bytes" || key == "p2p_msg_size_bytes") record_.bytes = Count(value);
    } else if (path.key(0) == "dump_stats" && count && key.ends_with("_dropped_since_last_dump") && *count > 0) {
      trace_.left_out["operations that the Inspector's ring had no room for"] += *count;
    }
  }

  void finish(const std::string& where) const {
    if (trace_.process.empty())
      throw Error(ExitStatus::bad_input, {Diagnostic{where, {}, "no records of operations", {}, {}}});
  }

 private:
  struct Record {
    std::string communicator;
    std::optional<std::uint64_t> rank;
    std::optional<std::uint64_t> ranks;
    std::string host;
    std::uint64_t process = 0;
    std::string collective;
    std::string message;  ///< "Send" or "Recv"
    std::optional<std::uint64_t> peer;
    Count bytes;
  };

  void end_record() {
    const bool has_header = !record_.communicator.empty() || record_.rank || record_.ranks;
    if (record_.collective.empty() && record_.message.empty()) {
      if (has_header) dump_ = record_;
      return;
    }
    if (!has_header) take_header_of_dump();
    if (record_.communicator.empty() || !record_.rank || !record_.ranks || *record_.ranks > kMostRanks ||
        *record_.rank >= *record_.ranks)
      fail("a record without the id, rank and n_ranks of its communicator");
    if (!record_.bytes.value && record_.bytes.instead.empty()) fail("a record without its size in bytes");
    if (!record_.bytes.value)
      fail(fmt::format("a record of {} bytes: not a whole number from 0 to 2^53", record_.bytes.instead));
    const std::string process = fmt::format("process {} of {}", record_.process, record_.host);
    if (trace_.process.empty()) trace_.process = process;
    if (trace_.process != process) fail("a record of another process in the same file");
    const std::size_t index = trace_.group_named(record_.communicator);
    Group& group = trace_.groups[index];
    if (group.position) check_same(group);
    group.size = *record_.ranks;
    group.position = *record_.rank;
    add(index);
  }

  /// Since format v4.3 only the record that begins a dump has a header; the records behind it belong to that.
  void take_header_of_dump() {
    record_.communicator = dump_.communicator;
    record_.rank = dump_.rank;
    record_.ranks = dump_.ranks;
    record_.host = dump_.host;
    record_.process = dump_.process;
  }

  /// Checks that all records of a communicator say the same about it.
  void check_same(const Group& group) const {
    if (group.size != *record_.ranks)
      fail(fmt::format("communicator {} has {} ranks here, and {} before", printable(record_.communicator),
                       *record_.ranks, group.size));
    if (*group.position != *record_.rank)
      fail(fmt::format("the process is rank {} of communicator {} here, and rank {} before", *record_.rank,
                       printable(record_.communicator), *group.position),
           "a process that drives several GPUs cannot be read: one process a GPU");
  }

  void add(std::size_t group) {
    const auto bytes = static_cast<double>(*record_.bytes.value);
    if (record_.collective.empty()) {
      if (!record_.peer) fail("a message without its peer");
      if (*record_.peer >= *record_.ranks)
        fail(fmt::format("a message with peer {} in a communicator of {}", *record_.peer, *record_.ranks));
      if (record_.message != "Send" && record_.message != "Recv")
        fail(fmt::format("unknown operation '{}'", printable(record_.message)));
      (record_.message == "Send" ? trace_.sent : trace_.received)[{group, *record_.peer}] += {bytes, 1};
      return;
    }
    const auto name = std::ranges::find(kNames, record_.collective, &Name::name);
    if (name == kNames.end()) {
      ++trace_.left_out[fmt::format("calls of '{}', which is not known here",
                                    printable(std::string_view(record_.collective).substr(0, 40)))];
      return;
    }
    trace_.add({group, name->operation, 0, bytes});
  }

  Trace& trace_;
  Record record_;
  Record dump_;  ///< the last record with a header and without an operation
};

}  // namespace

bool looks_like_inspector(std::string_view head) {
  if (!begins_with_object(head)) return false;
  return head.find("\"inspector_output_format_version\"") != std::string_view::npos;
}

void read_inspector(Input& file, Trace& trace) {
  InspectorVisitor visitor(trace);
  read_json_events(file, visitor, JsonValues::several);
  visitor.finish(trace.where);
}

}  // namespace topowise::training
