// SPDX-License-Identifier: BSD-3-Clause
// Chakra execution traces (MLCommons; schema/protobuf/et_def.proto): a message GlobalMetadata, then messages Node, each
// after its length. Only the nodes COMM_COLL_NODE, COMM_SEND_NODE and COMM_RECV_NODE are read. Their attributes are
// comm_type, comm_size (the bytes of the process's input, as converters write it and ASTRA-sim takes it), pg_name,
// ranks, comm_src, comm_dst and root. The file does not say whose it is; its name NAME.RANK.et does.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/wire.hpp>

namespace topowise::training {
namespace {

using profile::Operation;

constexpr std::size_t kLargestMessage = std::size_t{64} << 20;
constexpr std::string_view kWholeJob = "(all ranks)";

enum NodeType : std::uint64_t { send_node = 5, receive_node = 6, collective_node = 7 };

struct CommType {
  Operation operation;
  bool cut;  ///< comm_size is cut into a block for each member
  bool rooted;
};

/// Operations by number of CollectiveCommType.
constexpr std::array kCommTypes{
    CommType{Operation::allreduce, false, false},
    CommType{Operation::reduce, false, true},
    CommType{Operation::allgather, false, false},
    CommType{Operation::gather, false, true},
    CommType{Operation::scatter, true, true},
    CommType{Operation::bcast, false, true},
    CommType{Operation::alltoall, true, false},
    CommType{Operation::reduce_scatter_block, true, false},
    CommType{Operation::reduce_scatter_block, true, false},
    CommType{Operation::barrier, false, false},
};

/// Numbers and texts of a node's attributes.
struct Attributes {
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;
  std::vector<std::size_t> ranks;

  [[nodiscard]] std::optional<double> number(std::string_view name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::optional<std::size_t> rank(std::string_view name) const {
    const std::optional<double> found = number(name);
    if (!found || *found < 0 || *found >= static_cast<double>(kMostRanks)) return std::nullopt;
    return static_cast<std::size_t>(*found);
  }
};

/// The value of the field of AttributeProto that has this number.
double value_of(std::uint32_t field, std::uint64_t bits) {
  switch (field) {
    case 3:
      return std::bit_cast<double>(bits);
    case 5:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case 15:
    case 17:  // a zigzag number
      return static_cast<double>(static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1));
    case 7:
    case 9:
    case 25:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case 23:
      return static_cast<double>(static_cast<std::int32_t>(bits));
    default:
      return static_cast<double>(bits);
  }
}

/// Reads a list of numbers, packed or one by one; false if it is damaged.
bool read_ranks(std::string_view list, std::vector<std::size_t>& ranks) {
  WireMessage message(list);
  while (message.next()) {
    if (message.field() != 1) continue;
    if (message.number()) ranks.push_back(*message.number());
    std::string_view packed = message.bytes().value_or(std::string_view());
    while (!packed.empty()) {
      const std::optional<std::uint64_t> number = take_varint(packed);
      if (!number) return false;
      ranks.push_back(*number);
    }
  }
  return !message.damaged() && std::ranges::all_of(ranks, [](std::size_t rank) { return rank < kMostRanks; });
}

bool read_attribute(std::string_view bytes, Attributes& out) {
  WireMessage message(bytes);
  std::string name;
  while (message.next()) {
    const std::uint32_t field = message.field();
    if (field == 1 && message.bytes()) name = *message.bytes();
    if (field >= 3 && message.number()) out.numbers[name] = value_of(field, *message.number());
    if (field == 29 && message.bytes()) out.texts[name] = *message.bytes();
    const bool whole_numbers = field == 8 || field == 10 || field == 12 || field == 14;
    if (whole_numbers && name == "ranks" && message.bytes() && !read_ranks(*message.bytes(), out.ranks)) return false;
  }
  return !message.damaged();
}

/// The messages of a file, each after its length.
class Messages {
 public:
  explicit Messages(Input& file) : file_(file) {}

  /// Reads the next message; false at the end of the file.
  bool next(std::string& message) {
    at_ = taken_;
    std::optional<std::uint64_t> length;
    while (!(length = take_varint(block_))) {
      if (block_.size() >= 10) fail("no length of a message");
      if (!more()) {
        if (block_.empty()) return false;
        fail("the file ends within the length of a message");
      }
    }
    count();
    if (*length > kLargestMessage) fail(fmt::format("a message of {} bytes", *length));
    while (block_.size() < *length)
      if (!more()) fail(fmt::format("the file ends within a message of {} bytes", *length));
    message.assign(block_.substr(0, *length));
    block_.remove_prefix(*length);
    count();
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitStatus::bad_input, {Diagnostic{file_.where(),
                                                   {},
                                                   fmt::format("byte {}: {}", at_, what),
                                                   {},
                                                   "a Chakra trace is read as et_def.proto of version 0.0.4 has it"}});
  }

 private:
  bool more() {
    const std::string_view next = file_.next();
    if (next.empty()) return false;
    kept_ = std::string(block_) + std::string(next);
    block_ = kept_;
    received_ += next.size();
    return true;
  }
  void count() { taken_ = received_ - block_.size(); }

