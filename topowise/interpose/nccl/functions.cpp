// SPDX-License-Identifier: BSD-3-Clause
// The preloaded functions of NCCL and RCCL: each is passed on, and counted once it has succeeded. What the library
// calls of itself on the way (RCCL's ncclAllToAll is made of ncclSend) is not the program's call. These are the
// functions that the libraries had before there was a profiler interface; where NCCL uses our plugin they only pass
// calls on.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <string_view>
#include <unordered_map>

#include <topowise/base/hash.hpp>
#include <topowise/interpose/base/clock.hpp>
#include <topowise/interpose/base/entry.hpp>
#include <topowise/interpose/base/symbols.hpp>
#include <topowise/interpose/nccl/plugin.hpp>
#include <topowise/interpose/nccl/rows.hpp>
#include <topowise/interpose/nccl/types.hpp>

#define TOPOWISE_EXPORT extern "C" __attribute__((visibility("default")))

namespace topowise::interpose::nccl {
namespace {

// NCCL's communicators as the preloaded functions see them, where NCCL has no profiler interface or uses another
// plugin. The library states no name of a communicator that all its members share, so one is made of what they all gave
// it: the unique id, or the parent and the colour of a split.

/// ncclComm_t.
using Handle = void*;

/// What ncclCommSplit takes for "no new communicator here".
constexpr int kNoColor = -1;

struct UniqueId {
  char bytes[128];
};

/// What a handle stands for.
struct Known {
  std::uint64_t key = 0;
  int rank = 0;
  int size = 0;  ///< 0: to be asked
  std::uint64_t splits = 0;
  int member = kNoMember;
};

struct Handles {
  std::mutex mutex;
  std::unordered_map<Handle, Known> known;  ///< only looked up: no order of its own
  std::deque<Known> to_come;                ///< made, but the handle is not known yet
};
Handles& handles() {
  static Handles& all = *new Handles;  // never destroyed: threads may outlive the program's static objects
  return all;
}

bool ask(Handle handle, int& rank, int& size) noexcept {
  using Question = int(Handle, int*);
  static auto* const user_rank = reinterpret_cast<Question*>(next_symbol("ncclCommUserRank"));
  static auto* const count = reinterpret_cast<Question*>(next_symbol("ncclCommCount"));
  return user_rank != nullptr && count != nullptr && user_rank(handle, &rank) == 0 && count(handle, &size) == 0;
}

/// The number of the communicator's GPU in this process; below 0 if the library does not say.
int gpu_of(Handle handle) noexcept {
  using Question = int(Handle, int*);
  static auto* const device = reinterpret_cast<Question*>(next_symbol("ncclCommCuDevice"));
  int gpu = -1;
  return device != nullptr && device(handle, &gpu) == 0 ? gpu : -1;
}

void note(Handles& all, Handle made, const Known& known) {
  if (made != nullptr)
    all.known[made] = known;
  else
    all.to_come.push_back(known);
}

/// The oldest communicator to come that this handle can be. Null if there is none.
Known* recognise(Handles& all, Handle handle) {
  int rank = 0;
  int size = 0;
  if (!ask(handle, rank, size)) return nullptr;
  const auto found = std::find_if(all.to_come.begin(), all.to_come.end(), [&](const Known& one) {
    return one.size == 0 || (one.rank == rank && one.size == size);
  });
  if (found == all.to_come.end()) return nullptr;
  Known& known = all.known[handle] = *found;
  all.to_come.erase(found);
  return &known;
}

Known* find(Handles& all, Handle handle) {
  const auto known = all.known.find(handle);
  return known != all.known.end() ? &known->second : recognise(all, handle);
}

/// The number by which the communicator's rows go.
int member_of(Handle handle) {
  Handles& all = handles();
  const std::scoped_lock lock(all.mutex);
  Known* known = find(all, handle);
  if (known == nullptr) return kNoMember;
  if (known->member != kNoMember) return known->member;
  if (known->size == 0 && !ask(handle, known->rank, known->size)) return kNoMember;
  const Communicator communicator{known->key, known->rank, known->size, 0, nullptr, gpu_of(handle)};
  if (begin(communicator)) known->member = member(communicator);
  return known->member;
}

/// Whether these functions are to record the calls of this process: a profile is asked for, and the plugin does not
/// record.
bool functions_are_watched() noexcept {
  static const bool wanted = [] {
    const char* directory = std::getenv("TOPOWISE_PROFILE");
    return directory != nullptr && *directory != '\0';
  }();
  return wanted && !plugin_is_used();
}

/// Runs `body` unless the calls are recorded otherwise. What it throws is lack of memory: the call is not recorded.
template <class Body>
void watched(Body body) noexcept {
  if (!functions_are_watched()) return;
  try {
    body();
  } catch (const std::bad_alloc&) {
  }
}

/// What the library made. `made` is null where it makes the communicator later: at the end of a group, or in the
/// background. It is then known by its rank and size when it is first used.
void note_communicator(Handle made, const UniqueId& id, int rank, int size) noexcept {
  watched([&] {
    Fnv1a hash;
    hash.add(std::string_view(id.bytes, sizeof(id.bytes)));
    const std::scoped_lock lock(handles().mutex);
    note(handles(), made, {hash.value(), rank, size, 0, kNoMember});
  });
}

/// The library made `count` communicators at once, whose only members are GPUs of this process.
void note_all(const Handle* made, int count) noexcept {
  watched([&] {
    Fnv1a hash;  // no other process is a member
    hash.add_number(static_cast<std::uint64_t>(::getpid()), sizeof(std::uint64_t));
    hash.add_number(clock_ns(CLOCK_REALTIME), sizeof(std::uint64_t));
    const std::scoped_lock lock(handles().mutex);
    for (int rank = 0; rank < count; ++rank) note(handles(), made[rank], {hash.value(), rank, count, 0, kNoMember});
  });
}

/// A call of ncclCommSplit on `parent`, all of whose members make it. `made` as above.
void note_split(Handle parent, int color, Handle made) noexcept {
  watched([&] {
    Handles& all = handles();
    const std::scoped_lock lock(all.mutex);
    Known* above = find(all, parent);
    if (above == nullptr) return;
    Fnv1a hash;
    hash.add_number(above->key, sizeof(std::uint64_t));
    hash.add_number(above->splits++, sizeof(std::uint64_t));
    hash.add_number(static_cast<std::uint64_t>(static_cast<std::int64_t>(color)), sizeof(std::uint64_t));
    if (color != kNoColor) note(all, made, {hash.value(), 0, 0, 0, kNoMember});
  });
}

void forget(Handle handle) noexcept {
  watched([&] {
    const std::scoped_lock lock(handles().mutex);
    handles().known.erase(handle);
  });
}

void count_call(Handle handle, const Call& call) noexcept {
  watched([&] { nccl::count_call(member_of(handle), call); });
}

void count_message(Handle handle, int peer, std::uint64_t bytes) noexcept {
  watched([&] { nccl::count_message(member_of(handle), peer, bytes); });
}

constexpr int kSuccess = 0;
constexpr int kInProgress = 7;

// initial-exec as in entry.hpp
[[gnu::tls_model("initial-exec")]] thread_local constinit int depth = 0;

/// A call on its way through the library.
class Passage {
 public:
  Passage() noexcept { ++depth; }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;
  ~Passage() { --depth; }
  /// Whether it is the program's own and has succeeded.
  [[nodiscard]] static bool counts(int status) noexcept {
    return depth == 1 && (status == kSuccess || status == kInProgress);
  }
};

/// Empties a handle that the library may set later, in a group or in the background: what it held before must not look
/// like a communicator.
void empty(Handle* made) noexcept {
  if (made != nullptr) *made = nullptr;
}

template <class... Arguments>
int pass(Entry& entry, Arguments... arguments) {
  return next<int(Arguments...)>(entry)(arguments...);
}

template <class... Arguments>
int collective(Entry& entry, Handle handle, Call call, std::size_t count, int type, Arguments... arguments) {
  const Passage passage;
  const int status = pass(entry, arguments...);
  call.bytes = count * type_bytes(type);
  if (passage.counts(status)) count_call(handle, call);
  return status;
}

}  // namespace
}  // namespace topowise::interpose::nccl

