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
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/json_events.hpp>
#include <topowise/traffic_source/training/formats.hpp>

namespace topowise::training {
namespace {

// The wire format of protocol buffers, as far as it is needed to read a few fields. A message is a sequence of fields.
// Each field is a number and a varint, 4 bytes, 8 bytes, or a length with so many bytes. Fields that are not asked for
// are skipped. (The library would bring a code generator into the build and a shared library into every program, for
// six fields.)

class WireMessage {
 public:
  explicit WireMessage(std::string_view bytes) : rest_(bytes) {}

  /// Goes to the next field; false at the end and where the message is damaged.
  [[nodiscard]] bool next();
  [[nodiscard]] bool damaged() const { return damaged_; }

  [[nodiscard]] std::uint32_t field() const { return field_; }
  /// The value of a varint, or the bits of a field of 4 or 8 bytes.
  [[nodiscard]] std::optional<std::uint64_t> number() const { return number_; }
  /// The bytes of a field with a length.
  [[nodiscard]] std::optional<std::string_view> bytes() const { return bytes_; }

 private:
  std::string_view rest_;
  std::uint32_t field_ = 0;
  std::optional<std::uint64_t> number_;
  std::optional<std::string_view> bytes_;
  bool damaged_ = false;
};

std::optional<std::uint64_t> take_little_endian(std::string_view& bytes, std::size_t count) {
  if (bytes.size() < count) return std::nullopt;
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(count);
  return number;
}

/// Takes a varint from the begin of `bytes`. Nothing if there is none, or it is cut or too long.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  constexpr std::size_t kLongest = 10;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size() && i < kLongest; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    number |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return number;
    }
  }
  return std::nullopt;
}

bool WireMessage::next() {
  number_.reset();
  bytes_.reset();
  if (damaged_ || rest_.empty()) return false;
  damaged_ = true;  // until the field is whole
  const std::optional<std::uint64_t> tag = take_varint(rest_);
  if (!tag || (*tag >> 3) == 0 || (*tag >> 3) > 0x1fffffff) return false;
  field_ = static_cast<std::uint32_t>(*tag >> 3);
  switch (*tag & 7) {
    case 0:
      number_ = take_varint(rest_);
      break;
    case 1:
      number_ = take_little_endian(rest_, 8);
      break;
    case 2: {
      const std::optional<std::uint64_t> length = take_varint(rest_);
      if (!length || *length > rest_.size()) return false;
      bytes_ = rest_.substr(0, *length);
      rest_.remove_prefix(*length);
      break;
    }
    case 5:
      number_ = take_little_endian(rest_, 4);
      break;
    default:
      return false;
  }
  damaged_ = !number_ && !bytes_;
  return !damaged_;
}

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

bool is_size(double bytes) {
  return bytes >= 0 && bytes <= 0x1p53;
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
    if (!bytes || !is_size(*bytes)) return fmt::format("node '{}' without its comm_size", name);
    const std::size_t all = trace.group_named(kWholeJob);
    trace.groups[all].whole_job = true;
    (node.type == send_node ? trace.sent : trace.received)[{all, *partner}] += {*bytes, 1};
    return {};
  }
  const std::optional<std::size_t> type = node.attributes.rank("comm_type");
  if (!type || *type >= kCommTypes.size()) return fmt::format("node '{}' without a known comm_type", name);
  const CommType& known = kCommTypes[*type];
  if (known.operation != Operation::barrier && (!bytes || !is_size(*bytes)))
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

namespace {

/// Adds the nodes of a trace. Operations of the processor that start a call of the GPU are nodes, too, mostly without a
/// size; what the GPU does counts, if there is any of it.
class Nodes {
 public:
  explicit Nodes(Trace& trace) : trace_(trace) { host_.where = trace.where; }

  /// Returns what is wrong with the node, empty if nothing is.
  std::string add(const Node& node) {
    if (node.type < send_node || node.type > collective_node) return {};
    const bool on_host = node.attributes.number("is_cpu_op").value_or(0) != 0;
    if (on_host && !node.attributes.number("comm_size")) return {};
    return add_node(node, on_host ? host_ : trace_);
  }

