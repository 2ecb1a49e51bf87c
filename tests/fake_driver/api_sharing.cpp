// SPDX-License-Identifier: BSD-3-Clause
// Memory and events of other processes.
#include <unistd.h>

#include <cstring>

#include <topowise/device/functions.hpp>

#include "environment.hpp"
#include "process.hpp"

using namespace topowise::fake;
using topowise::device::IpcHandle;

namespace {

constexpr std::uint64_t kEventMagic = 0x66616b652d657674;  // "fake-evt"

struct EventTicket {
  std::uint64_t magic = 0;
  std::uint32_t slot = 0;
  pid_t owner = 0;
};

template <class Content>
IpcHandle seal(const Content& content) {
  static_assert(sizeof content <= sizeof(IpcHandle));
  IpcHandle handle{};
  std::memcpy(handle.bytes, &content, sizeof content);
  return handle;
}

template <class Content>
Content unseal(const IpcHandle& handle) {
  Content content;
  std::memcpy(&content, handle.bytes, sizeof content);
  return content;
}

}  // namespace

extern "C" {

int cuIpcGetMemHandle(IpcHandle* handle, DevicePointer address) {
  return call_in_context("cuIpcGetMemHandle", [&](Process& self, Context&) {
    MemoryTicket ticket;
    const int code = self.memory().ticket(address, ticket);
    if (code == result::kSuccess) *handle = seal(ticket);
    return code;
  });
}

int cuIpcOpenMemHandle_v2(DevicePointer* address, IpcHandle handle, unsigned /*flags*/) {
  return call_in_context("cuIpcOpenMemHandle", [&](Process& self, Context& context) {
    const int here = self.gpu_of(context.device);
    const auto may_reach = [&](int gpu) {
      const bool can = gpu == here || can_access(environment().peers, here, gpu);
      return can ? result::kSuccess : result::kPeerAccessUnsupported;
    };
    return self.memory().open(unseal<MemoryTicket>(handle), may_reach, *address);
  });
}

int cuIpcCloseMemHandle(DevicePointer address) {
  return call_in_context("cuIpcCloseMemHandle", [&](Process& self, Context& context) {
    self.synchronize(context.device);
    return self.memory().close(address);
  });
}

int cuIpcGetEventHandle(IpcHandle* handle, void* event_handle) {
  return call_in_context("cuIpcGetEventHandle", [&](Process& self, Context&) {
    const std::shared_ptr<Event> event = self.event(event_handle);
    if (!event || !event->shared()) return result::kInvalidHandle;
    const auto slot = static_cast<std::uint32_t>(&event->counters() - self.shared().events.data());
    *handle = seal(EventTicket{kEventMagic, slot, ::getpid()});
    return result::kSuccess;
  });
}

int cuIpcOpenEventHandle(void** event_handle, IpcHandle handle) {
  return call_in_context("cuIpcOpenEventHandle", [&](Process& self, Context& context) {
    const auto ticket = unseal<EventTicket>(handle);
    if (ticket.magic != kEventMagic || ticket.slot >= self.shared().events.size()) return result::kInvalidValue;
    if (ticket.owner == ::getpid()) return result::kInvalidContext;
    EventCounters& counters = self.shared().events[ticket.slot];
    {
      const std::lock_guard shared(self.shared().mutex);
      if (counters.references == 0 || counters.owner != ticket.owner) return result::kInvalidHandle;
      ++counters.references;
    }
    *event_handle = self.add_event(std::make_shared<Event>(counters, false, context.device));
    return result::kSuccess;
  });
}

}  // extern "C"