using namespace topowise::interpose;
using namespace topowise::interpose::nccl;
using topowise::profile::Operation;

TOPOWISE_EXPORT int ncclCommInitRank(Handle* made, int size, UniqueId id, int rank) {
  static constinit Entry entry("ncclCommInitRank");
  const Passage passage;
  empty(made);
  const int status = pass(entry, made, size, id, rank);
  if (passage.counts(status)) note_communicator(*made, id, rank, size);
  return status;
}

TOPOWISE_EXPORT int ncclCommInitRankConfig(Handle* made, int size, UniqueId id, int rank, void* config) {
  static constinit Entry entry("ncclCommInitRankConfig");
  const Passage passage;
  empty(made);
  const int status = pass(entry, made, size, id, rank, config);
  if (passage.counts(status)) note_communicator(*made, id, rank, size);
  return status;
}

TOPOWISE_EXPORT int ncclCommInitAll(Handle* made, int count, const int* devices) {
  static constinit Entry entry("ncclCommInitAll");
  const Passage passage;
  const int status = pass(entry, made, count, devices);
  if (passage.counts(status)) note_all(made, count);
  return status;
}

TOPOWISE_EXPORT int ncclCommSplit(Handle parent, int color, int key, Handle* made, void* config) {
  static constinit Entry entry("ncclCommSplit");
  const Passage passage;
  empty(made);
  const int status = pass(entry, parent, color, key, made, config);
  if (passage.counts(status)) note_split(parent, color, *made);
  return status;
}

