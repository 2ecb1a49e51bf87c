// SPDX-License-Identifier: BSD-3-Clause
// Reports of Nsight Systems, exported with `nsys export --type sqlite --include-blobs true`. NVIDIA documents the
// tables (SQLite Schema Reference of the Nsight Systems documentation, schema 3.28):
//   MPI_RANKS                globalTid, rank
//   MPI_P2P_EVENTS           start, globalTid, textId, commHandle, remoteRank, size, requestHandle
//   MPI_START_WAIT_EVENTS    start, globalTid, textId, requestHandle: a row for each request
//   MPI_COLLECTIVES_EVENTS   globalTid, textId, commHandle, rootRank, size, recvSize
//   MPI_COMMUNICATORS        rank, commHandle, localRank, size, members (since 2024)
//   NVTX_EVENTS              globalTid, text or textId, domainId, binaryData
//   NVTX_PAYLOAD_SCHEMA_ENTRIES   domainId, schemaId, type, name, offset of each field of binaryData
//   StringIds                id, value
// A process is globalTid >> 24. NCCL (2.25 or newer) annotates each call: "ncclAllReduce" with the fields "NCCL
// communicator ID", "Message size [bytes]", "Root", "Peer rank", and the making of a communicator with "No. of ranks",
// "Rank". Before the fields, binaryData has 32 bytes: domain and schema (8 bytes each), bytes of the fields, of all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/traffic_source/training/database.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/nccl_names.hpp>

