// SPDX-License-Identifier: BSD-3-Clause
// Execution traces of PyTorch (torch.profiler.ExecutionTraceObserver), schema 1.1.1-chakra.0.0.4 and similar ones. The
// node "## process_group:init ##" lists the process groups, as JSON within a text. A call of a back-end is a node
// `record_param_comms`. Its `attrs` say what the call was, and its fourth input says which rank made it (PyTorch's
// execution_trace_observer.cpp). The file does not say whose it is: that follows from the groups and from the rank in
// each, else from the file's name.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/reading/json_events.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/torch_calls.hpp>

namespace topowise::training {
namespace {

struct ListedGroup {
  std::string name;
  std::size_t size = 0;
  std::vector<std::size_t> ranks;  ///< empty for the group of all ranks
};

/// Reads [{"pg_name": "0", "pg_desc": "default_pg", "ranks": [], "group_size": 8, "group_count": 3}, ...].
class GroupsVisitor : public JsonVisitor {
 public:
  std::vector<ListedGroup> groups;

  void begin(const JsonPath& path) override {
    if (path.size() == 1) groups.emplace_back();
  }
  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (path.size() < 2 || groups.empty()) return;
    ListedGroup& group = groups.back();
    const std::optional<std::uint64_t> count = value.count();
    if (path.key(1) == "pg_name") group.name = value.text;
    if (path.key(1) != "group_size" && path.key(1) != "ranks") return;
    if (!count || *count > kMostRanks) fail("not a rank of a job");
    if (path.key(1) == "ranks")
      group.ranks.push_back(*count);
    else
      group.size = *count;
  }
};

class ExecutionVisitor : public JsonVisitor {
 public:
  explicit ExecutionVisitor(Trace& trace) : trace_(trace) {}

  void begin(const JsonPath& path) override {
    if (path.size() == 2 && path.key(0) == "nodes") {
      name_.clear();
      number_.reset();
      call_ = {};
    }
  }

  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (path.size() == 1 && path.key(0) == "pid" && value.kind == JsonScalar::Kind::number)
      trace_.process = fmt::format("process {:.0f}", value.number);
    if (path.size() == 1 && path.key(0) == "start_ts") trace_.recordings = {fmt::format("{:.0f}", value.number)};
    if (path.size() < 3 || path.key(0) != "nodes") return;
    if (path.size() == 3 && path.key(2) == "name") {
      name_ = value.text;
    } else if (path.size() == 5 && path.key(2) == "attrs" && name_ == kCall) {
      attribute(path.key(4), value);
    } else if (path.size() == 5 && path.key(2) == "inputs" && path.key(3) == "values") {
      input(path.place(4), value);
    }
  }

  void end(const JsonPath& path) override {
    if (path.size() != 2 || path.key(0) != "nodes" || name_ != kCall) return;
    if (call_.collective.empty())
      fail("a node 'record_param_comms' without 'collective_name', as PyTorch wrote it before 2.4",
           "record the trace with a newer PyTorch");
    const std::string wrong = add_call(call_, trace_);
    if (!wrong.empty()) fail(wrong);
    ++calls_;
    if (rank_is_own(call_) && call_.rank) own_.emplace_back(trace_.group_named(call_.group), *call_.rank);
    if (own_.size() > kEnough) own_.pop_back();
  }

  void finish(const std::string& where) {
    for (const ListedGroup& group : groups_)
      if (group.ranks.empty()) trace_.world = std::max(trace_.world, group.size);
    for (ListedGroup& group : groups_) set_group(trace_, group.name, std::move(group.ranks), group.size);
    for (const auto& [group, position] : own_) {
      const std::vector<std::size_t>& ranks = trace_.groups[group].ranks;
      if (position < ranks.size()) trace_.rank = ranks[position];
    }
    if (!trace_.rank) trace_.rank = rank_in_name(where);
    if (calls_ == 0 && groups_.empty())
      throw Error(ExitStatus::bad_input,
                  {Diagnostic{where,
                              {},
                              "an execution trace without process groups: of a process that was not part of a job",
                              {},
                              "record after torch.distributed.init_process_group()"}});
  }

 private:
  static constexpr std::string_view kCall = "record_param_comms";
  static constexpr std::size_t kEnough = 16;

  void attribute(std::string_view key, const JsonScalar& value) {
    if (key == "name") attribute_ = value.text;
    if (key != "value") return;
    if (attribute_ == "collective_name") call_.collective = value.text;
    if (attribute_ == "dtype") call_.type = value.text;
    if (attribute_ == "in_msg_nelems") call_.in_elements = Count(value);
    if (attribute_ == "out_msg_nelems") call_.out_elements = Count(value);
    if (attribute_ == "in_split_size") call_.in_split = value.text;
    if (attribute_ == "pg_name") call_.group = value.text;
    if (attribute_ == "pg_size") call_.group_size = value.count();
    if (attribute_ == "global_rank_start") call_.start = value.count();
    if (attribute_ == "global_rank_stride") call_.stride = value.count();
  }

  void input(std::size_t place, const JsonScalar& value) {
    if (name_ == "## process_group:init ##" && place == 0 && value.kind == JsonScalar::Kind::text)
      read_groups(value.text);
    if (name_ != kCall) return;
    // The inputs are tensors if there are any, then sequence number, group, rank, name of the collective, ...
    if (value.kind == JsonScalar::Kind::number) number_ = value.count();
    if (value.kind == JsonScalar::Kind::text && !call_.rank) call_.rank = number_;
  }

  void read_groups(std::string_view text) {
    Input bytes = Input::of_text(trace_.where, text);
    GroupsVisitor visitor;
    try {
      read_json_events(bytes, visitor);
    } catch (const Error& error) {
      fail("the list of process groups: " + error.diagnostics().front().what);
    }
    groups_.insert(groups_.end(), visitor.groups.begin(), visitor.groups.end());
  }

  Trace& trace_;
  std::string name_;
  std::string attribute_;
  std::optional<std::uint64_t> number_;  ///< the last number among the inputs
  TorchCall call_;
  std::size_t calls_ = 0;
  std::vector<ListedGroup> groups_;
  std::vector<std::pair<std::size_t, std::size_t>> own_;  ///< (group, position of this process in it)
};

}  // namespace

bool looks_like_execution_trace(std::string_view head) {
  if (!begins_with_object(head)) return false;
  return head.find("\"schema\"") != std::string_view::npos && head.find("\"nodes\"") != std::string_view::npos &&
         head.find("topowise.") == std::string_view::npos;
}

void read_execution_trace(Input& file, Trace& trace) {
  ExecutionVisitor visitor(trace);
  read_json_events(file, visitor);
  visitor.finish(trace.where);
}

}  // namespace topowise::training
