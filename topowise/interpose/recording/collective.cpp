// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/collective.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/base/communicator.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/recording/recording.hpp>
#include <topowise/interpose/recording/request.hpp>
#include <topowise/interpose/recording/thread.hpp>

namespace topowise::interpose {

std::vector<profile::Run> compress(std::span<const std::int32_t> ranks) {
  std::vector<profile::Run> runs;
  for (std::size_t begin = 0; begin < ranks.size();) {
    const bool outside = ranks[begin] == profile::kOutside;  // those of another job never share a run with ours
    std::size_t end = begin + 1;
    const auto fits = [&] { return end < ranks.size() && (ranks[end] == profile::kOutside) == outside; };
    const std::int32_t stride = fits() ? ranks[end] - ranks[begin] : 0;
    while (fits() && ranks[end] - ranks[end - 1] == stride) ++end;
    runs.push_back({ranks[begin], stride, end - begin});
    begin = end;
  }
  return runs;
}

namespace {

// A communicator as its collectives are recorded: the key of its member list in the file, and whom neighbourhood
// collectives send to.

/// A neighbour that does not exist: beyond the open boundary of a Cartesian communicator.
constexpr std::int32_t kNoNeighbor = -2;

struct RecordedGroup : Attachment {
  std::uint64_t key = 0;  ///< of its GroupRecord
  std::atomic<bool> neighbors_known{false};
  std::vector<std::int32_t> neighbors;  ///< world ranks in the order of MPI's send buffers; once known, constant
};

enum class Neighbors : bool { not_asked, asked };

// Whom a neighbourhood collective sends to.

std::vector<int> cartesian(const Mpi& m, Word comm) {
  int dimensions = 0;
  std::vector<int> ranks;
  if (m.Cartdim_get(comm, &dimensions) != 0) return ranks;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int below = 0;
    int above = 0;
    if (m.Cart_shift(comm, dimension, 1, &below, &above) != 0) return {};
    ranks.insert(ranks.end(), {below, above});
  }
  return ranks;
}

std::vector<int> graph(const Mpi& m, Word comm, int rank) {
  int count = 0;
  if (m.Graph_neighbors_count(comm, rank, &count) != 0) return {};
  std::vector<int> ranks(static_cast<std::size_t>(count));
  if (m.Graph_neighbors(comm, rank, count, ranks.data()) != 0) return {};
  return ranks;
}

std::vector<int> distributed_graph(const Mpi& m, Word comm) {
  int sources = 0;
  int destinations = 0;
  int weighted = 0;
  if (m.Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted) != 0) return {};
  std::vector<int> in(static_cast<std::size_t>(sources) + 1);  // never null, also without any neighbour
  std::vector<int> in_weights(in.size());
  std::vector<int> out(static_cast<std::size_t>(destinations) + 1);
  std::vector<int> out_weights(out.size());
  if (m.Dist_graph_neighbors(comm, sources, in.data(), in_weights.data(), destinations, out.data(),
                             out_weights.data()) != 0)
    return {};
  out.pop_back();
  return out;
}

/// Ranks in the communicator `comm`, of which this process is `rank`, in the order of MPI's send buffers: for a
/// Cartesian communicator -1 and +1 in each dimension (MPI_PROC_NULL at an open end), for a graph its edges, for a
/// distributed graph its destinations. Empty if the communicator has no topology.
std::vector<int> neighbors_of(const Mpi& m, Word comm, int rank) {
  int topology = 0;
  if (m.Topo_test(comm, &topology) != 0) return {};
  if (topology == m.family.cart) return cartesian(m, comm);
  if (topology == m.family.graph) return graph(m, comm, rank);
  if (topology == m.family.dist_graph) return distributed_graph(m, comm);
  return {};
}

static_assert(kOutside == profile::kOutside);

struct Written {
  std::recursive_mutex mutex;       // the program's error handler may call MPI from inside our questions
  std::vector<std::uint64_t> keys;  ///< of the GroupRecords in the file
};
Written& written() {
  static Written& all = *new Written;  // never destroyed: threads may outlive the program's static objects
  return all;
}

