// SPDX-License-Identifier: BSD-3-Clause
// NCCL makes a context for each communicator, reports each collective and message when it is launched (of those in a
// CUDA graph at each replay), and may do so from several threads. It takes the library down with the last communicator,
// which is why the library is linked never to be unloaded. Where it makes a communicator, the communicator's GPU is the
// current one of the thread.
#include <topowise/interpose/nccl/plugin.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <topowise/device/pointer_kind.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/nccl/rows.hpp>
#include <topowise/interpose/nccl/types.hpp>

namespace topowise::interpose::nccl {

// The profiler interface of NCCL (from 2.23) and RCCL, versions 1 to 7: what crosses it, as its bytes lie in memory.
// Source: the public headers src/include/plugin/profiler/profiler_vN.h of NCCL. What is declared here is what a
// recorder of calls reads; a version's further event types and fields behind the last one named are left out, for NCCL
// makes the descriptors and a plugin only reads them.
//
//   version  seen in NCCL  gives
//   1        2.23          names as numbers; the communicator's hash and name in each event
//   2        2.24          names as text
//   3        2.26          without the bytes of the traffic
//   4        2.27          init gives the communicator: hash, name, nodes, ranks, own rank
//   5        2.28          wider event types; init's arguments in another order
//   6        2.29          collectives by copy engines are events of their own
//   7        2.32          as 6 for us

enum EventType : std::uint64_t {
  kCollective = 1U << 1,
  kMessage = 1U << 2,
  kCopyEngineCollective = 1U << 12,  ///< version 6
};

struct Collective1 {
  const char* name;  ///< of the communicator
  std::uint64_t hash;
  std::uint64_t sequence;
  std::uint8_t function;
  const void* send;
  void* receive;
  std::size_t count;
  int root;
  std::uint8_t type;
  std::uint32_t operation;
  std::size_t traffic_bytes;
  std::uint8_t channels;
  std::uint8_t warps;
  std::uint8_t algorithm;
  std::uint8_t protocol;
};
struct Message1 {
  const char* name;
  std::uint64_t hash;
  std::uint8_t function;
  void* buffer;
  std::uint8_t type;
  std::size_t count;
  int peer;
};

struct Collective2 {
  const char* name;
  std::uint64_t hash;
  std::uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  std::size_t count;
  int root;
  const char* type;
  std::size_t traffic_bytes;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};
struct Message2 {
  const char* name;
  std::uint64_t hash;
  const char* function;
  void* buffer;
  const char* type;
  std::size_t count;
  int peer;
};

struct Collective3 {
  const char* name;
  std::uint64_t hash;
  std::uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  std::size_t count;
  int root;
  const char* type;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};

/// From version 4 on. A copy engine's collective only has what is before `channels`.
struct Collective4 {
  std::uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  std::size_t count;
  int root;
  const char* type;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};
struct Message4 {
  const char* function;
  void* buffer;
  const char* type;
  std::size_t count;
  int peer;
};

template <class Type, class Collective, class Message>
struct Event {
  Type type;     ///< one of EventType, or one that we have not asked for
  void* parent;  ///< what we returned for the event that this one belongs to
  int rank;      ///< in the communicator
  union {
    Collective collective;
    Message message;
  };
};
using Event1 = Event<std::uint8_t, Collective1, Message1>;
using Event2 = Event<std::uint8_t, Collective2, Message2>;
using Event3 = Event<std::uint8_t, Collective3, Message2>;
using Event4 = Event<std::uint8_t, Collective4, Message4>;
using Event5 = Event<std::uint64_t, Collective4, Message4>;
static_assert(offsetof(Event1, collective) == 24 && offsetof(Event5, message) == 24);

/// What a plugin exports as ncclProfiler_vN. All functions return 0; an error of `init` would only have NCCL say so.
template <class EventOfVersion, class... InitArguments>
struct Profiler {
  const char* name;
  int (*init)(void** context, InitArguments...);
  int (*start_event)(void* context, void** handle, const EventOfVersion* event);
  int (*stop_event)(void* handle);
  int (*record_event_state)(void* handle, int state, const void* arguments);
  int (*finalize)(void* context);
};
using Profiler1 = Profiler<Event1, int*>;
using Profiler2 = Profiler<Event2, int*>;
using Profiler3 = Profiler<Event3, int*>;
/// active events, name, hash, nodes, ranks, rank, log function
using Profiler4 = Profiler<Event4, int*, const char*, std::uint64_t, int, int, int, void*>;
/// hash, active events, name, nodes, ranks, rank, log function
using Profiler5 = Profiler<Event5, std::uint64_t, int*, const char*, int, int, int, void*>;

namespace {

constinit std::atomic<bool> used{false};

/// What is kept of one communicator. Before version 4 its number is not known before the first event. This stays when
/// the library is done with the communicator, as the communicator's rows do: events that come late, or a second end,
/// find it.
struct Observed {
  std::atomic<int> member{kNoMember};
  int gpu = -1;
  Observed* older = nullptr;
};
constinit std::atomic<Observed*> newest{nullptr};

void keep(Observed& fresh) noexcept {
  fresh.older = newest.load();
  while (!newest.compare_exchange_weak(fresh.older, &fresh)) continue;
}

bool profile_wanted() noexcept {
  const char* directory = std::getenv("TOPOWISE_PROFILE");
  return directory != nullptr && *directory != '\0';
}

int ignore(void** context, int* active) noexcept {
  *context = nullptr;
  *active = 0;
  return 0;
}

int observe(void** context, int* active, int member, int gpu) noexcept {
  auto* fresh = new (std::nothrow) Observed;
  if (fresh == nullptr) return ignore(context, active);
  fresh->member.store(member, std::memory_order_relaxed);
  fresh->gpu = gpu;
  keep(*fresh);
  *context = fresh;
  *active = static_cast<int>(kCollective | kMessage | kCopyEngineCollective);
  used.store(true);
  return 0;
}

int begin_unknown(void** context, int* active) noexcept {
  return profile_wanted() ? observe(context, active, kNoMember, device::current_gpu()) : ignore(context, active);
}

int begin_known(void** context, int* active, const Communicator& communicator) noexcept {
  if (!begin(communicator)) return ignore(context, active);
  return observe(context, active, member(communicator), communicator.gpu);
}

int begin4(void** context, int* active, const char* name, std::uint64_t hash, int nodes, int ranks, int rank, void*) {
  return begin_known(context, active, {hash, rank, ranks, nodes, name, device::current_gpu()});
}
int begin5(void** context, std::uint64_t hash, int* active, const char* name, int nodes, int ranks, int rank, void*) {
  return begin_known(context, active, {hash, rank, ranks, nodes, name, device::current_gpu()});
}

// What an event says, whatever its version calls it.
const char* function_of(const char* name) noexcept {
  return name != nullptr ? name : "";
}
const char* function_of(std::uint8_t number) noexcept {
  return function_name(number);
}
const char* algorithm_of(const char* name) noexcept {
  return name;
}
const char* algorithm_of(std::uint8_t number) noexcept {
  return algorithm_name(number);
}
const char* protocol_of(const char* name) noexcept {
  return name;
}
const char* protocol_of(std::uint8_t number) noexcept {
  return protocol_name(number);
}

/// The communicator's number, before version 4; the first event gives it one.
template <class Described>
int member_of(Observed& context, const Described& event, int rank) noexcept {
  const int known = context.member.load(std::memory_order_relaxed);
  if (known != kNoMember) return known;
  const Communicator communicator{event.hash, rank, 0, 0, event.name, context.gpu};
  if (!begin(communicator)) return kNoMember;
  const int number = member(communicator);
  context.member.store(number, std::memory_order_relaxed);
  return number;
}
int member_of(Observed& context, const Collective4&, int) noexcept {
  return context.member.load(std::memory_order_relaxed);
}
int member_of(Observed& context, const Message4&, int) noexcept {
  return context.member.load(std::memory_order_relaxed);
}

void say_unknown(const char* function) noexcept {
  static std::atomic_flag said;
  if (!said.test_and_set())
    print_stderr(-1, "NCCL's %s is not known here: it is not recorded, nor are others like it", function);
}

template <class Described>
void count_collective(Observed& context, const Described& event, int rank, bool by_copy_engine) noexcept {
  const char* function = function_of(event.function);
  const std::optional<profile::Operation> operation = operation_named(function);
  if (!operation) return say_unknown(function);
  Call call{.operation = *operation, .bytes = event.count * type_bytes(event.type)};
  if (is_rooted(*operation)) call.root = event.root;
  if (by_copy_engine) {
    call.algorithm = "COPY_ENGINE";
  } else {
    call.channels = event.channels;
    call.algorithm = algorithm_of(event.algorithm);
    call.protocol = protocol_of(event.protocol);
  }
  count_call(member_of(context, event, rank), call);
}

template <class EventOfVersion>
int start(void* context, void** handle, const EventOfVersion* event) {
  if (handle != nullptr) *handle = nullptr;  // nothing is to be reported of its end
  if (context == nullptr || event == nullptr) return 0;
  auto& known = *static_cast<Observed*>(context);
  if (event->type == kMessage) {
    const auto& message = event->message;
    if (std::strcmp(function_of(message.function), "Send") == 0)  // the sender counts it
      count_message(member_of(known, message, event->rank), message.peer, message.count * type_bytes(message.type));
  } else if (event->type == kCollective || event->type == kCopyEngineCollective) {
    count_collective(known, event->collective, event->rank, event->type == kCopyEngineCollective);
  }
  return 0;
}

int stop(void*) {
  return 0;
}
int note_state(void*, int, const void*) {
  return 0;
}
int finish(void*) {
  return 0;
}

constexpr const char* kName = "topowise";

}  // namespace

bool plugin_is_used() noexcept {
  return used.load();
}

}  // namespace topowise::interpose::nccl