TOPOWISE_EXPORT int ncclCommDestroy(Handle handle) {
  static constinit Entry entry("ncclCommDestroy");
  if (handle != nullptr) forget(handle);
  return pass(entry, handle);
}

TOPOWISE_EXPORT int ncclCommAbort(Handle handle) {
  static constinit Entry entry("ncclCommAbort");
  if (handle != nullptr) forget(handle);
  return pass(entry, handle);
}

TOPOWISE_EXPORT int ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int operation,
                                  Handle handle, void* stream) {
  static constinit Entry entry("ncclAllReduce");
  return collective(entry, handle, {Operation::allreduce}, count, type, send, receive, count, type, operation, handle,
                    stream);
}

TOPOWISE_EXPORT int ncclBroadcast(const void* send, void* receive, std::size_t count, int type, int root, Handle handle,
                                  void* stream) {
  static constinit Entry entry("ncclBroadcast");
  return collective(entry, handle, {Operation::bcast, root}, count, type, send, receive, count, type, root, handle,
                    stream);
}

TOPOWISE_EXPORT int ncclBcast(void* buffer, std::size_t count, int type, int root, Handle handle, void* stream) {
  static constinit Entry entry("ncclBcast");
  return collective(entry, handle, {Operation::bcast, root}, count, type, buffer, count, type, root, handle, stream);
}

TOPOWISE_EXPORT int ncclReduce(const void* send, void* receive, std::size_t count, int type, int operation, int root,
                               Handle handle, void* stream) {
  static constinit Entry entry("ncclReduce");
  return collective(entry, handle, {Operation::reduce, root}, count, type, send, receive, count, type, operation, root,
                    handle, stream);
}

TOPOWISE_EXPORT int ncclAllGather(const void* send, void* receive, std::size_t count, int type, Handle handle,
                                  void* stream) {
  static constinit Entry entry("ncclAllGather");
  return collective(entry, handle, {Operation::allgather}, count, type, send, receive, count, type, handle, stream);
}

TOPOWISE_EXPORT int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type, int operation,
                                      Handle handle, void* stream) {
  static constinit Entry entry("ncclReduceScatter");
  return collective(entry, handle, {Operation::reduce_scatter_block}, count, type, send, receive, count, type,
                    operation, handle, stream);
}

TOPOWISE_EXPORT int ncclSend(const void* send, std::size_t count, int type, int peer, Handle handle, void* stream) {
  static constinit Entry entry("ncclSend");
  const Passage passage;
  const int status = pass(entry, send, count, type, peer, handle, stream);
  if (passage.counts(status)) count_message(handle, peer, count * type_bytes(type));
  return status;
}

// Functions that only RCCL has.

TOPOWISE_EXPORT int ncclAllToAll(const void* send, void* receive, std::size_t count, int type, Handle handle,
                                 void* stream) {
  static constinit Entry entry("ncclAllToAll");
  return collective(entry, handle, {Operation::alltoall}, count, type, send, receive, count, type, handle, stream);
}

TOPOWISE_EXPORT int ncclGather(const void* send, void* receive, std::size_t count, int type, int root, Handle handle,
                               void* stream) {
  static constinit Entry entry("ncclGather");
  return collective(entry, handle, {Operation::gather, root}, count, type, send, receive, count, type, root, handle,
                    stream);
}

TOPOWISE_EXPORT int ncclScatter(const void* send, void* receive, std::size_t count, int type, int root, Handle handle,
                                void* stream) {
  static constinit Entry entry("ncclScatter");
  return collective(entry, handle, {Operation::scatter, root}, count, type, send, receive, count, type, root, handle,
                    stream);
}
