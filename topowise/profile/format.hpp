// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The bytes of a recorded profile, as structs: what the preloaded library writes and `topowise traffic` reads.
/// docs/formats/profile.md says the same for readers in other languages.
//
// A profile is a directory with one file per process, name: see profile_file_name(). A file is a Header of one page and
// then segments, each a whole number of pages, one after the other up to the end of the file:
//
//   Header | Segment rows... | Segment rows... | ...
//
// The writer maps the file shared and counts in place, so a process that is killed leaves everything but the call it
// was in. It only ever appends: segments and rows never move, `used` only grows. A reader may look at any time; it
// stops at the first segment whose `kind` is none (allocated, not begun) or that does not fit into the file (truncated:
// say so, keep the rest).
//
// kVersion changes when a reader of this version would read wrong numbers. New operations, channels, kinds of segments
// and fields in reserved bytes do not change it: a reader skips what it does not know, and says so.
//
// All numbers are in the byte order of the machine that wrote them; `byte_order` says which. Every struct here is free
// of hidden padding and aligned to 8 bytes. Rows with the same key occur (one per thread that sent): add them up.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <topowise/base/hash.hpp>

namespace topowise::profile {

/// The first bytes of a file.
inline constexpr char kMagic[8] = {'T', 'W', 'P', 'R', 'O', 'F', '\r', '\n'};
inline constexpr std::uint32_t kVersion = 1;             ///< Header::version
inline constexpr std::uint32_t kByteOrder = 0x01020304;  ///< Header::byte_order, as the writer's machine stores it
inline constexpr std::size_t kPage = 4096;  ///< unit of the file's layout, whatever the machine's page size is
inline constexpr std::string_view kFileSuffix = ".twprof";  ///< of a file's name

/// GPUs that a process can have memory on; rows of further ones do not say which.
inline constexpr std::size_t kMostGpus = 64;

/// How far the process came.
enum class State : std::uint32_t {
  recording = 0,  ///< still running, or killed, or left without MPI_Finalize
  finalized = 1,  ///< reached MPI_Finalize; without MPI: ended by exit() with status 0
  aborted = 2,    ///< called MPI_Abort
};

/// First page of the file.
struct Header {
  char magic[8];               ///< kMagic
  std::uint32_t version;       ///< kVersion
  std::uint32_t byte_order;    ///< kByteOrder
  std::uint64_t header_bytes;  ///< where the first segment begins: kPage
  std::uint64_t job;           ///< equal in all processes of one MPI_COMM_WORLD, different in another run
  std::int32_t rank;           ///< in the job's MPI_COMM_WORLD (or "mpi://WORLD")
  std::int32_t world_size;     ///< ranks of the job; 0 if never known (killed before MPI_Init returned)
  State state;                 ///< how far the process came
  std::uint32_t spawned;       ///< 1: this job was started by MPI_Comm_spawn of another job
  std::uint64_t start_ns;      ///< Unix time when recording began, nanoseconds
  std::uint64_t end_ns;        ///< Unix time of MPI_Finalize or MPI_Abort; 0 while State::recording
  std::uint64_t rows_lost;     ///< > 0: the disk was full; so many rows could not be written, their traffic is missing
  std::uint64_t trace_lost;  ///< calls left out of the trace: it reached its limit, or with disk_full the disk was full
  std::uint32_t has_trace;   ///< 1: a trace was asked for
  std::uint32_t thread_level;  ///< MPI's thread level as 0 single, 1 funneled, 2 serialized, 3 multiple
  char host[256];              ///< host name, 0-terminated
  char program[512];           ///< path of the program, 0-terminated, cut if longer
  char mpi[64];                ///< family: "openmpi", "mpich" (also Intel, Cray) or "standard"; "none": NCCL only
  char job_name[256];          ///< what `job` is the hash of, for people
  char gpus[kMostGpus][16];    ///< PCI bus id of GPU number i of this process ("0000:0a:00.0"), empty if not used
  std::uint32_t gpu_driver;    ///< 1: the program loaded a GPU driver. Else no `receive` rows: all memory is the host's
  std::uint32_t locked;        ///< 1: its process holds a lock on this file as long as it lives (fcntl, F_OFD_SETLK)
  // What is missing with rows_lost, where the writer counted it (0 in older files):
  std::uint64_t messages_lost;  ///< messages of PeerRows, without receives, and of VectorRows
  std::uint64_t bytes_lost;     ///< bytes of these messages
  std::uint64_t calls_lost;     ///< calls of CollectiveRows
  std::uint32_t reordered;      ///< 1: 'run --reorder' gave this process another rank in some communicator
  std::uint32_t disk_full;      ///< 1: the disk was full before the trace reached its limit (0 in older files)
  std::uint32_t told;           ///< 1: its process has printed what was recorded, when it ended (0 in older files)
  std::uint32_t started;  ///< process number of the program that 'run' started, which is this process or the one that
                          ///< started it; 0: not by 'run', or an older file
  unsigned char reserved[1848];  ///< 0
};
static_assert(sizeof(Header) == kPage);

/// The header of a file of this version, written on this machine; nothing else is known yet.
[[nodiscard]] inline Header new_header(std::int32_t rank, std::int32_t world_size) {
  Header header{};
  std::copy_n(kMagic, sizeof(kMagic), header.magic);
  header.version = kVersion;
  header.byte_order = kByteOrder;
  header.header_bytes = kPage;
  header.rank = rank;
  header.world_size = world_size;
  return header;
}

/// What the rows of a segment are.
enum class SegmentKind : std::uint32_t {
  none = 0,         ///< allocated but not begun: the end for a reader
  peers = 1,        ///< PeerRow
  collectives = 2,  ///< CollectiveRow
  vectors = 3,      ///< VectorRow
  groups = 4,       ///< bytes: GroupRecord with its runs, one after the other
  trace = 5,        ///< TraceRow, in the order of the calls of one thread; threads interleave
  // Segments of NCCL and RCCL, whose communicators do not say who their members are:
  communicators = 6,       ///< CommunicatorRow
  communicator_calls = 7,  ///< CommunicatorCallRow
  communicator_sends = 8,  ///< CommunicatorSendRow
};
inline constexpr std::size_t kSegmentKinds = 9;  ///< number of SegmentKinds

/// Head of a segment, directly followed by its rows.
struct Segment {
  SegmentKind kind;           ///< what the rows are
  std::uint32_t row_bytes;    ///< size of one row (1 for `groups`): a reader skips kinds and sizes it does not know
  std::uint64_t bytes;        ///< bytes of the whole segment with this head; a multiple of kPage
  std::uint64_t used;         ///< rows in use (bytes for `groups`), all complete
  std::uint64_t reserved[5];  ///< 0
};
static_assert(sizeof(Segment) == 64);

/// The direction of the bytes, and the kind of call.
enum class Channel : std::uint8_t {
  send = 0,     ///< point to point: this process -> peer
  put = 1,      ///< one-sided write or accumulate: this process (origin) -> peer (target)
  get = 2,      ///< one-sided read: peer (target) -> this process (origin); the row's direction is reversed
  receive = 3,  ///< no traffic (the sender counts it): what this process posted to receive from peer, into which memory
};

/// Where the buffer of this process lies: the one that it sends from, or the one that it receives into. Memory that
/// moves between host and GPU by itself (managed) is device memory, pinned memory is host memory.
enum class Memory : std::uint8_t {
  host = 0,    ///< the host's, pinned or not
  device = 1,  ///< a GPU's, or managed
};

/// Value of `peer` if the other side is in another job (spawned, connected): it is counted, but has no rank here.
inline constexpr std::int32_t kOutside = -1;
/// Value of `peer` for a receive from any source.
inline constexpr std::int32_t kAnySource = -2;

/// Bins of message sizes: bin 0 holds 0 bytes, bin k sizes of 2^(k-1) .. 2^k - 1, the last everything above.
inline constexpr std::size_t kSizeBins = 45;
/// The bin of a message of that many bytes.
[[nodiscard]] constexpr std::size_t size_bin(std::uint64_t bytes) {
  const auto width = static_cast<std::size_t>(std::bit_width(bytes));
  return width < kSizeBins ? width : kSizeBins - 1;
}

/// Point-to-point and one-sided traffic with one partner. Key: (peer, channel, memory, gpu).
struct PeerRow {
  std::int32_t peer;               ///< rank in the job's world, kOutside, or of receives kAnySource
  Channel channel;                 ///< direction, and kind of call
  Memory memory;                   ///< of this process's buffer
  std::uint16_t gpu;               ///< 1 + index into Header::gpus of the GPU whose memory it is; 0: host, or not known
  std::uint64_t bytes;             ///< of all messages
  std::uint64_t messages;          ///< number of messages
  std::uint64_t sizes[kSizeBins];  ///< messages per size_bin(); their sum is `messages`
};
static_assert(sizeof(PeerRow) == 384);

/// Collective operations; the blocking, nonblocking, persistent and large-count forms of one operation share a number.
enum class Operation : std::uint16_t {
  barrier = 0,                ///< MPI_Barrier
  bcast = 1,                  ///< MPI_Bcast
  gather = 2,                 ///< MPI_Gather
  gatherv = 3,                ///< MPI_Gatherv
  scatter = 4,                ///< MPI_Scatter
  scatterv = 5,               ///< MPI_Scatterv
  allgather = 6,              ///< MPI_Allgather
  allgatherv = 7,             ///< MPI_Allgatherv
  alltoall = 8,               ///< MPI_Alltoall
  alltoallv = 9,              ///< MPI_Alltoallv
  alltoallw = 10,             ///< MPI_Alltoallw
  reduce = 11,                ///< MPI_Reduce
  allreduce = 12,             ///< MPI_Allreduce
  reduce_scatter = 13,        ///< MPI_Reduce_scatter
  reduce_scatter_block = 14,  ///< MPI_Reduce_scatter_block
  scan = 15,                  ///< MPI_Scan
  exscan = 16,                ///< MPI_Exscan
  neighbor_allgather = 17,    ///< MPI_Neighbor_allgather
  neighbor_allgatherv = 18,   ///< MPI_Neighbor_allgatherv
  neighbor_alltoall = 19,     ///< MPI_Neighbor_alltoall
  neighbor_alltoallv = 20,    ///< MPI_Neighbor_alltoallv
  neighbor_alltoallw = 21,    ///< MPI_Neighbor_alltoallw
  point_to_point = 255,       ///< a message; in TraceRow only
};

/// What CollectiveRow::bytes means; it is always the part of ONE member in one call.
enum class Share : std::uint8_t {
  none,         ///< no data (barrier)
  vector,       ///< the whole vector, equal at every member: bcast, reduce, allreduce, scan, exscan
  own,          ///< what this member contributes to everyone or to the root: gather(v), allgather(v)
  block,        ///< what goes to (or from the root comes to) one member, equal for all: scatter, alltoall,
                ///< reduce_scatter_block
  per_partner,  ///< sum over the partners; the exact split is in VectorRow: do not expand this row, add the VectorRows
};

/// What is known of an operation.
struct OperationFacts {
  std::string_view name;  ///< "bcast"
  Share share;            ///< what the bytes of its rows mean
  bool rooted;            ///< CollectiveRow::root is a rank; else kNoRoot
};

/// Indexed by Operation up to neighbor_alltoallw.
inline constexpr OperationFacts kOperations[] = {
    {"barrier", Share::none, false},
    {"bcast", Share::vector, true},
    {"gather", Share::own, true},
    {"gatherv", Share::own, true},
    {"scatter", Share::block, true},
    {"scatterv", Share::per_partner, true},
    {"allgather", Share::own, false},
    {"allgatherv", Share::own, false},
    {"alltoall", Share::block, false},
    {"alltoallv", Share::per_partner, false},
    {"alltoallw", Share::per_partner, false},
    {"reduce", Share::vector, true},
    {"allreduce", Share::vector, false},
    {"reduce_scatter", Share::per_partner, false},  // VectorRows: the block that each member ends up with
    {"reduce_scatter_block", Share::block, false},
    {"scan", Share::vector, false},
    {"exscan", Share::vector, false},
    {"neighbor_allgather", Share::per_partner, false},
    {"neighbor_allgatherv", Share::per_partner, false},
    {"neighbor_alltoall", Share::per_partner, false},
    {"neighbor_alltoallv", Share::per_partner, false},
    {"neighbor_alltoallw", Share::per_partner, false},
};
/// Number of collective operations.
inline constexpr std::size_t kOperationCount = sizeof(kOperations) / sizeof(kOperations[0]);
static_assert(kOperationCount == static_cast<std::size_t>(Operation::neighbor_alltoallw) + 1);

inline constexpr std::int32_t kNoRoot = -1;  ///< the operation has no root
inline constexpr std::int32_t kRootHere =
    -2;  ///< intercommunicator: MPI_ROOT, this process sends to (or takes from) the remote group
inline constexpr std::int32_t kNotTakingPart =
    -3;  ///< intercommunicator: MPI_PROC_NULL, in the root's group but not the root

/// Calls of one collective on one communicator, as this process took part. Every member writes its own rows, so each
/// rank's sends under a model follow from its own rows and the group alone; contributions that differ between members
/// (gatherv, allgatherv) are in the rows of those members. Key: (group, operation, root, size_bin, memory).
struct CollectiveRow {
  std::uint64_t group;  ///< key of the GroupRecord
  std::int32_t root;  ///< rank in the communicator (in the remote group for an intercommunicator), or one of the three
                      ///< values above
  Operation operation;    ///< the collective
  std::uint8_t size_bin;  ///< size_bin() of the bytes of one call
  Memory memory;          ///< of this process's buffer
  std::uint64_t calls;    ///< number of calls
  std::uint64_t bytes;    ///< summed over the calls; meaning by kOperations[operation].share
};
static_assert(sizeof(CollectiveRow) == 32);

/// The exact split of a Share::per_partner collective, as sent by this process. Key: (group, operation, peer, memory).
/// The process itself occurs as a peer (its own block of an alltoallv); parts of 0 bytes do not.
struct VectorRow {
  std::uint64_t group;     ///< key of the GroupRecord
  std::int32_t peer;       ///< rank in the job's world, or kOutside
  Operation operation;     ///< the collective
  std::uint8_t reserved;   ///< 0
  Memory memory;           ///< of this process's buffer
  std::uint64_t messages;  ///< calls in which this peer got more than 0 bytes
  std::uint64_t bytes;     ///< summed over these calls
};
static_assert(sizeof(VectorRow) == 32);

/// `length` world ranks first, first + stride, ...
struct Run {
  std::int32_t first;    ///< kOutside (with stride 0): `length` members of another job
  std::int32_t stride;   ///< from one rank to the next
  std::uint64_t length;  ///< number of ranks
};
static_assert(sizeof(Run) == 16);

/// Members of a communicator in the order of their ranks. Written by member 0, and by every member if it is short: the
/// same key may be in many files and always means the same list. The record of an intercommunicator lists the remote
/// group after the local one.
struct GroupRecord {
  std::uint64_t key;             ///< group_key() of the members
  std::uint32_t runs;            ///< Run structs that follow this record: the members
  std::uint32_t remote_runs;     ///< and then the remote group; 0 in an intracommunicator
  std::uint64_t members;         ///< sum of the lengths of `runs`
  std::uint64_t remote_members;  ///< sum of the lengths of the remote runs
};
static_assert(sizeof(GroupRecord) == 32);

/// This process is member `rank` of a communicator of NCCL or RCCL. The library gives a process nothing of the other
/// members but this key, which is the same in all of them: a reader puts the files of a job together to know which
/// process is which member. A process that drives several GPUs may be several members.
struct CommunicatorRow {
  std::uint64_t key;   ///< names the communicator
  std::int32_t rank;   ///< in the communicator
  std::int32_t size;   ///< of the communicator; 0: not known (NCCL before 2.27)
  std::int32_t nodes;  ///< nodes that it spans; 0: not known
  std::uint32_t gpu;   ///< 1 + index into Header::gpus of the member's GPU; 0: not known
  char name[40];       ///< given by the program, cut, 0-terminated
};
static_assert(sizeof(CommunicatorRow) == 64);

/// Collective calls on such a communicator. Buffers lie on GPUs. Key: all but the counters.
struct CommunicatorCallRow {
  std::uint64_t communicator;  ///< key of the CommunicatorRow
  std::int32_t rank;           ///< of this member in the communicator
  std::int32_t root;           ///< rank in the communicator, or kNoRoot
  Operation operation;         ///< the collective
  std::uint8_t size_bin;       ///< size_bin() of the bytes of one call
  std::uint8_t channels;       ///< channels of one call; 0: not known
  char protocol[8];            ///< "SIMPLE", "LL", "LL128"; empty: not known
  std::uint8_t reserved[4];    ///< 0
  char algorithm[16];          ///< "RING", "TREE", "NVLS", ...; empty: not known
  std::uint64_t calls;         ///< number of calls
  std::uint64_t bytes;         ///< summed over the calls; meaning by kOperations[operation].share
};
static_assert(sizeof(CommunicatorCallRow) == 64);

/// Messages (ncclSend) to another member. Key: (communicator, rank, peer).
struct CommunicatorSendRow {
  std::uint64_t communicator;  ///< key of the CommunicatorRow
  std::int32_t rank;           ///< of this member in the communicator
  std::int32_t peer;           ///< rank in the communicator
  std::uint64_t messages;      ///< number of messages
  std::uint64_t bytes;         ///< of all messages
};
static_assert(sizeof(CommunicatorSendRow) == 32);

/// One message or collective call.
struct TraceRow {
  std::uint64_t time_ns;  ///< since Header::start_ns, monotonic clock, at the begin of the call (at MPI_Start for
                          ///< persistent ones, when NCCL reports it)
  std::uint64_t bytes;    ///< of the message; for a collective as in CollectiveRow, one call
  std::uint64_t group;    ///< of a collective: GroupRecord or CommunicatorRow; of a message 0, or a CommunicatorRow
  std::int32_t peer;      ///< world rank or kOutside, rank in the communicator that `group` names; for a collective its
                          ///< root as in CollectiveRow
  Operation operation;    ///< point_to_point, or the collective
  Channel channel;        ///< of a message
  Memory memory;          ///< of this process's buffer
};
static_assert(sizeof(TraceRow) == 32);

/// FNV-1a over the 32-bit words of the member list (and, for an intercommunicator, -2 and the remote list).
class GroupKey {
 public:
  /// Adds the next member.
  constexpr void add(std::int32_t world_rank) {
    hash_.add_number(static_cast<std::uint32_t>(world_rank), sizeof(world_rank));
  }
  /// The key of the members so far.
  [[nodiscard]] constexpr std::uint64_t value() const { return hash_.value(); }

