// SPDX-License-Identifier: BSD-3-Clause
// Dumps of PyTorch's FlightRecorder (c10d::FlightRecorder), of version 2.10 and before:
// the last calls of one process, in JSON or as a pickle, the file of rank 3 named NAME3. `pg_config` lists the process
// groups of this rank. An entry of `entries` is a call: the group, "nccl:all_reduce" or "nccl:send 0->1", and shape and
// type of its tensors. gloo (as of PyTorch 2.9) lists no groups: then those who call a group are its members. An entry
// has no root, and the parts of an uneven all-to-all only if it is a list of tensors.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/json_events.hpp>
#include <topowise/reading/pickle_events.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/torch_calls.hpp>

namespace topowise::training {
namespace {

/// A tensor has more numbers than 2^53 bytes only in a dump that is damaged.
constexpr double kMostBytes = 0x1p53;

/// The description of the group of all ranks.
constexpr std::string_view kDefault = "default_pg";

/// The tensors that go into a call or come out of it.
struct Tensors {
  std::vector<double> elements;    ///< of each tensor
  std::vector<std::string> types;  ///< of each tensor; empty in dumps that do not name them
};

struct Entry {
  std::string name;  ///< "nccl:send 0->1"
  std::string group;
  bool whole_job = false;
  Tensors inputs;
  Tensors outputs;
};

struct ListedGroup {
  std::string name;
  std::string description;
  std::vector<std::size_t> ranks;
};

class DumpVisitor : public JsonVisitor {
 public:
  explicit DumpVisitor(Trace& trace) : trace_(trace) {}

  void begin(const JsonPath& path) override {
    if (path.size() == 2 && path.key(0) == "entries") entry_ = {};
    if (path.size() == 2 && path.key(0) == "pg_config") listed_ = {std::string(path.key(1)), {}, {}};
    if (path.size() == 4 && path.key(0) == "entries") begin_tensor(path);
  }

  void end(const JsonPath& path) override {
    if (path.size() == 2 && path.key(0) == "entries") end_entry();
    if (path.size() == 2 && path.key(0) == "pg_config") groups_.push_back(std::move(listed_));
  }

  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (path.size() == 1 && path.key(0) == "rank") trace_.rank = rank_of(value);
    if (path.size() >= 3 && path.key(0) == "pg_config") in_group(path, value);
    if (path.size() >= 3 && path.key(0) == "entries") in_entry(path, value);
  }

  void finish(const std::string& where) {
    if (calls_ == 0 && groups_.empty())
      throw Error(
          ExitStatus::bad_input,
          {Diagnostic{where, {}, "neither calls nor process groups, which a dump of FlightRecorder has", {}, {}}});
    for (ListedGroup& group : groups_) {
      if (group.ranks.empty()) continue;  // gloo lists its groups before it knows them
      const std::size_t size = group.ranks.size();
      if (group.description == kDefault) trace_.world = size;
      set_group(trace_, group.name, std::move(group.ranks), size);
    }
    if (first_ > 0) trace_.left_out["earlier calls that the recorder's ring had no room for"] += first_;
    find_rank(where);
  }

 private:
  static std::size_t rank_of(const JsonScalar& value) {
    const std::optional<std::uint64_t> count = value.count();
    if (!count || *count >= kMostRanks) fail(fmt::format("not a rank of a job: {}", value.shown()));
    return *count;
  }

  void in_group(const JsonPath& path, const JsonScalar& value) {
    const std::string_view key = path.key(2);
    if (key == "desc") listed_.description = value.text;
    if (key != "ranks") return;
    if (path.size() == 4) return listed_.ranks.push_back(rank_of(value));
    const std::optional<std::vector<std::uint64_t>> ranks = numbers_of(value.text);
    if (!ranks) fail(fmt::format("no list of ranks: {}", value.shown()));
    for (const std::uint64_t rank : *ranks) {
      if (rank >= kMostRanks) fail(fmt::format("not a rank of a job: {}", rank));
      listed_.ranks.push_back(rank);
    }
  }

  /// The tensors that a key of an entry describes; null for other keys.
  Tensors* tensors_of(std::string_view key) {
    if (key.starts_with("input_")) return &entry_.inputs;
    if (key.starts_with("output_")) return &entry_.outputs;
    return nullptr;
  }

  void begin_tensor(const JsonPath& path) {
    Tensors* tensors = tensors_of(path.key(2));
    if (tensors != nullptr && path.key(2).ends_with("_sizes")) tensors->elements.push_back(1);
  }

  void in_entry(const JsonPath& path, const JsonScalar& value) {
    const std::string_view key = path.key(2);
    if (key == "profiling_name") entry_.name = value.text;
    if (key == "record_id" && calls_ == 0) first_ = value.count().value_or(0);
    // The group is [name, description]; before version 2.0 of the dump a name, and before 1.5 only a number.
    if (key == "process_group" && path.size() == 4 && path.place(3) == 0) entry_.group = value.text;
    if (key == "process_group" && path.size() == 4 && path.place(3) == 1) entry_.whole_job = value.text == kDefault;
    if (key == "pg_name" && path.size() == 3) entry_.group = value.text;
    if (key == "pg_id" && entry_.group.empty()) entry_.group = fmt::format("{}", value.count().value_or(0));
    Tensors* tensors = tensors_of(key);
    if (tensors == nullptr) return;
    if (key.ends_with("_dtypes") && path.size() == 4) tensors->types.emplace_back(value.text);
    if (!key.ends_with("_sizes") || path.size() != 5) return;
    const std::optional<std::uint64_t> extent = value.count();
    if (!extent) fail(fmt::format("an extent of a tensor of {}: not a whole number from 0 to 2^53", value.shown()));
    double& elements = tensors->elements.back();
    elements *= static_cast<double>(*extent);
    if (elements > kMostBytes) fail("a tensor of more than 2^53 numbers");
  }

