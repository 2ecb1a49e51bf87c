// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/collective.hpp>

#include <new>

#include <topowise/interpose/base/communicator.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/recording/recorded_group.hpp>
#include <topowise/interpose/recording/request.hpp>
#include <topowise/interpose/recording/thread.hpp>

namespace topowise::interpose {
namespace {

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

void contribution(When when, Operation operation, const Buffer& send, const Buffer& receive, std::optional<int> root,
                  const GroupRef& comm) noexcept {
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

void contribution(When when, Operation operation, const Buffer& send, const VectorBuffer& receive,
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

void reduce_scatter(When when, const void* send, const Counts& counts, const TypeRef& type,
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

void reduce_scatter_block(When when, const Buffer& block, const GroupRef& comm) noexcept {
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
