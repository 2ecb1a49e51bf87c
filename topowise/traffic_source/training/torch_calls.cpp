// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/torch_calls.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/units.hpp>

namespace topowise::training {
namespace {

using profile::Operation;

enum class Kind : std::uint8_t { collective, rooted, split, send, receive, none };
/// Says which of the two counts of elements is a member's part.
enum class Part : std::uint8_t { in, out, nothing };

struct Name {
  std::string_view name;
  Operation operation;
  Kind kind;
  Part part;
};

/// The names that ProcessGroupNCCL gives; other back-ends follow it.
constexpr std::array kNames{
    Name{"allreduce", Operation::allreduce, Kind::collective, Part::in},
    Name{"all_reduce", Operation::allreduce, Kind::collective, Part::in},
    Name{"sparse_all_reduce", Operation::allreduce, Kind::collective, Part::in},
    Name{"allreduce_coalesced", Operation::allreduce, Kind::collective, Part::in},
    Name{"allreduce_sparse", Operation::allreduce, Kind::collective, Part::in},
    Name{"broadcast", Operation::bcast, Kind::rooted, Part::in},
    Name{"_broadcast_oop", Operation::bcast, Kind::rooted, Part::in},
    Name{"reduce", Operation::reduce, Kind::rooted, Part::in},
    Name{"_reduce_oop", Operation::reduce, Kind::rooted, Part::in},
    Name{"all_gather", Operation::allgather, Kind::collective, Part::in},
    Name{"all_gather_single", Operation::allgather, Kind::collective, Part::in},
    Name{"all_gather_v", Operation::allgather, Kind::collective, Part::in},
    Name{"_all_gather_base", Operation::allgather, Kind::collective, Part::in},
    Name{"allgather", Operation::allgather, Kind::collective, Part::in},
    Name{"_allgather_base", Operation::allgather, Kind::collective, Part::in},
    Name{"allgather_coalesced", Operation::allgather, Kind::collective, Part::in},
    Name{"ALLGATHER_coalesced", Operation::allgather, Kind::collective, Part::in},
    Name{"allgather_into_tensor_coalesced", Operation::allgather, Kind::collective, Part::in},
    Name{"all_gather_into_tensor_coalesced", Operation::allgather, Kind::collective, Part::in},
    Name{"reduce_scatter", Operation::reduce_scatter_block, Kind::collective, Part::out},
    Name{"reduce_scatter_single", Operation::reduce_scatter_block, Kind::collective, Part::out},
    Name{"reduce_scatter_v", Operation::reduce_scatter_block, Kind::collective, Part::out},
    Name{"REDUCE_SCATTER_coalesced", Operation::reduce_scatter_block, Kind::collective, Part::out},
    Name{"_reduce_scatter_base", Operation::reduce_scatter_block, Kind::collective, Part::out},
    Name{"reduce_scatter_tensor_coalesced", Operation::reduce_scatter_block, Kind::collective, Part::out},
    Name{"all_to_all", Operation::alltoall, Kind::split, Part::in},
    Name{"all_to_allv", Operation::alltoall, Kind::split, Part::in},
    Name{"all_to_all_single", Operation::alltoall, Kind::split, Part::in},
    Name{"all_to_all_v_single", Operation::alltoall, Kind::split, Part::in},
    Name{"gather", Operation::gather, Kind::rooted, Part::in},
    Name{"scatter", Operation::scatter, Kind::rooted, Part::out},
    Name{"send", Operation::point_to_point, Kind::send, Part::in},
    Name{"recv", Operation::point_to_point, Kind::receive, Part::out},
    Name{"recvAnySource", Operation::point_to_point, Kind::none, Part::nothing},  // the sender's trace has it
    Name{"barrier", Operation::barrier, Kind::collective, Part::nothing},
    Name{"all_reduce_barrier", Operation::barrier, Kind::collective, Part::nothing},
    Name{"coalesced", Operation::barrier, Kind::none, Part::nothing},  // the calls in it are recorded themselves
    Name{"split", Operation::barrier, Kind::none, Part::nothing},      // makes a communicator
    Name{"new_window", Operation::barrier, Kind::none, Part::nothing},
    Name{"wait", Operation::barrier, Kind::none, Part::nothing},  // it waits for a call that is recorded itself
    Name{"init", Operation::barrier, Kind::none, Part::nothing},
    Name{"end", Operation::barrier, Kind::none, Part::nothing},
};

struct Type {
  std::string_view name;
  double bytes;
};

/// The names of c10::ScalarType, then the C++ names that events of operators have.
constexpr std::array kTypes{
    Type{"Byte", 1},          Type{"Char", 1},        Type{"Bool", 1},          Type{"Short", 2},
    Type{"UInt16", 2},        Type{"Half", 2},        Type{"BFloat16", 2},      Type{"Int", 4},
    Type{"UInt32", 4},        Type{"Float", 4},       Type{"Long", 8},          Type{"UInt64", 8},
    Type{"Double", 8},        Type{"ComplexHalf", 4}, Type{"ComplexFloat", 8},  Type{"ComplexDouble", 16},
    Type{"unsigned char", 1}, Type{"signed char", 1}, Type{"bool", 1},          Type{"short int", 2},
    Type{"short", 2},         Type{"c10::Half", 2},   Type{"c10::BFloat16", 2}, Type{"int", 4},
    Type{"float", 4},         Type{"long int", 8},    Type{"long", 8},          Type{"double", 8},
};

struct Told {
  std::vector<std::size_t> members;  ///< empty if nothing is stated
  bool one_by_one = false;           ///< false if they are stated by the first rank and a stride
};

/// The members of a call's group, as the call states them.
Told members_of(const TorchCall& call, std::size_t size) {
  Told told;
  if (const auto listed = numbers_of(call.group_ranks); listed && !listed->empty()) {
    told.members.assign(listed->begin(), listed->end());
    told.one_by_one = true;
  } else if (call.start && call.stride && *call.stride > 0 && *call.stride < kMostRanks) {
    for (std::size_t i = 0; i < size; ++i) told.members.push_back(*call.start + i * *call.stride);
  }
  return told;
}

/// The same as the text of the call.
std::string words_of(const TorchCall& call) {
  return fmt::format("{} {}+{}x{}", call.group_ranks, call.group_size.value_or(0), call.start.value_or(0),
                     call.stride.value_or(0));
}

/// The index of the call's group. Its members are set if the call states them. A call with other members than the
/// group's first call belongs to a group of its own. `wrong` is set if the call cannot be right.
std::size_t group_of(const TorchCall& call, Trace& trace, std::string& wrong) {
  std::size_t index = trace.group_named(call.group);
  std::string words = words_of(call);
  if (trace.groups[index].told == words) return index;
  if (trace.groups[index].size == 0 && call.group_size) trace.groups[index].size = *call.group_size;
  Told told = members_of(call, trace.groups[index].size);
  const std::string name = printable(std::string_view(call.group).substr(0, 60));
  if (const std::optional<std::size_t> twice = listed_twice(told.members))
    wrong = fmt::format("group '{}' lists rank {} twice: {}", name, *twice, list_of_ranks(told.members));
  if (told.members.empty() || trace.groups[index].ranks == told.members || !wrong.empty()) return index;
  if (!trace.groups[index].ranks.empty()) {
    trace.tell_different_members(name, trace.groups[index].ranks, told.members);
    index = trace.group_named(fmt::format("{} {}", call.group, words));
    if (trace.groups[index].told == words) return index;
  }
  if (call.group_size && *call.group_size != told.members.size())
    trace.doubts.insert(fmt::format("calls of group '{}' say that it has {} ranks, and list {}: the list is taken",
                                    name, *call.group_size, list_of_ranks(told.members)));
  trace.listed += told.members.size();
  Group& group = trace.groups[index];
  group.size = told.members.size();
  group.ranks = std::move(told.members);
  group.told = std::move(words);
  group.one_by_one = told.one_by_one;
  return index;
}

/// The rows for each member; none if the trace cuts them short or does not say.
std::vector<std::uint64_t> split_of(const TorchCall& call, double bytes, Trace& trace, std::string& wrong) {
  const std::optional<std::vector<std::uint64_t>> rows = numbers_of(call.in_split);
  const std::string shown = printable(std::string_view(call.in_split).substr(0, 80));
  if (!rows && call.in_split.find("...") != std::string::npos) {
    ++trace.cut_splits;
  } else if (!rows && !call.in_split.empty()) {
    wrong = fmt::format("the splits of an all-to-all are no list of rows from 0: '{}'", shown);
  }
  if (!rows || rows->empty()) return {};
  if (bytes > 0 && std::ranges::all_of(*rows, [](std::uint64_t row) { return row == 0; }))
    wrong = fmt::format("an all-to-all of {} whose splits have no rows: '{}'", to_string(Bytes(bytes)), shown);
  return *rows;
}

/// Adds a split. Splits are in rows of the tensor, and the sum of all rows says how many bytes a row has.
std::string add_split(const TorchCall& call, std::size_t group, double bytes, Trace& trace) {
  std::string wrong;
  const std::vector<std::uint64_t> rows = split_of(call, bytes, trace, wrong);
  if (!wrong.empty()) return wrong;
  const std::size_t size = trace.groups[group].size;
  if (rows.empty()) {
    const double members = size == 0 ? 1 : static_cast<double>(size);
    trace.add({group, Operation::alltoall, 0, bytes / members, size == 0});
    return {};
  }
  if (size != 0 && rows.size() != size) return fmt::format("{} splits in a group of {}", rows.size(), size);
  double all = 0;
  for (const std::uint64_t row : rows) all += static_cast<double>(row);
  std::vector<double> parts;
  for (const std::uint64_t row : rows) parts.push_back(all > 0 ? bytes * static_cast<double>(row) / all : 0);
  trace.add_split(group, parts);
  return {};
}

const Name* name_of(std::string_view collective) {
  const auto found = std::ranges::find(kNames, collective, &Name::name);
  return found == kNames.end() ? nullptr : &*found;
}

/// Bytes of the part that the call's row of the table names. If they are unknown, gives 0 and sets `wrong`.
double part_bytes(const TorchCall& call, Part part, std::string& wrong) {
  if (part == Part::nothing) return 0;
  const Count& elements = part == Part::in ? call.in_elements : call.out_elements;
  if (!elements.value) {
    const std::string name = printable(call.collective);
    wrong = elements.instead.empty() ? fmt::format("a call of '{}' without its number of elements", name)
                                     : fmt::format("a call of '{}' of {} elements: not a whole number from 0 to 2^53",
                                                   name, elements.instead);
    return 0;
  }
  return bytes_of_type(call.type).value_or(0) * static_cast<double>(*elements.value);
}

/// The root of the call or its partner, 0 for calls without either. PyTorch before 2.5 does not write it: then the root
/// is taken to be the first rank, and a message is left out. Nothing if the call is left out, which is counted.
std::optional<std::size_t> other_rank(const TorchCall& call, const Name& name, std::size_t size, Trace& trace) {
  const bool rooted = name.kind == Kind::rooted;
  if (name.kind != Kind::send && name.kind != Kind::receive && !rooted) return 0;
  if (!call.rank && rooted) {
    if (size != 1) ++trace.rootless[std::string(name.name)];
    return 0;
  }
  const std::string_view what = rooted ? "root" : "other rank";
  if (call.rank && *call.rank < (size > 0 ? size : kMostRanks)) return *call.rank;
  ++trace.left_out[call.rank ? fmt::format("calls of '{}' whose {} is beyond their group of {}", name.name, what, size)
                             : fmt::format("calls of '{}' without their {}", name.name, what)];
  return std::nullopt;
}

}  // namespace

std::optional<double> bytes_of_type(std::string_view type) {
  const auto found = std::ranges::find(kTypes, type, &Type::name);
  if (found != kTypes.end()) return found->bytes;
  // A number of 4 bits comes in pairs, each of them one element: Float4_e2m1fn_x2.
  for (const std::string_view one : {"Float8", "c10::Float8", "Float4", "c10::Float4", "QInt8", "QUInt8"})
    if (type.starts_with(one)) return 1;
  return std::nullopt;
}

std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view list) {
  list = trim(list);
  if (!list.starts_with('[') || !list.ends_with(']')) return std::nullopt;
  list = trim(list.substr(1, list.size() - 2));
  std::vector<std::uint64_t> numbers;
  if (list.empty()) return numbers;
  for (const std::string_view part : split(list, ',')) {
    const std::optional<std::int64_t> number = parse_integer(trim(part));
    if (!number || *number < 0) return std::nullopt;
    numbers.push_back(static_cast<std::uint64_t>(*number));
  }
  return numbers;
}

