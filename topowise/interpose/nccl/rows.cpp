// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/nccl/rows.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include <topowise/interpose/recording/launched_world.hpp>
#include <topowise/interpose/recording/message.hpp>
#include <topowise/interpose/recording/recording.hpp>
#include <topowise/interpose/recording/row_index.hpp>
#include <topowise/interpose/recording/thread.hpp>

namespace topowise::interpose::nccl {
namespace {

using profile::CommunicatorCallRow;
using profile::CommunicatorRow;
using profile::CommunicatorSendRow;
using profile::SegmentKind;

struct Member {
  std::uint64_t key;
  int rank;
  int size;  ///< 0: not known

  /// Whether there may be a member of this number. Readers end at a row that cannot be.
  [[nodiscard]] bool may_know(int other) const noexcept { return other >= 0 && (size <= 0 || other < size); }
};

/// How the library does a collective, cut to what a row holds.
struct Way {
  std::array<char, sizeof(CommunicatorCallRow::algorithm)> algorithm{};
  std::array<char, sizeof(CommunicatorCallRow::protocol)> protocol{};
  friend bool operator==(const Way&, const Way&) = default;
};

struct Rows {
  std::mutex mutex;
  std::vector<Member> members;
  std::vector<Way> ways;
  RowIndex<CommunicatorCallRow> calls;
  RowIndex<CommunicatorSendRow> sends;
};
Rows& rows() {
  static Rows& all = *new Rows;  // never destroyed: threads may outlive the program's static objects
  return all;
}

template <std::size_t N>
void copy_text(char (&field)[N], const char* text) noexcept {
  if (text != nullptr) std::strncpy(field, text, N - 1);
}
template <std::size_t N>
std::array<char, N> cut(const char* text) noexcept {
  std::array<char, N> field{};
  if (text != nullptr) std::strncpy(field.data(), text, N - 1);
  return field;
}

/// A small number for a way; equal ways have equal numbers. Ways beyond the last number are not distinguished.
std::uint64_t number_of(Rows& all, const Way& way) {
  constexpr std::size_t kMost = 256;
  const auto known = std::find(all.ways.begin(), all.ways.end(), way);
  if (known == all.ways.end() && all.ways.size() < kMost) {
    all.ways.push_back(way);
    return all.ways.size() - 1;
  }
  return static_cast<std::uint64_t>(std::min<std::ptrdiff_t>(known - all.ways.begin(), kMost - 1));
}

/// The row of `key`, made from `fresh` if there is none; null if there is no room for it on the disk.
template <class Row>
Row* row_of(RowIndex<Row>& index, RowKey key, SegmentKind kind, const Row& fresh) {
  if (Row* const* known = index.find(key)) return *known;
  Row* row = profile_file().append(kind, fresh);
  index.insert(key, row);
  return row;
}

void trace(std::uint64_t communicator, std::uint64_t bytes, int peer, profile::Operation operation) noexcept {
  if (!trace_wanted()) return;
  if (Thread* thread = this_thread())
    thread->trace_call({0, bytes, communicator, peer, operation, profile::Channel::send, profile::Memory::device});
}

void lose(std::uint64_t& counter, std::uint64_t amount) noexcept {
  std::atomic_ref(counter).fetch_add(amount, std::memory_order_relaxed);
}

}  // namespace

bool begin(const Communicator& first) noexcept try {
  const std::optional<World> launched = launched_world();
  if (!begin_without_mpi(launched ? *launched : World{first.rank, first.size})) return false;
  note_gpu_driver();
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

int member(const Communicator& communicator) noexcept try {
  if (!Member{communicator.key, communicator.rank, communicator.size}.may_know(communicator.rank)) return kNoMember;
  Rows& all = rows();
  const std::scoped_lock lock(all.mutex);
  const auto known = std::find_if(all.members.begin(), all.members.end(), [&](const Member& one) {
    return one.key == communicator.key && one.rank == communicator.rank;
  });
  const auto number = static_cast<int>(known - all.members.begin());
  if (known != all.members.end()) return number;
  all.members.push_back({communicator.key, communicator.rank, communicator.size});
  CommunicatorRow row{communicator.key, communicator.rank, communicator.size, communicator.nodes, 0, {}};
  if (communicator.gpu >= 0 && communicator.gpu < static_cast<int>(profile::kMostGpus)) {
    row.gpu = static_cast<std::uint32_t>(communicator.gpu + 1);
    note_gpu(communicator.gpu);
  }
  copy_text(row.name, communicator.name);
  static_cast<void>(profile_file().append(SegmentKind::communicators, row));
  return number;
} catch (const std::bad_alloc&) {
  return kNoMember;
}

void count_call(int member, const Call& call) noexcept try {
  if (member == kNoMember) return;
  Rows& all = rows();
  const std::scoped_lock lock(all.mutex);
  const Member& here = all.members[static_cast<std::size_t>(member)];
  if (call.root != profile::kNoRoot && !here.may_know(call.root)) return lose(profile_file().header().calls_lost, 1);
  const Way way{cut<sizeof(CommunicatorCallRow::algorithm)>(call.algorithm),
                cut<sizeof(CommunicatorCallRow::protocol)>(call.protocol)};
  CommunicatorCallRow fresh{};
  fresh.communicator = here.key;
  fresh.rank = here.rank;
  fresh.root = call.root;
  fresh.operation = call.operation;
  fresh.size_bin = static_cast<std::uint8_t>(profile::size_bin(call.bytes));
  fresh.channels = static_cast<std::uint8_t>(std::clamp(call.channels, 0, 255));
  std::copy(way.algorithm.begin(), way.algorithm.end(), fresh.algorithm);
  std::copy(way.protocol.begin(), way.protocol.end(), fresh.protocol);
  const RowKey key{static_cast<std::uint64_t>(member),
                   static_cast<std::uint64_t>(fresh.operation) | std::uint64_t{fresh.size_bin} << 8 |
                       std::uint64_t{fresh.channels} << 16 | number_of(all, way) << 24 |
                       static_cast<std::uint64_t>(static_cast<std::uint32_t>(fresh.root)) << 32};
  if (CommunicatorCallRow* row = row_of(all.calls, key, SegmentKind::communicator_calls, fresh)) {
    add(row->calls, 1);
    add(row->bytes, call.bytes);
  } else {
    lose(profile_file().header().calls_lost, 1);
  }
  trace(here.key, call.bytes, call.root, call.operation);
} catch (const std::bad_alloc&) {
  lose(profile_file().header().calls_lost, 1);
}

void count_message(int member, int peer, std::uint64_t bytes) noexcept try {
  if (member == kNoMember) return;
  Rows& all = rows();
  const std::scoped_lock lock(all.mutex);
  const Member& here = all.members[static_cast<std::size_t>(member)];
  if (!here.may_know(peer)) return lose(profile_file().header().messages_lost, 1);
  const RowKey key{static_cast<std::uint64_t>(member), static_cast<std::uint32_t>(peer)};
  if (CommunicatorSendRow* row =
          row_of(all.sends, key, SegmentKind::communicator_sends, {here.key, here.rank, peer, 0, 0})) {
    add(row->messages, 1);
    add(row->bytes, bytes);
  } else {
    lose(profile_file().header().messages_lost, 1);
    lose(profile_file().header().bytes_lost, bytes);
  }
  trace(here.key, bytes, peer, profile::Operation::point_to_point);
} catch (const std::bad_alloc&) {
  lose(profile_file().header().messages_lost, 1);
  lose(profile_file().header().bytes_lost, bytes);
}

}  // namespace topowise::interpose::nccl
