// SPDX-License-Identifier: BSD-3-Clause
// An NCCL library without GPUs: it moves nothing, and calls its profiler plugin as the library does. It was written
// from the library's public headers and from the order of its calls, independently of the plugin that is tested with
// it.
//
//   STAND_IN_NCCL_PROFILER=N  the newest interface version that this library knows: 0 (none, as before 2.23) to 7
//   STAND_IN_NCCL_COPY_ENGINE=1  allgathers are done by copy engines, which version 6 reports by an event of its own
//
//   STAND_IN_NCCL_MEETING=DIR    where the members of a communicator wait for each other, as they do in the library
//
// The processes tell each other nothing: all pass the same unique id, and ncclCommSplit takes rank and size in the new
// communicator from the arguments where its configuration should be.
#include <dlfcn.h>
#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "profiler_versions.hpp"

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 4;
constexpr std::uint64_t kGroupEvent = 1, kCollEvent = 2, kP2pEvent = 4, kCeCollEvent = 1 << 12;

enum Function { kBroadcast, kReduce, kAllGather, kReduceScatter, kAllReduce, kSendRecv, kSend, kRecv };
constexpr const char* kFunctions[] = {"Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                      "AllReduce", "SendRecv", "Send",      "Recv"};
/// The names that ncclDatatypeToString gives: there is no name for number 1, ncclUint8.
constexpr const char* kTypes[] = {"ncclInt8",    "Unknown",      "ncclInt32",      "ncclUint32",
                                  "ncclInt64",   "ncclUint64",   "ncclFloat16",    "ncclFloat32",
                                  "ncclFloat64", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};
constexpr std::size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
constexpr const char* kAlgorithms[] = {"TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr const char* kProtocols[] = {"LL", "LL128", "SIMPLE"};

using Log = void (*)(int, unsigned long, const char*, int, const char*, ...);

struct Loaded {
  std::mutex mutex;
  void* library = nullptr;
  int users = 0;
  // These are read without the lock at a launch:
  std::atomic<Plugin*> plugin{nullptr};
  std::atomic<int> version{0};
  std::atomic<int> mask{0};
};
Loaded loaded;

void log_nothing(int, unsigned long, const char*, int, const char*, ...) {}

int newest_known() {
  const char* text = std::getenv("STAND_IN_NCCL_PROFILER");
  return text == nullptr ? 7 : std::atoi(text);
}

void load() {
  if (loaded.users++ > 0) return;
  const char* name = std::getenv("NCCL_PROFILER_PLUGIN");
  if (newest_known() == 0 || (name != nullptr && strcasecmp(name, "none") == 0)) return;
  const std::string given = name == nullptr ? "libnccl-profiler.so" : std::string(name).substr(0, 254);
  loaded.library = dlopen(given.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded.library == nullptr && name != nullptr && given.find('/') == std::string::npos)
    loaded.library = dlopen(("libnccl-profiler-" + given + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded.library == nullptr) return;
  for (int version = newest_known(); version > 0 && loaded.plugin == nullptr; --version) {
    loaded.plugin = static_cast<Plugin*>(dlsym(loaded.library, ("ncclProfiler_v" + std::to_string(version)).c_str()));
    loaded.version = version;
  }
}

void unload() {
  if (--loaded.users > 0) return;
  if (loaded.library != nullptr) dlclose(loaded.library);
  loaded.library = nullptr;
  loaded.plugin = nullptr;
}

}  // namespace

struct ncclComm {
  std::uint64_t hash;
  int rank;
  int size;
  void* context = nullptr;
  std::uint64_t sequence = 0;
  std::uint64_t splits = 0;
  int gpu = -1;
};

namespace {

std::uint64_t hash_of(const void* bytes, std::size_t count, std::uint64_t hash = 5381) {
  for (std::size_t i = 0; i < count; ++i) hash = hash * 33 + static_cast<const unsigned char*>(bytes)[i];
  return hash;
}

/// Returns when all members are here.
void meet(std::uint64_t hash, int rank, int size) {
  const char* folder = std::getenv("STAND_IN_NCCL_MEETING");
  if (folder == nullptr) return;
  const auto sign = [&](int member) {
    return std::string(folder) + "/" + std::to_string(hash) + "." + std::to_string(member);
  };
  ::close(::open(sign(rank).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  for (int member = 0; member < size; ++member)
    while (::access(sign(member).c_str(), F_OK) != 0) ::usleep(1000);
}

/// The GPU that the driver reports, if the program has a driver.
int current_gpu() {
  void* driver = dlsym(RTLD_DEFAULT, "cuCtxGetDevice");
  int gpu = -1;
  return driver != nullptr && reinterpret_cast<int (*)(int*)>(driver)(&gpu) == 0 ? gpu : -1;
}

ncclComm* make(std::uint64_t hash, int rank, int size) {
  auto* comm = new ncclComm{hash, rank, size};
  comm->gpu = current_gpu();
  const std::scoped_lock lock(loaded.mutex);
  load();
  if (loaded.plugin == nullptr) return comm;
  int mask = 0;
  const char* name = "a communicator whose name is longer than the row of a profile holds";
  if (loaded.version < 4) {
    reinterpret_cast<int (*)(void**, int*)>(loaded.plugin.load()->init)(&comm->context, &mask);
  } else if (loaded.version == 4) {
    reinterpret_cast<int (*)(void**, int*, const char*, std::uint64_t, int, int, int, Log)>(loaded.plugin.load()->init)(
        &comm->context, &mask, name, hash, 1, size, rank, log_nothing);
  } else {
    reinterpret_cast<int (*)(void**, std::uint64_t, int*, const char*, int, int, int, Log)>(loaded.plugin.load()->init)(
        &comm->context, hash, &mask, name, 1, size, rank, log_nothing);
  }
  loaded.mask = mask;
  return comm;
}

/// A call that waits for the end of a group.
struct Task {
  Function function;
  std::size_t count;
  int type;
  int root;  ///< or the peer of a message
  ncclComm* comm;
};
struct Deferred {
  ncclComm** result;
  ncclComm* comm;
};
thread_local int group_depth = 0;
thread_local std::vector<Task> tasks;
thread_local std::vector<Deferred> communicators;

bool is_message(const Task& task) {
  return task.function == kSend || task.function == kRecv;
}
bool is_by_copy_engine(const Task& task) {
  return task.function == kAllGather && std::getenv("STAND_IN_NCCL_COPY_ENGINE") != nullptr;
}
/// NCCL treats broadcasts and allgathers as byte operations inside.
void to_bytes(std::size_t& count, int& type, Function function) {
  if (function != kBroadcast && function != kAllGather) return;
  count *= kSizes[type];
  type = 0;
}

template <class Described>
void name_communicator(Described& event, const Task& task) {
  if (is_message(task)) {
    event.p2p.name = "name";
    event.p2p.commHash = task.comm->hash;
  } else {
    event.coll.name = "name";
    event.coll.commHash = task.comm->hash;
  }
}

/// Small allreduces go by trees, as the library usually does.
int algorithm_of(const Task& task) {
  return task.function == kAllReduce && task.count * kSizes[task.type] < 1024 ? 0 : 1;
}

template <class Described>
void describe(Described& event, const Task& task) {
  event.rank = task.comm->rank;
  std::size_t count = task.count;
  int type = task.type;
  to_bytes(count, type, task.function);
  if (is_message(task)) {
    event.type = kP2pEvent;
    if constexpr (std::is_same_v<Described, Described1>) {
      event.p2p.func = static_cast<std::uint8_t>(task.function);
      event.p2p.datatype = static_cast<std::uint8_t>(type);
    } else {
      event.p2p.func = kFunctions[task.function];
      event.p2p.datatype = kTypes[type];
    }
    event.p2p.count = count;
    event.p2p.peer = task.root;
    return;
  }
  event.type = kCollEvent;
  event.coll.seqNumber = task.comm->sequence++;
  if constexpr (std::is_same_v<Described, Described1>) {
    event.coll.func = static_cast<std::uint8_t>(task.function);
    event.coll.datatype = static_cast<std::uint8_t>(type);
    event.coll.algo = static_cast<std::uint8_t>(algorithm_of(task));
    event.coll.proto = 2;
    event.coll.nMaxChannels = 8;
  } else {
    event.coll.func = kFunctions[task.function];
    event.coll.datatype = kTypes[type];
    event.coll.algo = kAlgorithms[algorithm_of(task)];
    event.coll.proto = kProtocols[2];
    if constexpr (requires { event.coll.nChannels; })
      event.coll.nChannels = 8;
    else
      event.coll.nMaxChannels = 8;
  }
  event.coll.count = count;
  event.coll.root = task.root;
}

template <class Described>
void tell(const Task& task) {
  Described group;
  std::memset(&group, 0, sizeof(group));
  group.type = kGroupEvent;
  void* parent = nullptr;
  if ((loaded.mask & (kGroupEvent | kCollEvent | kP2pEvent)) != 0)
    loaded.plugin.load()->startEvent(task.comm->context, &parent, &group);
  Described event;
  std::memset(&event, 0, sizeof(event));
  describe(event, task);
  if constexpr (requires { event.coll.commHash; }) name_communicator(event, task);
  if constexpr (requires { event.ceColl; }) {
    if (loaded.version >= 6 && is_by_copy_engine(task)) {
      // The fields of both events begin alike; the fields after these differ.
      event.type = kCeCollEvent;
      event.ceColl.syncStrategy = "unicast";
      event.ceColl.intraBatchSync = true;
      event.ceColl.batchSize = 7;
      event.ceColl.stream = nullptr;
    }
  }
  event.parentObj = parent;
  void* handle = nullptr;
  if ((static_cast<std::uint64_t>(loaded.mask) & static_cast<std::uint64_t>(event.type)) != 0)
    loaded.plugin.load()->startEvent(task.comm->context, &handle, &event);
  constexpr int kInProgress = 19;
  if (handle != nullptr) loaded.plugin.load()->recordEventState(handle, kInProgress, nullptr);
  if (handle != nullptr) loaded.plugin.load()->stopEvent(handle);
  if (parent != nullptr) loaded.plugin.load()->stopEvent(parent);
}

void launch(const Task& task) {
  if (task.comm->size == 1 || loaded.plugin == nullptr || task.comm->context == nullptr) return;
  switch (loaded.version) {
    case 1:
      return tell<Described1>(task);
    case 2:
      return tell<Described2>(task);
    case 3:
      return tell<Described3>(task);
    case 4:
      return tell<Described4>(task);
    default:
      return tell<Described5>(task);
  }
}

int enqueue(const Task& task) {
  if (task.comm == nullptr) return kInvalidArgument;
  if (group_depth > 0)
    tasks.push_back(task);
  else
    launch(task);
  return kSuccess;
}

int hand_out(ncclComm** result, ncclComm* comm) {
  if (group_depth > 0)
    communicators.push_back({result, comm});
  else
    *result = comm;
  return kSuccess;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
struct ncclUniqueId {
  char internal[128];
};

int ncclGroupStart() {
  ++group_depth;
  return kSuccess;
}
int ncclGroupEnd() {
  if (--group_depth > 0) return kSuccess;
  for (const Deferred& one : communicators) *one.result = one.comm;
  communicators.clear();
  for (const Task& task : tasks) launch(task);
  tasks.clear();
  return kSuccess;
}
int ncclCommInitRank(ncclComm** comm, int size, ncclUniqueId id, int rank) {
  meet(hash_of(&id, sizeof(id)), rank, size);
  return hand_out(comm, make(hash_of(&id, sizeof(id)), rank, size));
}
int ncclCommInitRankConfig(ncclComm** comm, int size, ncclUniqueId id, int rank, void*) {
  return hand_out(comm, make(hash_of(&id, sizeof(id)), rank, size));
}
int ncclCommInitAll(ncclComm** comms, int count, const int*) {
  for (int rank = 0; rank < count; ++rank) comms[rank] = make(hash_of(&comms, sizeof(comms)), rank, count);
  return kSuccess;
}
int ncclCommSplit(ncclComm* comm, int color, int, ncclComm** result, const int* rank_and_size) {
  const std::uint64_t parts[] = {comm->hash, comm->splits++, static_cast<std::uint64_t>(color)};
  if (color < 0) return kSuccess;
  return hand_out(result, make(hash_of(parts, sizeof(parts)), rank_and_size[0], rank_and_size[1]));
}
int ncclCommDestroy(ncclComm* comm) {
  const std::scoped_lock lock(loaded.mutex);
  if (loaded.plugin != nullptr && comm->context != nullptr) loaded.plugin.load()->finalize(comm->context);
  unload();
  delete comm;
  return kSuccess;
}
int ncclCommUserRank(ncclComm* comm, int* rank) {
  return *rank = comm->rank, kSuccess;
}
int ncclCommCuDevice(ncclComm* comm, int* gpu) {
  *gpu = comm->gpu;
  return comm->gpu < 0 ? kInvalidArgument : kSuccess;
}
int ncclCommCount(ncclComm* comm, int* size) {
  return *size = comm->size, kSuccess;
}
int ncclAllReduce(const void*, void*, std::size_t count, int type, int, ncclComm* comm, void*) {
  return enqueue({kAllReduce, count, type, 0, comm});
}
int ncclBroadcast(const void*, void*, std::size_t count, int type, int root, ncclComm* comm, void*) {
  return enqueue({kBroadcast, count, type, root, comm});
}
int ncclReduce(const void*, void*, std::size_t count, int type, int, int root, ncclComm* comm, void*) {
  return enqueue({kReduce, count, type, root, comm});
}
int ncclAllGather(const void*, void*, std::size_t count, int type, ncclComm* comm, void*) {
  return enqueue({kAllGather, count, type, 0, comm});
}
int ncclReduceScatter(const void*, void*, std::size_t count, int type, int, ncclComm* comm, void*) {
  return enqueue({kReduceScatter, count, type, 0, comm});
}
int ncclSend(const void*, std::size_t count, int type, int peer, ncclComm* comm, void*) {
  return enqueue({kSend, count, type, peer, comm});
}
int ncclRecv(void*, std::size_t count, int type, int peer, ncclComm* comm, void*) {
  return enqueue({kRecv, count, type, peer, comm});
}
/// As in RCCL, it is made of the library's own sends, called by their exported names.
int ncclAllToAll(const void*, void*, std::size_t count, int type, ncclComm* comm, void*) {
  ncclGroupStart();
  for (int peer = 0; peer < comm->size; ++peer) {
    ncclSend(nullptr, count, type, peer, comm, nullptr);
    ncclRecv(nullptr, count, type, peer, comm, nullptr);
  }
  return ncclGroupEnd();
}
}
#pragma GCC visibility pop