// These are not const, because const objects would not be seen outside. NCCL only reads them.
#define TOPOWISE_EXPORT_PROFILER __attribute__((visibility("default"))) constinit
using namespace topowise::interpose::nccl;

extern "C" {
TOPOWISE_EXPORT_PROFILER Profiler1 ncclProfiler_v1{kName, begin_unknown, start<Event1>, stop, note_state, finish};
TOPOWISE_EXPORT_PROFILER Profiler2 ncclProfiler_v2{kName, begin_unknown, start<Event2>, stop, note_state, finish};
TOPOWISE_EXPORT_PROFILER Profiler3 ncclProfiler_v3{kName, begin_unknown, start<Event3>, stop, note_state, finish};
TOPOWISE_EXPORT_PROFILER Profiler4 ncclProfiler_v4{kName, begin4, start<Event4>, stop, note_state, finish};
TOPOWISE_EXPORT_PROFILER Profiler5 ncclProfiler_v5{kName, begin5, start<Event5>, stop, note_state, finish};
TOPOWISE_EXPORT_PROFILER Profiler5 ncclProfiler_v6{kName, begin5, start<Event5>, stop, note_state, finish};
TOPOWISE_EXPORT_PROFILER Profiler5 ncclProfiler_v7{kName, begin5, start<Event5>, stop, note_state, finish};
}
