// SPDX-License-Identifier: BSD-3-Clause
// The profiler interface of NCCL (from 2.23) and RCCL, versions 1 to 7: what crosses it, as its bytes lie in memory.
// Source: the public headers src/include/plugin/profiler/profiler_vN.h of NCCL. What is declared here is what a
// recorder of calls reads; a version's further event types and fields behind the last one named are left out, for NCCL
// makes the descriptors and a plugin only reads them.
//
//   version  seen in NCCL  tells
//   1        2.23          names as numbers; the communicator's hash and name in each event
//   2        2.24          names as text
//   3        2.26          without the bytes of the traffic
//   4        2.27          init gives the communicator: hash, name, nodes, ranks, own rank
//   5        2.28          wider event types; init's arguments in another order
//   6        2.29          collectives by copy engines are events of their own
//   7        2.32          as 6 for us
#pragma once

#include <cstddef>
#include <cstdint>

namespace topowise::interpose::nccl {

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

}  // namespace topowise::interpose::nccl