bool rank_is_own(const TorchCall& call) {
  const Name* name = name_of(call.collective);
  return name != nullptr && (name->kind == Kind::collective || name->kind == Kind::split);
}

std::string add_call(const TorchCall& call, Trace& trace) {
  const Name* name = name_of(call.collective);
  if (name == nullptr) {
    ++trace.left_out[fmt::format("calls of '{}', which is not known here", printable(call.collective.substr(0, 40)))];
    return {};
  }
  if (name->kind == Kind::none) return {};
  const Count& elements = name->part == Part::in ? call.in_elements : call.out_elements;
  if (name->part != Part::nothing && elements.value.value_or(0) > 0 && !bytes_of_type(call.type)) {
    ++trace.left_out[fmt::format("calls whose type of numbers, '{}', is not known here",
                                 printable(std::string_view(call.type).substr(0, 40)))];
    return {};
  }
  std::string wrong;
  const double bytes = part_bytes(call, name->part, wrong);
  if (!wrong.empty()) return wrong;
  if (call.group_size && (*call.group_size == 0 || *call.group_size > kMostRanks))
    return fmt::format("a group of {} ranks", *call.group_size);
  if (trace.world > 0 && call.group_size && *call.group_size > trace.world)
    return fmt::format("a group of {} ranks in a job of {}", *call.group_size, trace.world);
  const std::size_t group = group_of(call, trace, wrong);
  if (!wrong.empty()) return wrong;
  if (trace.listed > kMostListed) return "groups of too many ranks";
  const std::optional<std::size_t> other = other_rank(call, *name, trace.groups[group].size, trace);
  if (!other) return {};
  switch (name->kind) {
    case Kind::split:
      return add_split(call, group, bytes, trace);
    case Kind::send:
      trace.sent[{group, *other}] += {bytes, 1};
      return {};
    case Kind::receive:
      trace.received[{group, *other}] += {bytes, 1};
      return {};
    default:
      trace.add({group, name->operation, *other, bytes});
      return {};
  }
}

void set_group(Trace& trace, std::string_view name, std::vector<std::size_t> ranks, std::size_t size) {
  Group& group = trace.groups[trace.group_named(name)];
  const std::string shown = printable(name.substr(0, 60));
  if (ranks.empty() && !group.told.empty()) {
    if (size > 0 && size != group.ranks.size())
      trace.doubts.insert(fmt::format(
          "group '{}' has {} by its calls, and {} ranks by the list of process groups: those of the calls are taken",
          shown, list_of_ranks(group.ranks), size));
    return;
  }
  if (!ranks.empty() && !group.ranks.empty() && ranks != group.ranks) {
    trace.doubts.insert(
        fmt::format("group '{}' has {} {}, and {} by the list of process groups: those of the {} are taken", shown,
                    list_of_ranks(group.ranks), group.told.empty() ? "first" : "by its calls", list_of_ranks(ranks),
                    group.one_by_one ? "calls" : "list"));
    if (group.one_by_one) return;
  }
  if (ranks.empty() && size > 0 && trace.world == size) {
    ranks.resize(size);
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  }
  group.size = ranks.empty() ? size : ranks.size();
  group.ranks = std::move(ranks);
}

}  // namespace topowise::training
