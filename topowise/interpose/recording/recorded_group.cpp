// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/recorded_group.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>

#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/recording/recording.hpp>
#include <topowise/interpose/recording/runs.hpp>

namespace topowise::interpose {
namespace {

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

}  // namespace

const RecordedGroup* detail::record_group(Communicator& communicator, Neighbors neighbors) noexcept try {
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

}  // namespace topowise::interpose
