// SPDX-License-Identifier: BSD-3-Clause
// Streams and events.
#include "process.hpp"

using namespace topowise::fake;

namespace {

constexpr unsigned kNonBlocking = 1;
constexpr unsigned kDisableTiming = 2;
constexpr unsigned kInterprocess = 4;

/// Runs a call about one stream; a null handle is the default stream.
template <class Body>
int call_on_stream(const char* name, void* handle, Body body) noexcept {
  return call_in_context(name, [&](Process& self, Context&) {
    const std::shared_ptr<Stream> stream = self.stream(handle);
    return stream ? body(self, stream) : result::kInvalidHandle;
  });
}

template <class Body>
int call_on_event(const char* name, void* handle, Body body) noexcept {
  return call_in_context(name, [&](Process& self, Context&) {
    const std::shared_ptr<Event> event = self.event(handle);
    return event ? body(self, event) : result::kInvalidHandle;
  });
}

}  // namespace

extern "C" {

int cuStreamCreate(void** stream, unsigned flags) {
  return call_in_context("cuStreamCreate", [&](Process& self, Context& context) {
    *stream = self.make_stream(context.device, (flags & kNonBlocking) == 0);
    return result::kSuccess;
  });
}

int cuStreamCreateWithPriority(void** stream, unsigned flags, int /*priority*/) {
  return cuStreamCreate(stream, flags);
}

int cuStreamDestroy_v2(void* stream) {
  return call("cuStreamDestroy", [&](Process& self) { return self.drop_stream(stream); });
}

int cuStreamSynchronize(void* handle) {
  return call_on_stream("cuStreamSynchronize", handle, [](Process&, const std::shared_ptr<Stream>& stream) {
    stream->ticket().wait();
    return result::kSuccess;
  });
}

int cuStreamQuery(void* handle) {
  return call_on_stream("cuStreamQuery", handle, [](Process&, const std::shared_ptr<Stream>& stream) {
    return stream->idle() ? result::kSuccess : result::kNotReady;
  });
}

int cuStreamWaitEvent(void* handle, void* event_handle, unsigned /*flags*/) {
  return call_on_stream("cuStreamWaitEvent", handle, [&](Process& self, const std::shared_ptr<Stream>& stream) {
    const std::shared_ptr<Event> event = self.event(event_handle);
    if (!event) return result::kInvalidHandle;
    // Waits for the latest record at this moment, not for later ones.
    self.push(stream,
              [event, number = event->latest()](Nanoseconds start) { return std::max(start, event->wait(number)); });
    return result::kSuccess;
  });
}

int cuEventCreate(void** handle, unsigned flags) {
  return call_in_context("cuEventCreate", [&](Process& self, Context& context) {
    const bool timing = (flags & kDisableTiming) == 0;
    if ((flags & kInterprocess) == 0) {
      *handle = self.add_event(std::make_shared<Event>(timing, context.device));
      return result::kSuccess;
    }
    if (timing) return result::kInvalidValue;  // an event between processes has no time
    EventCounters* counters = self.make_shared_event();
    if (counters == nullptr) return result::kOutOfMemory;
    *handle = self.add_event(std::make_shared<Event>(*counters, timing, context.device));
    return result::kSuccess;
  });
}

int cuEventDestroy_v2(void* handle) {
  return call("cuEventDestroy", [&](Process& self) { return self.drop_event(handle); });
}

int cuEventRecord(void* handle, void* stream_handle) {
  return call_on_event("cuEventRecord", handle, [&](Process& self, const std::shared_ptr<Event>& event) {
    const std::shared_ptr<Stream> stream = self.stream(stream_handle);
    if (!stream || stream->device() != event->device()) return result::kInvalidHandle;
    self.push(stream, [event, number = event->record()](Nanoseconds start) {
      event->reached(number, start);
      return start;
    });
    return result::kSuccess;
  });
}

int cuEventQuery(void* handle) {
  return call_on_event("cuEventQuery", handle, [](Process&, const std::shared_ptr<Event>& event) {
    return event->has_reached(event->latest()) ? result::kSuccess : result::kNotReady;
  });
}

int cuEventSynchronize(void* handle) {
  return call_on_event("cuEventSynchronize", handle, [](Process&, const std::shared_ptr<Event>& event) {
    event->wait(event->latest());
    return result::kSuccess;
  });
}

int cuEventElapsedTime(float* milliseconds, void* start_handle, void* end_handle) {
  return call_on_event("cuEventElapsedTime", start_handle, [&](Process& self, const std::shared_ptr<Event>& start) {
    const std::shared_ptr<Event> end = self.event(end_handle);
    if (!end || !start->timing() || !end->timing() || start->latest() == 0 || end->latest() == 0) {
      return result::kInvalidHandle;
    }
    if (!start->has_reached(start->latest()) || !end->has_reached(end->latest())) return result::kNotReady;
    *milliseconds = static_cast<float>(static_cast<double>(end->stamp() - start->stamp()) * 1e-6);
    return result::kSuccess;
  });
}

}  // extern "C"