namespace topowise::training {
namespace {

using profile::Operation;

constexpr std::string_view kMark = "SQLite format 3";
constexpr double kMostBytes = 0x1p53;
constexpr std::string_view kExport = "nsys export --type sqlite --include-blobs true report.nsys-rep";

/// A collective of MPI, and which of its sizes is a member's part.
struct MpiCall {
  std::string_view name;
  Operation operation;
  bool by_received;
};
constexpr std::array kMpiCalls{
    MpiCall{"Barrier", Operation::barrier, false},     MpiCall{"Bcast", Operation::bcast, false},
    MpiCall{"Reduce", Operation::reduce, false},       MpiCall{"Allreduce", Operation::allreduce, false},
    MpiCall{"Scan", Operation::scan, false},           MpiCall{"Exscan", Operation::exscan, false},
    MpiCall{"Gather", Operation::gather, false},       MpiCall{"Gatherv", Operation::gather, false},
    MpiCall{"Allgather", Operation::allgather, false}, MpiCall{"Allgatherv", Operation::allgather, false},
    MpiCall{"Scatter", Operation::scatter, true},      MpiCall{"Scatterv", Operation::scatter, true},
};
constexpr std::array<std::string_view, 4> kMpiSends{"Send", "Bsend", "Ssend", "Rsend"};
constexpr std::array<std::string_view, 7> kMpiReceives{"Recv",   "Probe",   "Mprobe", "Mrecv",
                                                       "Iprobe", "Improbe", "Imrecv"};
/// What makes a request that MPI_Start begins.
constexpr std::array<std::string_view, 5> kMpiRequests{"Send_init", "Bsend_init", "Ssend_init", "Rsend_init",
                                                       "Recv_init"};

/// MPI_Ibcast is MPI_Bcast, as MPI_Isend is MPI_Send.
std::string blocking_name(std::string_view name) {
  name.remove_prefix(std::min(name.size(), std::string_view("MPI_").size()));
  std::string text(name);
  if (text.size() > 1 && text[0] == 'I' && text[1] >= 'a' && text[1] <= 'z') {
    text.erase(0, 1);
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

/// The fields of the payload of an event that are read.
struct Fields {
  std::optional<std::uint64_t> communicator;
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> ranks;
  std::optional<std::uint64_t> rank;
  std::optional<std::uint64_t> root;
  std::optional<std::uint64_t> peer;
};

/// The layouts of payloads, and the reading of them.
class Payloads {
 public:
  explicit Payloads(Database& database) {
    if (!database.has("NVTX_PAYLOAD_SCHEMA_ENTRIES", {"domainId", "schemaId", "type", "name", "offset"})) return;
    Query rows = database.query("SELECT domainId, schemaId, type, name, offset FROM NVTX_PAYLOAD_SCHEMA_ENTRIES");
    while (rows.next()) {
      constexpr std::size_t kMost = 4096;
      if (layouts_.size() >= kMost) break;
      const std::int64_t type = rows.integer(2).value_or(0);
      const std::size_t size = type == kInt ? 4 : type == kUint64 || type == kSize ? 8 : 0;
      const std::int64_t offset = rows.integer(4).value_or(0);  // that of the first field is not stated
      if (size == 0 || offset < 0) continue;
      layouts_[{rows.integer(0).value_or(0), rows.integer(1).value_or(0)}].insert_or_assign(
          std::string(rows.text(3)), Place{static_cast<std::size_t>(offset), size});
    }
  }

  /// Nothing if the bytes are no payload of a known layout.
  [[nodiscard]] std::optional<Fields> read(std::string_view binary) const {
    constexpr std::size_t kHeader = 32;
    if (binary.size() < kHeader || number(binary, 16, 8) > binary.size() - kHeader ||
        number(binary, 24, 8) != binary.size())
      return std::nullopt;
    const auto layout = layouts_.find(
        {static_cast<std::int64_t>(number(binary, 0, 8)), static_cast<std::int64_t>(number(binary, 8, 8))});
    if (layout == layouts_.end()) return std::nullopt;
    const std::string_view payload = binary.substr(kHeader);
    const auto field = [&](std::string_view name) -> std::optional<std::uint64_t> {
      const auto found = layout->second.find(name);
      if (found == layout->second.end()) return std::nullopt;
      const Place& place = found->second;
      if (place.offset > payload.size() || payload.size() - place.offset < place.size) return std::nullopt;
      return number(payload, place.offset, place.size);
    };
    return Fields{field("NCCL communicator ID"),
                  field("Message size [bytes]"),
                  field("No. of ranks"),
                  field("Rank"),
                  field("Root"),
                  field("Peer rank")};
  }

 private:
  static constexpr std::int64_t kInt = 5;  ///< numbers of NVTX_PAYLOAD_ENTRY_TYPE_*
  static constexpr std::int64_t kUint64 = 18;
  static constexpr std::int64_t kSize = 22;
  struct Place {
    std::size_t offset;
    std::size_t size;
  };

  static std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;  // least significant byte first, as on every machine that has NVIDIA's tools
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  }

  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::string, Place, std::less<>>> layouts_;
};

class Reader {
 public:
  Reader(const Input& file, std::vector<Trace>& traces)
      : file_(file), where_(file.where()), traces_(traces), first_(traces.size()) {}

  void read() {
    Database database(file_);
    const bool mpi = database.has("MPI_P2P_EVENTS", {"globalTid", "textId", "remoteRank", "size", "commHandle"}) ||
                     database.has("MPI_COLLECTIVES_EVENTS", {"globalTid", "textId", "rootRank", "size", "commHandle"});
    const bool nvtx = database.has("NVTX_EVENTS", {"globalTid", "text", "textId"});
    if (!mpi && !nvtx)
      fail("a database of SQLite without the tables of MPI or NVTX that Nsight Systems exports",
           "profile with 'nsys profile --trace mpi,nvtx,cuda', and export with: " + std::string(kExport));
    if (!database.has("StringIds", {"id", "value"})) fail("the table StringIds is missing", "");
    read_host(database);
    read_ranks(database);
    read_communicators(database);
    read_messages(database);
    read_starts(database);
    read_collectives(database);
    if (nvtx) read_nccl(database);
    if (traces_.size() == first_)
      fail("a report of Nsight Systems without calls of MPI or NCCL",
           "profile with 'nsys profile --trace mpi,nvtx,cuda', and export with: " + std::string(kExport));
  }

 private:
  [[noreturn]] void fail(std::string what, std::string hint = {}) const {
    throw Error(ExitStatus::bad_input, {Diagnostic{where_, {}, std::move(what), {}, std::move(hint)}});
  }

  /// The trace of a process, which is added if it is new.
  Trace& trace_of(std::int64_t thread) {
    const std::int64_t process = thread >> 24;
    const auto [at, is_new] = known_.try_emplace(process, traces_.size());
    if (is_new) {
      if (known_.size() > kMostRanks) fail("it has too many processes");
      Trace& trace = traces_.emplace_back();
      trace.where = where_;
      trace.process = fmt::format("process {} of {}", process & 0xffffff, host_);
      if (const auto rank = ranks_.find(process); rank != ranks_.end()) trace.rank = rank->second;
      trace.world = world_;
    }
    return traces_[at->second];
  }

  void read_host(Database& database) {
    host_ = where_;
    if (!database.has("TARGET_INFO_SYSTEM_ENV", {"name", "value"})) return;
    Query rows = database.query("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname' LIMIT 1");
    if (rows.next() && !rows.text(0).empty()) host_ = printable(rows.text(0).substr(0, 256));
  }

  void read_ranks(Database& database) {
    if (!database.has("MPI_RANKS", {"globalTid", "rank"})) return;
    Query rows = database.query("SELECT globalTid, rank FROM MPI_RANKS");
    while (rows.next()) {
      const std::optional<std::int64_t> rank = rows.integer(1);
      if (!rank || *rank < 0 || static_cast<std::size_t>(*rank) >= kMostRanks)
        fail("MPI_RANKS has a rank that is no number of ranks");
      const auto [known, is_new] =
          ranks_.try_emplace(rows.integer(0).value_or(0) >> 24, static_cast<std::size_t>(*rank));
      if (!is_new && known->second != static_cast<std::size_t>(*rank)) fail("MPI_RANKS gives one process two ranks");
    }
  }

  struct Communicator {
    std::size_t size = 0;
    std::size_t position = 0;          ///< of the process
    std::vector<std::size_t> members;  ///< ranks of the job; empty: not known
  };
  /// (rank, handle)
  using Communicators = std::map<std::pair<std::size_t, std::int64_t>, Communicator>;

  /// The members as the export lists them, checked with the process's own rank: either its rank is at its position,
  /// or its position is at its rank.
  static std::vector<std::size_t> members_in(std::string_view text, std::size_t rank,
                                             const Communicator& communicator) {
    std::vector<std::int64_t> numbers;
    if (std::ranges::any_of(text, [](char c) { return is_letter_or_digit(c) && !is_digit(c); })) return {};
    while (!text.empty()) {
      const std::size_t begin = text.find_first_of("-0123456789");
      if (begin == std::string_view::npos) break;
      text.remove_prefix(begin);
      const std::size_t end = std::min(text.find_first_not_of("-0123456789"), text.size());
      const std::optional<std::int64_t> number = parse_integer(text.substr(0, end));
      if (!number || numbers.size() >= kMostRanks) return {};
      numbers.push_back(*number);
      text.remove_prefix(end);
    }
    std::vector<std::size_t> members;
    if (numbers.size() == communicator.size && communicator.position < numbers.size() &&
        numbers[communicator.position] == static_cast<std::int64_t>(rank)) {
      for (const std::int64_t number : numbers) {
        if (number < 0 || static_cast<std::size_t>(number) >= kMostRanks) return {};
        members.push_back(static_cast<std::size_t>(number));
      }
      return members;
    }
    if (rank >= numbers.size() || numbers[rank] != static_cast<std::int64_t>(communicator.position)) return {};
    members.assign(communicator.size, kMostRanks);
    for (std::size_t global = 0; global < numbers.size(); ++global) {
      if (numbers[global] < 0) continue;  // no member
      if (static_cast<std::size_t>(numbers[global]) >= members.size()) return {};
      members[static_cast<std::size_t>(numbers[global])] = global;
    }
    if (std::ranges::find(members, kMostRanks) != members.end()) return {};
    return members;
  }

  void read_communicators(Database& database) {
    if (!database.has("MPI_COMMUNICATORS", {"rank", "commHandle", "localRank", "size", "members"})) return;
    Query rows = database.query("SELECT rank, commHandle, localRank, size, members FROM MPI_COMMUNICATORS");
    while (rows.next()) {
      const std::optional<std::int64_t> rank = rows.integer(0);
      const std::optional<std::int64_t> position = rows.integer(2);
      const std::optional<std::int64_t> size = rows.integer(3);
      if (!rank || !position || !size || *rank < 0 || *position < 0 || *size <= *position ||
          static_cast<std::size_t>(std::max(*rank, *size - 1)) >= kMostRanks)
        continue;
      Communicator communicator{static_cast<std::size_t>(*size), static_cast<std::size_t>(*position), {}};
      communicator.members = members_in(rows.text(4), static_cast<std::size_t>(*rank), communicator);
      if (std::ranges::max(communicator.members.empty() ? std::vector<std::size_t>{0} : communicator.members) <
          communicator.size)
        world_ = std::max(world_, communicator.size);
      listed_ += communicator.members.size();
      if (listed_ > kMostListed) fail("the lists of members of its communicators are too long");
      communicators_.insert_or_assign({static_cast<std::size_t>(*rank), rows.integer(1).value_or(0)},
                                      std::move(communicator));
    }
  }

  /// The group of a communicator of MPI in the trace of a process. Without the table of communicators, a process's only
  /// handle is that of MPI_COMM_WORLD.
  std::optional<std::size_t> group_of(Trace& trace, std::int64_t handle, bool only_handle) {
    if (!trace.rank) {
      ++trace.left_out["calls of MPI of a process without a rank"];
      return std::nullopt;
    }
    const auto known = communicators_.find({*trace.rank, handle});
    const bool listed = known != communicators_.end() && !known->second.members.empty();
    bool world = communicators_.empty() && (only_handle || handle == kMpichWorld);
    if (listed)
      world = known->second.size == world_ && std::ranges::is_sorted(known->second.members) &&
              known->second.members.back() == world_ - 1;
    else if (known != communicators_.end())
      world = known->second.size == world_ && known->second.position == *trace.rank;
    if (world) {
      if (known == communicators_.end() && handle != kMpichWorld)
        trace.doubts.insert(
            "the export lists no communicators: the only one that a process uses is taken to be MPI_COMM_WORLD");
      if (known != communicators_.end() && !listed)
        trace.doubts.insert(
            "the export does not list the members of a communicator of all ranks: taken to be in the order of their "
            "ranks");
      const std::size_t group = trace.group_named("MPI_COMM_WORLD");
      trace.groups[group].whole_job = true;
      return group;
    }
    if (known == communicators_.end() || known->second.members.empty()) {
      ++trace.left_out["calls of MPI on communicators whose members the export does not list"];
      return std::nullopt;
    }
    const std::size_t group = trace.group_named(fmt::format("communicator {:#x}", handle));
    trace.groups[group].ranks = known->second.members;
    trace.groups[group].size = known->second.members.size();
    return group;
  }

  /// The processes that use one communicator only.
  std::set<std::int64_t> with_one_handle(Database& database) {
    std::map<std::int64_t, std::set<std::int64_t>> handles;
    for (const char* table : {"MPI_P2P_EVENTS", "MPI_COLLECTIVES_EVENTS"}) {
      if (!database.has(table, {"globalTid", "commHandle"})) continue;
      Query rows = database.query(fmt::format("SELECT DISTINCT globalTid >> 24, commHandle FROM {}", table));
      while (rows.next()) {
        std::set<std::int64_t>& of_process = handles[rows.integer(0).value_or(0)];
        if (of_process.size() < 2) of_process.insert(rows.integer(1).value_or(0));
      }
    }
    std::set<std::int64_t> one;
    for (const auto& [process, used] : handles)
      if (used.size() == 1) one.insert(process);
    return one;
  }

  static std::optional<double> amount(const Query& rows, int column) {
    const std::optional<std::int64_t> value = rows.integer(column);
    if (!value || *value < 0 || static_cast<double>(*value) > kMostBytes) return std::nullopt;
    return static_cast<double>(*value);
  }

  /// A message that a row of MPI_P2P_EVENTS describes: globalTid, name, remoteRank, size, commHandle. Nothing for one
  /// to MPI_PROC_NULL, and, counted, for one that cannot be read.
  struct Message {
    std::size_t group = 0;
    std::size_t partner = 0;
    double bytes = 0;
  };

  std::optional<Message> message_in(const Query& rows, Trace& trace) {
    const std::optional<double> bytes = amount(rows, 3);
    const std::optional<std::int64_t> partner = rows.integer(2);
    if (!bytes || !partner) {
      ++trace.left_out["messages of MPI without a size or a partner"];
      return std::nullopt;
    }
    if (*partner < 0) return std::nullopt;  // MPI_PROC_NULL
    if (static_cast<std::size_t>(*partner) >= kMostRanks) {
      ++trace.left_out["messages of MPI to what is no rank of a job"];
      return std::nullopt;
    }
    const std::optional<std::size_t> group =
        group_of(trace, rows.integer(4).value_or(0), one_handle_.contains(rows.integer(0).value_or(0) >> 24));
    if (!group) return std::nullopt;
    return Message{*group, static_cast<std::size_t>(*partner), *bytes};
  }

  void read_messages(Database& database) {
    one_handle_ = with_one_handle(database);
    if (!database.has("MPI_P2P_EVENTS", {"globalTid", "textId", "remoteRank", "size", "commHandle"})) return;
    const bool starts = database.has("MPI_P2P_EVENTS", {"start", "requestHandle"}) &&
                        database.has("MPI_START_WAIT_EVENTS", {"start", "globalTid", "textId", "requestHandle"});
    Query rows = database.query(
        fmt::format("SELECT globalTid, (SELECT value FROM StringIds WHERE id = textId), remoteRank, size, commHandle{} "
                    "FROM MPI_P2P_EVENTS",
                    starts ? ", start, requestHandle" : ""));
    while (rows.next()) {
      const std::int64_t thread = rows.integer(0).value_or(0);
      Trace& trace = trace_of(thread);
      const std::string name = blocking_name(rows.text(1));
      if (std::ranges::find(kMpiReceives, name) != kMpiReceives.end()) continue;
      if (starts && std::ranges::find(kMpiRequests, name) != kMpiRequests.end()) {
        add_request(rows, thread >> 24, name == "Recv_init" ? std::nullopt : message_in(rows, trace));
      } else if (std::ranges::find(kMpiSends, name) != kMpiSends.end()) {
        if (const std::optional<Message> message = message_in(rows, trace))
          trace.sent[{message->group, message->partner}] += {message->bytes, 1};
      } else if (name != "Recv_init") {
        ++trace.left_out[fmt::format("calls of {}, which are not read", printable(rows.text(1).substr(0, 40)))];
      }
    }
  }

  /// A request that can be started any number of times; `message` is what a start sends, nothing if it sends nothing.
  struct Request {
    std::int64_t made = 0;
    std::optional<Message> message;
  };

  void add_request(const Query& rows, std::int64_t process, const std::optional<Message>& message) {
    requests_[{process, rows.integer(6).value_or(0)}].push_back({rows.integer(5).value_or(0), message});
  }

  /// Adds the messages that MPI_Start and MPI_Startall begin: a row for each request, which is the last of its handle
  /// that was made before.
  void read_starts(Database& database) {
    if (!database.has("MPI_START_WAIT_EVENTS", {"start", "globalTid", "textId", "requestHandle"})) return;
    for (auto& [handle, requests] : requests_) std::ranges::stable_sort(requests, {}, &Request::made);
    Query rows = database.query(
        "SELECT globalTid, start, requestHandle FROM MPI_START_WAIT_EVENTS WHERE (SELECT value FROM StringIds WHERE "
        "id = textId) GLOB 'MPI_Start*'");
    while (rows.next()) {
      const std::int64_t thread = rows.integer(0).value_or(0);
      Trace& trace = trace_of(thread);
      const auto known = requests_.find({thread >> 24, rows.integer(2).value_or(0)});
      const std::span<const Request> all = known == requests_.end() ? std::span<const Request>() : known->second;
      const auto after = std::ranges::upper_bound(all, rows.integer(1).value_or(0), {}, &Request::made);
      if (after == all.begin()) {
        ++trace.left_out["starts of requests that the export does not list"];
      } else if (const std::optional<Message>& message = std::prev(after)->message) {
        trace.sent[{message->group, message->partner}] += {message->bytes, 1};
      }
    }
  }

  void read_collectives(Database& database) {
    if (!database.has("MPI_COLLECTIVES_EVENTS", {"globalTid", "textId", "rootRank", "size", "recvSize", "commHandle"}))
      return;
    Query rows = database.query(
        "SELECT globalTid, (SELECT value FROM StringIds WHERE id = textId), rootRank, size, recvSize, commHandle "
        "FROM MPI_COLLECTIVES_EVENTS");
    while (rows.next()) {
      const std::int64_t thread = rows.integer(0).value_or(0);
      Trace& trace = trace_of(thread);
      const auto call = std::ranges::find(kMpiCalls, blocking_name(rows.text(1)), &MpiCall::name);
      if (call == kMpiCalls.end()) {
        if (rows.text(1).find("File") == std::string_view::npos && rows.text(1).find("Comm_") == std::string_view::npos)
          ++trace.left_out[fmt::format("calls of {}, which are not read", printable(rows.text(1).substr(0, 40)))];
        continue;
      }
      const std::optional<double> bytes =
          call->operation == Operation::barrier ? std::optional(0.0) : amount(rows, call->by_received ? 4 : 3);
      const bool rooted = profile::kOperations[static_cast<std::size_t>(call->operation)].rooted;
      const std::int64_t root = rooted ? rows.integer(2).value_or(-1) : 0;
      if (!bytes || root < 0) {
        ++trace.left_out[fmt::format("collective calls of MPI without a {}", bytes ? "root" : "size")];
        continue;
      }
      const std::optional<std::size_t> group =
          group_of(trace, rows.integer(5).value_or(0), one_handle_.contains(thread >> 24));
      if (group) trace.add({*group, call->operation, static_cast<std::size_t>(root), *bytes, false});
    }
  }

  void read_nccl(Database& database) {
    const Payloads payloads(database);
    const bool blobs = database.has("NVTX_EVENTS", {"binaryData"});
    std::uint64_t with = 0;
    std::uint64_t without = 0;
    std::uint64_t unnamed = 0;
    Query rows = database.query(fmt::format(
        "SELECT globalTid, name, data FROM (SELECT globalTid, coalesce(text, (SELECT value FROM StringIds WHERE id = "
        "textId)) AS name, {} AS data FROM NVTX_EVENTS) WHERE name GLOB 'nccl[A-Z]*'",
        blobs ? "binaryData" : "NULL"));
    while (rows.next()) {
      const std::string name(rows.text(1).substr(0, 64));
      if (name == "ncclGroupStart" || name == "ncclGroupEnd" || name == "ncclCommCount") continue;
      const std::optional<Fields> fields = payloads.read(rows.bytes(2));
      if (!fields || !fields->communicator) {
        ++(fields && fields->bytes ? unnamed : without);
        continue;
      }
      ++with;
      read_nccl_call(trace_of(rows.integer(0).value_or(0)), name, *fields);
    }
    if (unnamed > 0 && traces_.size() == first_)
      fail(fmt::format("{} calls of NCCL without their communicators, which NCCL names from version 2.25 on", unnamed),
           "record with a newer NCCL, or by 'topowise run --profile'");
    if (unnamed > 0)
      traces_[first_].left_out["calls of NCCL without their communicators (NCCL 2.25 or newer names them)"] += unnamed;
    if (without > 0 && with == 0 && traces_.size() == first_)
      fail(fmt::format("{} calls of NCCL without their sizes, which the export left out", without),
           fmt::format("export them too: {}", kExport));
    if (without > 0 && traces_.size() > first_)
      traces_[first_].left_out[fmt::format("calls of NCCL without their sizes (they need: {})", kExport)] += without;
  }

  void read_nccl_call(Trace& trace, const std::string& name, const Fields& fields) {
    const std::size_t index = trace.group_named(fmt::format("{:#x}", *fields.communicator));
    Group& group = trace.groups[index];
    group.nccl = true;
    if (fields.ranks && fields.rank) {
      if (*fields.ranks <= kMostRanks && *fields.rank < *fields.ranks) {
        if (group.position && *group.position != *fields.rank)
          fail(fmt::format("a process has several ranks of communicator {:#x}, whose calls cannot be told apart",
                           *fields.communicator),
               "profile one process for each GPU, or record it: in 'topowise run --profile' each GPU is a rank");
        group.size = *fields.ranks;
        group.position = *fields.rank;
      } else {
        ++trace.left_out["communicators of NCCL whose number of ranks, or the rank in it, is none"];
      }
      return;
    }
    if (!fields.bytes) return;  // it is freed, or asked for
    if (static_cast<double>(*fields.bytes) > kMostBytes) {
      ++trace.left_out["calls of NCCL with more than 2^53 bytes"];
      return;
    }
    const auto bytes = static_cast<double>(*fields.bytes);
    if (fields.peer && *fields.peer < kMostRanks && (name == "ncclSend" || name == "ncclRecv")) {
      (name == "ncclSend" ? trace.sent : trace.received)[{index, *fields.peer}] += {bytes, 1};
      return;
    }
    const std::optional<Operation> operation =
        nccl_operation(std::string_view(name).substr(std::string_view("nccl").size()));
    if (!operation)
      ++trace.left_out[fmt::format("calls of {}, which are not read", printable(name))];
    else
      trace.add({index, *operation,
                 static_cast<std::size_t>(std::min<std::uint64_t>(fields.root.value_or(0), kMostRanks)), bytes, false});
  }

  static constexpr std::int64_t kMpichWorld = 0x44000000;  ///< MPI_COMM_WORLD of MPICH and what descends from it

  const Input& file_;
  std::string where_;
  std::vector<Trace>& traces_;
  std::size_t first_;                          ///< index of the first trace of this file
  std::map<std::int64_t, std::size_t> known_;  ///< by process: index of its trace
  std::map<std::int64_t, std::size_t> ranks_;  ///< by process
  Communicators communicators_;
  /// By process and handle, in the order of time.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Request>> requests_;
  std::set<std::int64_t> one_handle_;  ///< processes that use one communicator of MPI
  std::size_t world_ = 0;              ///< ranks of the job, if a communicator says so
  std::size_t listed_ = 0;
  std::string host_;
};

}  // namespace

bool looks_like_nsight(std::string_view head) {
  return head.starts_with(kMark);
}

void read_nsight(Input& file, std::vector<Trace>& traces) {
  Reader(file, traces).read();
}

}  // namespace topowise::training