  Input& file_;
  std::string kept_;
  std::string_view block_;
  std::size_t received_ = 0;
  std::size_t taken_ = 0;
  std::size_t at_ = 0;  ///< where the message begins
};

struct Node {
  std::string name;
  std::uint64_t type = 0;
  Attributes attributes;
};

/// Reads a node; false if it is damaged. Of a node that does not communicate only the type is read.
bool read_node(std::string_view bytes, Node& node) {
  for (WireMessage message(bytes); message.next();)
    if (message.field() == 3 && message.number()) node.type = *message.number();
  WireMessage message(bytes);
  const bool communicates = node.type >= send_node && node.type <= collective_node;
  while (message.next()) {
    if (!communicates || !message.bytes()) continue;
    if (message.field() == 2) node.name = *message.bytes();
    if (message.field() == 10 && !read_attribute(*message.bytes(), node.attributes)) return false;
  }
  return !message.damaged();
}

std::string list_as_it_stands(const std::vector<std::size_t>& ranks) {
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

/// The index of the node's group. A node with other ranks than the first node of its group belongs to a group of its
/// own, and so does a node with ranks but no name. `wrong` is set if the node cannot be right.
std::size_t group_of(const Attributes& attributes, Trace& trace, std::string& wrong) {
  const std::vector<std::size_t>& ranks = attributes.ranks;
  std::string name = ranks.empty() ? std::string(kWholeJob) : list_as_it_stands(ranks);
  bool named = false;
  for (const std::string_view key : {"pg_name", "comm_group"})
    if (const auto given = attributes.texts.find(key); given != attributes.texts.end() && !given->second.empty()) {
      name = given->second;
      named = true;
    }
  std::size_t index = trace.group_named(name);
  if (ranks.empty()) {
    trace.groups[index].whole_job = trace.groups[index].whole_job || !named;
    return index;
  }
  if (trace.groups[index].ranks == ranks) return index;
  const std::string shown = printable(std::string_view(name).substr(0, 60));
  if (const std::optional<std::size_t> twice = listed_twice(ranks))
    wrong = fmt::format("group '{}' lists rank {} twice: {}", shown, *twice, list_of_ranks(ranks));
  if (!wrong.empty()) return index;
  if (!trace.groups[index].ranks.empty()) {
    trace.tell_different_members(shown, trace.groups[index].ranks, ranks);
    index = trace.group_named(fmt::format("{} {}", name, list_as_it_stands(ranks)));
  }
  if (!trace.groups[index].ranks.empty()) return index;
  trace.listed += ranks.size();
  if (trace.listed > kMostListed) wrong = "groups of too many ranks";
  trace.groups[index].ranks = ranks;
  trace.groups[index].size = ranks.size();
  return index;
}

/// Adds a node to the trace. Returns what is wrong with it, empty if nothing is.
std::string add_node(const Node& node, Trace& trace) {
  const std::optional<double> bytes = node.attributes.number("comm_size");
  const std::string name = printable(std::string_view(node.name).substr(0, 60));
  if (node.type != collective_node) {
    const std::optional<std::size_t> partner = node.attributes.rank(node.type == send_node ? "comm_dst" : "comm_src");
    if (!partner) {
      ++trace.left_out["sends and receives that do not name the other rank"];
      return {};
    }
    if (!bytes || !(*bytes >= 0)) return fmt::format("node '{}' without its comm_size", name);
    const std::size_t all = trace.group_named(kWholeJob);
    trace.groups[all].whole_job = true;
    (node.type == send_node ? trace.sent : trace.received)[{all, *partner}] += {*bytes, 1};
    return {};
  }
  const std::optional<std::size_t> type = node.attributes.rank("comm_type");
  if (!type || *type >= kCommTypes.size()) return fmt::format("node '{}' without a known comm_type", name);
  const CommType& known = kCommTypes[*type];
  if (known.operation != Operation::barrier && (!bytes || !(*bytes >= 0)))
    return fmt::format("node '{}' without its comm_size", name);
  const std::size_t root = known.rooted ? node.attributes.rank("root").value_or(0) : 0;
  std::string wrong;
  const std::size_t group = group_of(node.attributes, trace, wrong);
  if (wrong.empty()) trace.add({group, known.operation, root, bytes.value_or(0), known.cut});
  return wrong;
}

}  // namespace

bool looks_like_chakra(std::string_view head) {
  // The metadata has a version and attributes, only attributes, or nothing. Then comes a node with its number or name.
  const std::optional<std::uint64_t> length = take_varint(head);
  if (!length || *length > head.size()) return false;
  WireMessage metadata(head.substr(0, *length));
  while (metadata.next())
    if (metadata.field() > 2 || !metadata.bytes()) return false;
  head.remove_prefix(*length);
  if (metadata.damaged()) return false;
  const std::optional<std::uint64_t> next = take_varint(head);
  if (!next || *next == 0 || *next > head.size()) return false;
  WireMessage node(head.substr(0, *next));
  bool typed = false;
  while (node.next()) {
    if (node.field() > 10) return false;
    typed = typed || (node.field() == 3 && node.number() && *node.number() <= 8);
  }
  return typed && !node.damaged();
}

void read_chakra(Input& file, Trace& trace) {
  Messages messages(file);
  std::string bytes;
  if (!messages.next(bytes)) messages.fail("the file is empty");
  while (messages.next(bytes)) {
    Node node;
    if (!read_node(bytes, node)) messages.fail("a node that is damaged");
    if (node.type < send_node || node.type > collective_node) continue;
    const std::string wrong = add_node(node, trace);
    if (!wrong.empty()) messages.fail(wrong);
  }
  trace.rank = rank_in_name(trace.where);
}

}  // namespace topowise::training