 private:
  Fnv1a hash_;
};
/// GroupRecord::key of a communicator, or of an intercommunicator if `remote` is not empty.
[[nodiscard]] constexpr std::uint64_t group_key(std::span<const std::int32_t> members,
                                                std::span<const std::int32_t> remote = {}) {
  GroupKey key;
  for (const std::int32_t rank : members) key.add(rank);
  if (!remote.empty()) key.add(-2);
  for (const std::int32_t rank : remote) key.add(rank);
  return key.value();
}

/// "00c0ffee00c0ffee.17.twprof": 16 hexadecimal digits of the job, the rank, the suffix.
[[nodiscard]] inline std::string profile_file_name(std::uint64_t job, std::int32_t rank) {
  std::string name(16, '0');
  for (int digit = 15; digit >= 0; --digit, job >>= 4)
    name[static_cast<std::size_t>(digit)] = "0123456789abcdef"[job & 15];
  return name + "." + std::to_string(rank) + std::string(kFileSuffix);
}

// Which files belong to one run: a directory may hold files of several jobs (earlier runs, spawned jobs). Readers take
// the job with the greatest start_ns among those with spawned == 0 (spawned ones only if asked for, or if there are no
// others). When rank 0 of a job that was not spawned finalizes, it removes the files of all jobs that began before its
// own.

}  // namespace topowise::profile