  void finish() {
    if (trace_.calls.empty() && trace_.sent.empty() && trace_.received.empty()) trace_ = std::move(host_);
    trace_.rank = rank_in_name(trace_.where);
  }

 private:
  Trace& trace_;
  Trace host_;
};

constexpr std::array<std::string_view, 3> kTypeNames{"COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};

/// Nodes as Chakra's own jsonizer prints the messages of Protobuf, one after the other.
class NodesVisitor : public JsonVisitor {
 public:
  explicit NodesVisitor(Trace& trace) : nodes_(trace) {}

  void begin(const JsonPath& path) override {
    if (path.size() == 0) node_ = {};
    if (path.size() == 2 && path.key(0) == "attr") attribute_ = {};
  }
  void end(const JsonPath& path) override {
    if (path.size() == 2 && path.key(0) == "attr") end_attribute();
    if (path.size() != 0) return;
    const std::string wrong = nodes_.add(node_);
    if (!wrong.empty()) fail(wrong);
  }
  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (path.size() == 1 && path.key(0) == "name") node_.name = value.text;
    if (path.size() == 1 && path.key(0) == "type") {
      const auto known = std::ranges::find(kTypeNames, value.text);
      node_.type = known == kTypeNames.end() ? value.count().value_or(0)
                                             : send_node + static_cast<std::uint64_t>(known - kTypeNames.begin());
    }
    if (path.key(0) != "attr" || path.size() < 3) return;
    if (path.size() == 3 && path.key(2) == "name") attribute_.name = value.text;
    if (path.size() == 3 && path.key(2) == "stringVal") attribute_.text = value.text;
    if (path.size() == 3 && path.key(2).ends_with("Val")) attribute_.number = number_of(value);
    if (path.size() == 5 && path.key(2).ends_with("List")) {
      const std::optional<std::uint64_t> rank = value.count();
      if (!rank || *rank >= kMostRanks)
        attribute_.damaged = true;
      else
        attribute_.ranks.push_back(*rank);
    }
  }
  void finish() { nodes_.finish(); }

 private:
  struct Attribute {
    std::string name;
    std::optional<std::string> text;
    std::optional<double> number;
    std::vector<std::size_t> ranks;
    bool damaged = false;
  };

  /// Protobuf writes numbers of 64 bits as texts.
  static std::optional<double> number_of(const JsonScalar& value) {
    if (value.kind == JsonScalar::Kind::text) return parse_double(value.text);
    return value.kind == JsonScalar::Kind::null ? std::nullopt : std::optional(value.number);
  }

  void end_attribute() {
    if (attribute_.number) node_.attributes.numbers[attribute_.name] = *attribute_.number;
    if (attribute_.text) node_.attributes.texts[attribute_.name] = *attribute_.text;
    if (attribute_.name != "ranks") return;
    if (attribute_.damaged) fail("a node whose 'ranks' are no ranks of a job");
    node_.attributes.ranks = std::move(attribute_.ranks);
  }

  Nodes nodes_;
  Node node_;
  Attribute attribute_;
};

}  // namespace

bool looks_like_chakra_json(std::string_view head) {
  return begins_with_object(head) && head.find("\"attr\"") != std::string_view::npos &&
         head.find("_NODE\"") != std::string_view::npos;
}

void read_chakra_json(Input& file, Trace& trace) {
  NodesVisitor visitor(trace);
  read_json_events(file, visitor, JsonValues::several);
  visitor.finish();
}

void read_chakra(Input& file, Trace& trace) {
  Messages messages(file);
  std::string bytes;
  if (!messages.next(bytes)) messages.fail("the file is empty");
  Nodes nodes(trace);
  while (messages.next(bytes)) {
    Node node;
    if (!read_node(bytes, node)) messages.fail("a node that is damaged");
    const std::string wrong = nodes.add(node);
    if (!wrong.empty()) messages.fail(wrong);
  }
  nodes.finish();
}

}  // namespace topowise::training