/// Writes the record of a communicator. True if it is in the file now, or need not be.
bool write_record(std::uint64_t key, const Communicator& communicator, std::vector<profile::Run> runs,
                  const std::vector<profile::Run>& remote_runs) {
  constexpr std::size_t kShort = 4;  // such a list may be in every member's file: it costs less than a row
  if (communicator.rank != 0 && runs.size() + remote_runs.size() > kShort) return true;
  const profile::GroupRecord record{
      key, static_cast<std::uint32_t>(runs.size()), static_cast<std::uint32_t>(remote_runs.size()),
      static_cast<std::uint64_t>(communicator.members.size()), static_cast<std::uint64_t>(communicator.remote.size())};
  runs.insert(runs.end(), remote_runs.begin(), remote_runs.end());
  std::vector<std::byte> bytes(sizeof(record) + runs.size() * sizeof(profile::Run));
  std::memcpy(bytes.data(), &record, sizeof(record));
  std::memcpy(bytes.data() + sizeof(record), runs.data(), runs.size() * sizeof(profile::Run));
  return profile_file().append_bytes(profile::SegmentKind::groups, 1, bytes) != nullptr;
}

std::uint64_t write_group(const Communicator& communicator) {
  const std::vector<std::int32_t> members = communicator.members.expanded();
  const std::vector<std::int32_t> remote = communicator.remote.expanded();
  const std::uint64_t key = profile::group_key(members, remote);
  std::vector<std::uint64_t>& keys = written().keys;
  if (std::find(keys.begin(), keys.end(), key) == keys.end() &&
      write_record(key, communicator, compress(members), compress(remote)))
    keys.push_back(key);
  return key;
}

std::vector<std::int32_t> world_ranks_of_neighbors(const Communicator& communicator) {
  std::vector<std::int32_t> ranks = neighbors_of(*mpi(), communicator.handle, communicator.rank);
  for (std::int32_t& rank : ranks) {
    const bool exists = rank >= 0 && rank < communicator.members.size();
    rank = exists ? communicator.members[rank] : kNoNeighbor;
  }
  return ranks;
}

RecordedGroup& group_of(Communicator& communicator) {
  if (Attachment* known = communicator.attached(AttachedBy::recording)) return static_cast<RecordedGroup&>(*known);
  auto fresh = std::make_unique<RecordedGroup>();
  fresh->key = write_group(communicator);
  return static_cast<RecordedGroup&>(communicator.attach(AttachedBy::recording, std::move(fresh)));
}

const RecordedGroup* record_group(Communicator& communicator, Neighbors neighbors) noexcept try {
  const std::scoped_lock lock(written().mutex);
  RecordedGroup& group = group_of(communicator);
  if (neighbors == Neighbors::asked && !group.neighbors_known.load(std::memory_order_relaxed)) {
    group.neighbors = world_ranks_of_neighbors(communicator);
    group.neighbors_known.store(true, std::memory_order_release);
  }
  return &group;
} catch (const std::bad_alloc&) {
  return nullptr;
}

/// Null if there is no memory for it.
const RecordedGroup* recorded_group(Communicator& communicator, Neighbors neighbors) noexcept {
  const auto* known = static_cast<const RecordedGroup*>(communicator.attached(AttachedBy::recording));
  const bool complete =
      known != nullptr && (neighbors == Neighbors::not_asked || known->neighbors_known.load(std::memory_order_acquire));
  return complete ? known : record_group(communicator, neighbors);
}

/// One collective call on its way into the rows.
class Call {
 public:
  Call(When when, Operation operation, const GroupRef& comm, Neighbors neighbors = Neighbors::not_asked) noexcept
      : when_(when) {
    const bool wanted = when.now ? recording() : recording_or_paused();
    thread_ = wanted ? this_thread() : nullptr;
    if (thread_ == nullptr) return;
    thread_->partners.clear();
    const KnownCommunicator* known = find_communicator(comm);
    if (known == nullptr) return;
    group_ = recorded_group(*known->communicator, neighbors);
    if (group_ == nullptr) return;
    communicator_ = known->communicator;
    row_ = {group_->key, profile::kNoRoot, operation, 0, profile::Memory::host, 0, 0};
  }

