// SPDX-License-Identifier: BSD-3-Clause
// The preloaded functions of NCCL and RCCL: each is passed on, and counted once it has succeeded. What the library
// calls of itself on the way (RCCL's ncclAllToAll is made of ncclSend) is not the program's call. These are the
// functions that the libraries had before there was a profiler interface; where NCCL uses our plugin they only pass
// calls on.
#include <cstddef>
#include <cstdint>

#include <topowise/interpose/base/entry.hpp>
#include <topowise/interpose/nccl/handles.hpp>
#include <topowise/interpose/nccl/types.hpp>

#define TOPOWISE_EXPORT extern "C" __attribute__((visibility("default")))

namespace topowise::interpose::nccl {
namespace {

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