  /// The bytes of each tensor; nothing, and the type in `unknown`, if one is of a type that is not known.
  static std::optional<std::vector<double>> bytes_of(const Tensors& tensors, std::string& unknown) {
    std::vector<double> bytes;
    for (std::size_t i = 0; i < tensors.elements.size(); ++i) {
      const std::string_view type = i < tensors.types.size() ? std::string_view(tensors.types[i]) : std::string_view();
      const std::optional<double> size = bytes_of_type(type);
      if (!size && tensors.elements[i] > 0) {
        unknown = type;
        return std::nullopt;
      }
      bytes.push_back(tensors.elements[i] * size.value_or(0));
    }
    return bytes;
  }

  static Count sum(const std::vector<double>& parts) {
    double all = 0;
    for (const double part : parts) all += part;
    Count count;
    count.value = static_cast<std::uint64_t>(std::min(all, kMostBytes));
    return count;
  }

  void end_entry() {
    ++calls_;
    if (entry_.name.empty()) fail("a call without its 'profiling_name'");
    std::string_view name = entry_.name;
    if (const std::size_t backend = name.find(':'); backend != std::string_view::npos) name.remove_prefix(backend + 1);
    std::string_view pair = name;
    TorchCall call;
    call.collective = take_word(pair);
    call.group = entry_.group;
    std::string unknown;
    const std::optional<std::vector<double>> in = bytes_of(entry_.inputs, unknown);
    const std::optional<std::vector<double>> out = bytes_of(entry_.outputs, unknown);
    if (!in || !out) {
      ++trace_.left_out[fmt::format("calls whose type of numbers, '{}', is not known here",
                                    printable(std::string_view(unknown).substr(0, 40)))];
      return;
    }
    call.type = "Byte";
    call.in_elements = sum(*in);
    call.out_elements = sum(*out);
    if (call.collective.starts_with("all_to_all") && in->size() > 1 && *call.in_elements.value > 0) {
      // A tensor for each member; a lone tensor is cut in a way that the entry does not name.
      call.in_split = "[";
      for (const double part : *in) call.in_split += fmt::format("{}{:.0f}", call.in_split.size() > 1 ? "," : "", part);
      call.in_split += ']';
    }
    take_pair(call, trim(pair));
    if (entry_.whole_job) trace_.groups[trace_.group_named(call.group)].whole_job = true;
    if (const std::string wrong = add_call(call, trace_); !wrong.empty()) fail(wrong);
  }

  /// Reads "0->1" of a send and "1<-0" of a receive: this process, and its partner.
  void take_pair(TorchCall& call, std::string_view pair) {
    for (const std::string_view arrow : {"->", "<-"}) {
      const std::size_t at = pair.find(arrow);
      if (at == std::string_view::npos) continue;
      const std::optional<std::int64_t> own = parse_integer(trim(pair.substr(0, at)));
      const std::optional<std::int64_t> other = parse_integer(trim(pair.substr(at + 2)));
      if (!own || !other || *own < 0 || *other < 0)
        fail(fmt::format("the two ranks of '{}' are no numbers", printable(entry_.name.substr(0, 60))));
      call.rank = static_cast<std::uint64_t>(*other);
      own_ = {entry_.group, static_cast<std::size_t>(*own)};
    }
  }

  /// The name of the file has the rank; else a message does. In any other call all ranks of the group do the same.
  void find_rank(const std::string& where) {
    if (trace_.rank) return;
    trace_.rank = rank_in_name(where);
    const auto ranks_of = [&](const std::string& group) -> const std::vector<std::size_t>& {
      return trace_.groups[trace_.group_named(group)].ranks;
    };
    if (!trace_.rank && own_ && own_->second < ranks_of(own_->first).size())
      trace_.rank = ranks_of(own_->first)[own_->second];
    for (const Group& group : trace_.groups) {
      if (trace_.rank || group.ranks.empty()) continue;
      trace_.rank = *std::ranges::min_element(group.ranks);
      trace_.doubts.insert(fmt::format("the name of the file has no rank, so it is taken to be rank {}", *trace_.rank));
    }
  }

  Trace& trace_;
  Entry entry_;
  std::size_t calls_ = 0;
  std::uint64_t first_ = 0;  ///< number of the first call: so many calls came before
  ListedGroup listed_;
  std::vector<ListedGroup> groups_;
  std::optional<std::pair<std::string, std::size_t>> own_;  ///< a group, and the position of this process in it
};

}  // namespace

bool looks_like_flight_recorder(std::string_view head) {
  if (!begins_with_object(head) && !looks_like_pickle(head)) return false;
  // Traces of torch.profiler list their groups by the same word.
  for (const std::string_view other : {"distributedInfo", "traceEvents"})
    if (head.find(other) != std::string_view::npos) return false;
  for (const std::string_view key : {"pg_config", "collective_seq_id", "profiling_name"})
    if (head.find(key) != std::string_view::npos) return true;
  return false;
}

void read_flight_recorder(Input& file, Trace& trace) {
  DumpVisitor visitor(trace);
  if (looks_like_pickle(file.head()))
    read_pickle_events(file, visitor);
  else
    read_json_events(file, visitor);
  visitor.finish(trace.where);
}

}  // namespace topowise::training
