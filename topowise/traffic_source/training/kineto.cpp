// SPDX-License-Identifier: BSD-3-Clause
// Traces of torch.profiler in the Chrome trace format, as Kineto writes them. `distributedInfo` says which rank this
// is, and to which process groups it belongs. Each call of a back-end is an event `record_param_comms` whose `args` say
// what went where (saveNcclMeta in torch/csrc/profiler). Kernels repeat these arguments and are skipped.
//
// The back-end gloo records no such events. Its own events (`gloo:all_reduce` with the shape of the tensor) do not name
// their process group. So they count only where a job has one process group.
#include <fmt/format.h>

#include <algorithm>
#include <array>
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

struct GlooName {
  std::string_view event;
  std::string_view collective;  ///< empty: the event does not say enough
};

constexpr std::array kGlooNames{
    GlooName{"gloo:all_reduce", "allreduce"},
    GlooName{"gloo:all_gather", "all_gather"},
    GlooName{"gloo:send", "send"},
    GlooName{"gloo:recv", "recv"},
    GlooName{"gloo:barrier", "barrier"},
    GlooName{"gloo:broadcast", {}},
    GlooName{"gloo:reduce", {}},
    GlooName{"gloo:gather", {}},
    GlooName{"gloo:scatter", {}},
    GlooName{"gloo:all_to_all", {}},
};

class KinetoVisitor : public JsonVisitor {
 public:
  explicit KinetoVisitor(Trace& trace) : trace_(trace) {}

  void begin(const JsonPath& path) override {
    if (path.size() == 2 && path.key(0) == "traceEvents") begin_event();
    if (path.size() == 3 && path.key(1) == "pg_config") listed_ = {};
  }