  /// Whether there is anything to record.
  explicit operator bool() const { return communicator_ != nullptr; }
  [[nodiscard]] const Communicator& communicator() const { return *communicator_; }
  [[nodiscard]] const std::vector<std::int32_t>& neighbors() const { return group_->neighbors; }

  [[nodiscard]] static std::uint64_t bytes_of(Count count, const TypeRef& type) {
    return count > 0 ? static_cast<std::uint64_t>(count) * type_size(type) : 0;
  }
  [[nodiscard]] static std::uint64_t bytes_of(const Buffer& buffer) { return bytes_of(buffer.count, buffer.type); }

  void set_root(std::optional<int> root) {
    if (!root) return;
    const Family& family = mpi()->family;
    if (communicator_->inter && *root == family.root)
      row_.root = profile::kRootHere;
    else if (communicator_->inter && *root == family.proc_null)
      row_.root = profile::kNotTakingPart;
    else
      row_.root = *root;
  }
  /// Whether this process is the root that data starts from or comes to.
  [[nodiscard]] bool is_root() const {
    return communicator_->inter ? row_.root == profile::kRootHere : row_.root == communicator_->rank;
  }
  [[nodiscard]] bool takes_part() const { return row_.root != profile::kNotTakingPart; }

  void to_partner(std::int32_t world_rank, std::uint64_t bytes) {
    total_ += bytes;
    if (bytes > 0 && world_rank != kNoNeighbor)
      thread_->partners.push_back({row_.group, world_rank, row_.operation, 0, row_.memory, 0, bytes});
  }

  void set_memory(const void* buffer) { row_.memory = thread_->memory_of(buffer).memory; }
  void finish(std::uint64_t bytes) {
    if (when_.now)
      thread_->count_call(row_, bytes, thread_->partners);
    else
      remember_request(when_.request, {{}, row_, bytes, thread_->partners});
  }
  /// Counts the call with the sum over to_partner().
  void finish() { finish(total_); }

 private:
  When when_;
  Thread* thread_ = nullptr;
  const Communicator* communicator_ = nullptr;
  const RecordedGroup* group_ = nullptr;
  profile::CollectiveRow row_{};
  std::uint64_t total_ = 0;
};

bool in_place(const void* buffer) {
  return buffer == mpi()->family.in_place;
}

/// The bodies below may run out of memory; the call is then not counted.
template <class Body>
void guarded(Body body) noexcept {
  try {
    body();
  } catch (const std::bad_alloc&) {
  }
}

template <class Bytes>
void to_all(Call& call, const MemberList& members, Bytes bytes_for) {
  for (std::int32_t member = 0; member < members.size(); ++member) call.to_partner(members[member], bytes_for(member));
}
template <class Bytes>
void to_neighbors(Call& call, Bytes bytes_for) {
  const std::vector<std::int32_t>& neighbors = call.neighbors();
  for (std::size_t i = 0; i < neighbors.size(); ++i)
    if (neighbors[i] != kNoNeighbor) call.to_partner(neighbors[i], bytes_for(static_cast<int>(i)));
}

}  // namespace

void barrier(When when, const GroupRef& comm) noexcept {
  guarded([&] {
    if (Call call(when, Operation::barrier, comm); call) call.finish(0);
  });
}

void count_whole_vector(When when, Operation operation, const Buffer& buffer, std::optional<int> root,
                        const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, operation, comm);
    if (!call) return;
    call.set_root(root);
    call.set_memory(buffer.address);
    call.finish(call.takes_part() ? call.bytes_of(buffer) : 0);
  });
}

void count_contribution(When when, Operation operation, const Buffer& send, const Buffer& receive,
                        std::optional<int> root, const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, operation, comm);
    if (!call) return;
    call.set_root(root);
    const bool contributes = call.takes_part() && !(call.communicator().inter && call.is_root());
    const Buffer& buffer = in_place(send.address) ? receive : send;
    call.set_memory(buffer.address);
    call.finish(contributes ? call.bytes_of(buffer) : 0);
  });
}

