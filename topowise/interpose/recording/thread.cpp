// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/thread.hpp>

#include <pthread.h>

#include <memory>
#include <mutex>
#include <new>

namespace topowise::interpose {
namespace {

/// Threads that ended, with their rows.
struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Thread>> free;
  pthread_key_t key{};
  Pool() { pthread_key_create(&key, give_back); }

  static void give_back(void* thread);
};
Pool& pool() {
  static Pool& all = *new Pool;  // outlives every thread
  return all;
}
void Pool::give_back(void* thread) {
  detail::thread = nullptr;
  std::unique_ptr<Thread> ended(static_cast<Thread*>(thread));
  const std::scoped_lock lock(pool().mutex);
  try {
    pool().free.push_back(std::move(ended));
  } catch (const std::bad_alloc&) {  // its rows stay as they are, only nobody continues them
  }
}

constexpr std::uint64_t kTraceLimit = std::uint64_t{1} << 30;  ///< bytes of trace in one process
constexpr std::size_t kTraceSegment = std::size_t{1} << 20;
std::atomic<std::uint64_t> trace_bytes{0};

std::uint64_t packed(const profile::CollectiveRow& row, std::size_t size_bin) {
  return static_cast<std::uint64_t>(row.operation) | size_bin << 16 | static_cast<std::uint64_t>(row.memory) << 24 |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(row.root)) << 32;
}
std::uint64_t packed(const profile::VectorRow& row) {
  return static_cast<std::uint64_t>(row.operation) | static_cast<std::uint64_t>(row.memory) << 16 |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(row.peer)) << 32;
}

/// A new row for `key`; null if there is no room for it on the disk or in memory.
template <class Row>
Row* new_row(RowIndex<Row>& index, RowKey key, profile::SegmentKind kind, const Row& fresh) noexcept try {
  Row* row = profile_file().append(kind, fresh);
  index.insert(key, row);
  return row;
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace

Thread* new_thread() noexcept try {
  std::unique_ptr<Thread> mine;
  {
    const std::scoped_lock lock(pool().mutex);
    if (!pool().free.empty()) {
      mine = std::move(pool().free.back());
      pool().free.pop_back();
    }
  }
  if (mine == nullptr) mine = std::make_unique<Thread>();
  pthread_setspecific(pool().key, mine.get());
  mine->begin_thread();
  return detail::thread = mine.release();
} catch (const std::bad_alloc&) {
  return nullptr;
}

void note_gpu(int number) noexcept {
  char* name = profile_file().header().gpus[number];  // several threads may write it, all of them the same
  if (*name == '\0') device::write_bus_id(number, name, sizeof(profile::Header::gpus[0]));
}

void Thread::begin_thread() noexcept {
  memory_.set_stack_end(end_of_stack());
}

profile::PeerRow* Thread::new_peer(RowKey key, std::int32_t peer, profile::Channel channel,
                                   BufferMemory where) noexcept {
  if (where.gpu > 0) note_gpu(where.gpu - 1);
  return new_row(peers_, key, profile::SegmentKind::peers, {peer, channel, where.memory, where.gpu, 0, 0, {}});
}

void Thread::count_collective(const profile::CollectiveRow& row, std::uint64_t bytes) noexcept {
  const std::size_t size_bin = profile::size_bin(bytes);
  const RowKey key{row.group, packed(row, size_bin)};
  profile::CollectiveRow* const* known = collectives_.find(key);
  profile::CollectiveRow* mine = known != nullptr ? *known : nullptr;
  if (known == nullptr) {
    profile::CollectiveRow fresh = row;
    fresh.size_bin = static_cast<std::uint8_t>(size_bin);
    mine = new_row(collectives_, key, profile::SegmentKind::collectives, fresh);
  }
  if (mine != nullptr) {
    add(mine->calls, 1);
    add(mine->bytes, bytes);
  } else {
    std::atomic_ref(profile_file().header().calls_lost).fetch_add(1, std::memory_order_relaxed);
  }
  if (tracing_) trace({0, bytes, row.group, row.root, row.operation, profile::Channel::send, row.memory});
}

void Thread::count_partner(const profile::VectorRow& partner) noexcept {
  const RowKey key{partner.group, packed(partner)};
  profile::VectorRow* const* known = vectors_.find(key);
  profile::VectorRow* mine = known != nullptr ? *known : nullptr;
  if (known == nullptr) {
    profile::VectorRow fresh = partner;
    fresh.bytes = 0;
    mine = new_row(vectors_, key, profile::SegmentKind::vectors, fresh);
  }
  if (mine == nullptr) return lose_messages(profile::Channel::send, partner.bytes);
  add(mine->messages, 1);
  add(mine->bytes, partner.bytes);
}

void Thread::count_call(const profile::CollectiveRow& row, std::uint64_t bytes,
                        std::span<const profile::VectorRow> parts) noexcept {
  count_collective(row, bytes);
  for (const profile::VectorRow& part : parts) count_partner(part);
}

void Thread::lose_messages(profile::Channel channel, std::uint64_t bytes) noexcept {
  if (channel == profile::Channel::receive) return;  // no traffic: the sender counts it
  profile::Header& header = profile_file().header();
  std::atomic_ref(header.messages_lost).fetch_add(1, std::memory_order_relaxed);
  std::atomic_ref(header.bytes_lost).fetch_add(bytes, std::memory_order_relaxed);
}

void Thread::trace(profile::TraceRow row) noexcept {
  row.time_ns = trace_time();
  const auto room = [this] { return (trace_segment_->bytes - sizeof(profile::Segment)) / sizeof(profile::TraceRow); };
  if (trace_segment_ == nullptr || trace_segment_->used == room()) {
    const bool allowed = trace_bytes.fetch_add(kTraceSegment, std::memory_order_relaxed) < kTraceLimit;
    trace_segment_ =
        allowed ? profile_file().new_segment(profile::SegmentKind::trace, sizeof(profile::TraceRow), kTraceSegment)
                : nullptr;
    if (allowed && trace_segment_ == nullptr)
      std::atomic_ref(profile_file().header().disk_full).store(1, std::memory_order_relaxed);
  }
  if (trace_segment_ == nullptr) {
    trace_bytes.store(kTraceLimit, std::memory_order_relaxed);  // no further attempt by any thread
    std::atomic_ref(profile_file().header().trace_lost).fetch_add(1, std::memory_order_relaxed);
    return;
  }
  reinterpret_cast<profile::TraceRow*>(trace_segment_ + 1)[trace_segment_->used] = row;
  std::atomic_ref(trace_segment_->used).store(trace_segment_->used + 1, std::memory_order_release);
}

}  // namespace topowise::interpose