  void end(const JsonPath& path) override {
    if (path.size() == 2 && path.key(0) == "traceEvents") end_event();
    if (path.size() == 3 && path.key(1) == "pg_config") groups_.push_back(listed_);
  }

  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (path.size() == 1 && path.key(0) == "trace_id") trace_.recordings = {std::string(value.text)};
    if (path.size() < 2) return;
    if (path.key(0) == "traceEvents") return in_event(path, value);
    if (path.key(0) == "distributedInfo") in_job(path, value);
  }

  void finish(const std::string& where) {
    if (!trace_.rank)
      throw Error(ExitStatus::bad_input, {Diagnostic{where,
                                                     {},
                                                     "a trace without 'distributedInfo': of a process that was not "
                                                     "part of a job of torch.distributed",
                                                     {},
                                                     "profile after torch.distributed.init_process_group()"}});
    for (ListedGroup& group : groups_) set_group(trace_, group.name, std::move(group.ranks), group.size);
    if (calls_ == 0 && gloo_calls_ > 0) take_gloo(where);
  }

 private:
  enum class Event : std::uint8_t { unknown, call, gloo, partner, other };
  struct ListedGroup {
    std::string name;
    std::size_t size = 0;
    std::vector<std::size_t> ranks;
  };

  void begin_event() {
    event_ = Event::unknown;
    call_ = {};
    elements_.reset();
  }

  void in_job(const JsonPath& path, const JsonScalar& value) {
    const std::string_view key = path.key(1);
    const std::optional<std::uint64_t> count = value.count();
    if (path.size() == 2 && (key == "rank" || key == "world_size")) {
      if (!count || *count > kMostRanks) fail("not a rank of a job");
      if (key == "rank") trace_.rank = *count;
      if (key == "world_size") trace_.world = *count;
    }
    if (key != "pg_config" || path.size() < 4) return;
    if (path.key(3) == "pg_name") listed_.name = value.text;
    if (path.key(3) == "pg_size" && count) listed_.size = *count;
    if (path.key(3) == "ranks" && path.size() == 5) {
      if (!count || *count >= kMostRanks) fail("not a rank of a job");
      listed_.ranks.push_back(*count);
    }
  }

  void in_event(const JsonPath& path, const JsonScalar& value) {
    const std::string_view key = path.key(2);
    if (path.size() == 3) {
      if (key == "name") name_event(value.text);
      if (key == "pid") pid_ = value.kind == JsonScalar::Kind::number ? value.number : 0;
      return;
    }
    if (key != "args" || event_ == Event::other) return;
    if (path.size() == 4)
      in_call(path.key(3), value);
    else if (event_ == Event::gloo || event_ == Event::partner)
      in_shape(path, value);
  }

  void name_event(std::string_view name) {
    event_ = Event::other;
    if (name == "record_param_comms") event_ = Event::call;
    if (name == "c10d::send" || name == "c10d::recv_") event_ = Event::partner;
    if (!name.starts_with("gloo:")) return;
    const auto gloo = std::ranges::find(kGlooNames, name, &GlooName::event);
    if (gloo == kGlooNames.end()) return;
    event_ = Event::gloo;
    call_.collective = gloo->collective;
  }

  void in_call(std::string_view key, const JsonScalar& value) {
    if (event_ != Event::call && event_ != Event::unknown) return;
    if (key == "Collective name") call_.collective = value.text;
    if (key == "dtype") call_.type = value.text;
    if (key == "In msg nelems") call_.in_elements = Count(value);
    if (key == "Out msg nelems") call_.out_elements = Count(value);
    if (key == "In split size") call_.in_split = value.text;
    if (key == "Process Group Name") call_.group = value.text;
    if (key == "Process Group Ranks") call_.group_ranks = value.text;
    if (key == "Group size") call_.group_size = value.count();
    if (key == "Rank") call_.rank = value.count();
    if (key == "Global rank start") call_.start = value.count();
    if (key == "Global rank stride") call_.stride = value.count();
  }

  /// Reads "Input Dims": [[4, 64]], "Input type": ["float"], "Concrete Inputs": ["", "", "2", "0"].
  void in_shape(const JsonPath& path, const JsonScalar& value) {
    const std::string_view key = path.key(3);
    if (key == "Input type" && path.place(4) == 0) call_.type = value.text;
    if (key == "Concrete Inputs" && path.place(4) == 2 && event_ == Event::partner) partner_ = value.count();
    if (key == "Input Dims" && path.size() == 6 && path.place(4) == 0) {
      const std::optional<std::uint64_t> extent = value.count();
      if (extent) elements_ = elements_.value_or(1) * static_cast<double>(*extent);
    }
  }

  void end_event() {
    if (event_ == Event::gloo) return end_gloo();
    if (event_ != Event::call) return;
    if (call_.collective.empty())
      fail("an event 'record_param_comms' without 'Collective name', as PyTorch wrote it before 2.2",
           "record the trace with a newer PyTorch");
    const std::string wrong = add_call(call_, trace_);
    if (!wrong.empty()) fail(wrong);
    ++calls_;
    note_process();
  }

  void end_gloo() {
    ++gloo_calls_;
    note_process();
    if (call_.collective.empty()) {
      ++gloo_.left_out["calls of gloo that do not record their root or their splits"];
      return;
    }
    if (!elements_ && call_.collective != "barrier") {
      ++without_shape_;
      return;
    }
    with_shape_ = true;
    constexpr double kMost = 0x1p53;
    call_.in_elements.value = call_.out_elements.value =
        static_cast<std::uint64_t>(std::min(elements_.value_or(0), kMost));
    call_.rank = partner_;
    const std::string wrong = add_call(call_, gloo_);
    if (!wrong.empty()) ++gloo_.left_out["calls of gloo: " + wrong];
  }

  void note_process() {
    if (trace_.process.empty() && pid_ > 0) trace_.process = fmt::format("process {:.0f}", pid_);
  }

  void take_gloo(const std::string& where) {
    if (groups_.size() > 1)
      throw Error(ExitStatus::bad_input,
                  {Diagnostic{where,
                              {},
                              fmt::format("the calls of back-end gloo do not name their process group, and this rank "
                                          "belongs to {}",
                                          groups_.size()),
                              {},
                              "record on GPUs with NCCL, whose calls do"}});
    if (without_shape_ > 0 && with_shape_)
      trace_.left_out["calls of gloo that ran on when the trace ended"] += without_shape_;
    if (without_shape_ > 0 && !with_shape_)
      throw Error(ExitStatus::bad_input, {Diagnostic{where,
                                                     {},
                                                     "the calls of back-end gloo are recorded without the shape of "
                                                     "their tensors",
                                                     {},
                                                     "torch.profiler.profile(record_shapes=True)"}});
    const std::size_t group = groups_.empty() ? trace_.group_named("0") : trace_.group_named(groups_.front().name);
    if (groups_.empty()) set_group(trace_, "0", {}, trace_.world);
    for (const auto& [call, times] : gloo_.calls) trace_.add({group, call.operation, 0, call.bytes}, times);
    for (const auto& [partner, amount] : gloo_.sent) trace_.sent[{group, partner.second}] += amount;
    for (const auto& [partner, amount] : gloo_.received) trace_.received[{group, partner.second}] += amount;
    for (const auto& [why, calls] : gloo_.left_out) trace_.left_out[why] += calls;
    for (const auto& [name, calls] : gloo_.rootless) trace_.rootless[name] += calls;
    trace_.cut_splits += gloo_.cut_splits;
  }

  Trace& trace_;
  Event event_ = Event::unknown;
  TorchCall call_;
  std::size_t calls_ = 0;
  double pid_ = 0;
  ListedGroup listed_;
  std::vector<ListedGroup> groups_;
  Trace gloo_;  ///< the trace by gloo's events, with one group
  std::size_t gloo_calls_ = 0;
  std::optional<double> elements_;
  std::optional<std::uint64_t> partner_;  ///< partner of c10d::send, which contains gloo:send
  std::size_t without_shape_ = 0;
  bool with_shape_ = false;
};

}  // namespace

bool looks_like_kineto(std::string_view head) {
  if (!begins_with_object(head)) return false;
  for (const std::string_view key : {"\"traceEvents\"", "\"distributedInfo\"", "\"deviceProperties\""})
    if (head.find(key) != std::string_view::npos) return true;
  return false;
}

void read_kineto(Input& file, Trace& trace) {
  KinetoVisitor visitor(trace);
  read_json_events(file, visitor);
  visitor.finish(trace.where);
}

}  // namespace topowise::training