void count_contribution(When when, Operation operation, const Buffer& send, const VectorBuffer& receive,
                        std::optional<int> root, const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, operation, comm);
    if (!call) return;
    call.set_root(root);
    const bool contributes = call.takes_part() && !(call.communicator().inter && call.is_root());
    if (!contributes) return call.finish(0);
    const bool from_receive = in_place(send.address);
    call.set_memory(from_receive ? receive.address : send.address);
    call.finish(from_receive ? call.bytes_of(receive.counts[call.communicator().rank], receive.type)
                             : call.bytes_of(send));
  });
}

void scatter(When when, const Buffer& send, const Buffer& receive, std::optional<int> root,
             const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, Operation::scatter, comm);
    if (!call) return;
    call.set_root(root);
    const Buffer& buffer = call.is_root() ? send : receive;
    call.set_memory(buffer.address);
    call.finish(call.takes_part() ? call.bytes_of(buffer) : 0);
  });
}

void scatterv(When when, const VectorBuffer& send, const Buffer& receive, std::optional<int> root,
              const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, Operation::scatterv, comm);
    if (!call) return;
    call.set_root(root);
    call.set_memory(call.is_root() ? send.address : receive.address);
    if (call.is_root())
      to_all(call, call.communicator().destinations(),
             [&](int member) { return call.bytes_of(send.counts[member], send.type); });
    call.finish();
  });
}

void alltoall(When when, const Buffer& send, const Buffer& receive, const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, Operation::alltoall, comm);
    if (!call) return;
    const Buffer& buffer = in_place(send.address) ? receive : send;
    call.set_memory(buffer.address);
    call.finish(call.bytes_of(buffer));
  });
}

void alltoallv(When when, const VectorBuffer& send, const VectorBuffer& receive, const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, Operation::alltoallv, comm);
    if (!call) return;
    const VectorBuffer& buffer = in_place(send.address) ? receive : send;
    call.set_memory(buffer.address);
    to_all(call, call.communicator().destinations(),
           [&](int member) { return call.bytes_of(buffer.counts[member], buffer.type); });
    call.finish();
  });
}

void alltoallw(When when, const TypedVectorBuffer& send, const TypedVectorBuffer& receive,
               const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, Operation::alltoallw, comm);
    if (!call) return;
    const TypedVectorBuffer& buffer = in_place(send.address) ? receive : send;
    call.set_memory(buffer.address);
    to_all(call, call.communicator().destinations(),
           [&](int member) { return call.bytes_of(buffer.counts[member], buffer.types[member]); });
    call.finish();
  });
}

void count_reduce_scatter(When when, const void* send, const Counts& counts, const TypeRef& type,
                          const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, Operation::reduce_scatter, comm);
    if (!call) return;
    call.set_memory(send);
    // In an intercommunicator each group scatters its reduction over the other, which has its own counts. This counts
    // as if the reduction were scattered over our group.
    to_all(call, call.communicator().members, [&](int member) { return call.bytes_of(counts[member], type); });
    call.finish();
  });
}

void count_reduce_scatter_block(When when, const Buffer& block, const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, Operation::reduce_scatter_block, comm);
    if (!call) return;
    call.set_memory(block.address);
    call.finish(call.bytes_of(block));
  });
}

void to_each_neighbor(When when, Operation operation, const Buffer& send, const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, operation, comm, Neighbors::asked);
    if (!call) return;
    call.set_memory(send.address);
    const std::uint64_t bytes = call.bytes_of(send);
    to_neighbors(call, [&](int) { return bytes; });
    call.finish();
  });
}

void neighbor_alltoallv(When when, const VectorBuffer& send, const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, Operation::neighbor_alltoallv, comm, Neighbors::asked);
    if (!call) return;
    call.set_memory(send.address);
    to_neighbors(call, [&](int neighbor) { return call.bytes_of(send.counts[neighbor], send.type); });
    call.finish();
  });
}

void neighbor_alltoallw(When when, const TypedVectorBuffer& send, const GroupRef& comm) noexcept {
  guarded([&] {
    Call call(when, Operation::neighbor_alltoallw, comm, Neighbors::asked);
    if (!call) return;
    call.set_memory(send.address);
    to_neighbors(call, [&](int neighbor) { return call.bytes_of(send.counts[neighbor], send.types[neighbor]); });
    call.finish();
  });
}

}  // namespace topowise::interpose
