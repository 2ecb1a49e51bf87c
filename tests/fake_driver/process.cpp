// SPDX-License-Identifier: BSD-3-Clause
#include "process.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <topowise/base/error.hpp>

#include "environment.hpp"

namespace topowise::fake {
namespace {

std::size_t gpu_size() {
  constexpr std::size_t kMebibyte = 1 << 20;
  return static_cast<std::size_t>(environment().memory_mib) * kMebibyte;
}

std::string node_name(std::size_t gpus) {
  return fmt::format("{} {} {} {}", environment().node, environment().session, gpus, gpu_size());
}

/// This object is never destroyed: streams may still work while the program ends.
[[gnu::used]] Process* everlasting = nullptr;
std::atomic<Process*> instance{nullptr};            ///< the same object while calls are answered
std::atomic<int> refused{result::kNotInitialized};  ///< the result of all calls while there is no process state
std::once_flag once;

void leave_node() {
  refused = result::kDeinitialized;
  if (Process* self = instance.exchange(nullptr)) self->leave();
}

/// The driver does not work in a child that was forked after cuInit.
void forget_in_child() {
  refused = result::kNotInitialized;
  instance = nullptr;
}

Faults& faults() {
  static auto& read_once = *new Faults(environment().faults);
  return read_once;
}

}  // namespace

Process::Process()
    : node_(read_node()),
      devices_(visible_devices(node_.gpus, std::getenv("CUDA_VISIBLE_DEVICES"))),
      shared_(environment().folder, node_name(node_.gpus.size()), node_.gpus.size() * gpu_size()),
      memory_(shared_, node_.gpus.size(), gpu_size(), environment().coherent),
      contexts_(devices_.size()) {
  if (environment().pace) {
    const double scale = environment().pace_scale > 0 ? environment().pace_scale : 1.0;
    pace_ = std::make_unique<Pace>(shared_.state(), node_.topology, scale);
  }
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    contexts_[i].device = static_cast<int>(i);
    contexts_[i].default_stream = stream(make_stream(static_cast<int>(i), true));
  }
}

int initialize() {
  std::call_once(once, [] {
    try {
      everlasting = new Process();
      instance = everlasting;
      refused = instance.load()->devices().empty() ? result::kNoDevice : result::kSuccess;
      std::atexit(leave_node);
      ::pthread_atfork(nullptr, nullptr, forget_in_child);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "SIMULATED driver: %s\n", error.what());
      refused = result::kSystemNotReady;
    }
  });
  return refused;
}

int enter(const char* call) {
  if (is_ready_by_itself()) static_cast<void>(initialize());
  if (const int fault = faults().next(call)) return fault;
  return refused;
}

Process& process() {
  return *instance.load();
}

Context* Process::context(void* handle) {
  for (Context& each : contexts_) {
    if (&each == handle) return &each;
  }
  return nullptr;
}

std::vector<Context*>& Process::stack() {
  thread_local std::vector<Context*> contexts;
  return contexts;
}

Context* Process::current() {
  if (!stack().empty()) return stack().back();
  Process* const self = is_ready_by_itself() ? instance.load() : nullptr;
  return self != nullptr ? self->context(int{0}) : nullptr;
}

void* Process::make_stream(int device, bool blocking) {
  const std::lock_guard lock(mutex_);
  constexpr double kMicrosecond = 1000;
  const std::uint64_t seed = environment().seed * 1000003 + static_cast<std::uint64_t>(device) * 1009 + streams_made_++;
  const auto most_delay = static_cast<Nanoseconds>(environment().delay_us * kMicrosecond);
  auto stream = std::make_shared<Stream>(device, blocking, most_delay, seed);
  void* handle = stream.get();
  streams_[handle] = std::move(stream);
  return handle;
}

std::shared_ptr<Stream> Process::stream(void* handle) {
  if (handle == nullptr) return current() != nullptr ? current()->default_stream : nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(handle);
  return found != streams_.end() ? found->second : nullptr;
}

int Process::drop_stream(void* handle) {
  const std::lock_guard lock(mutex_);  // the stream's thread ends when its work is done
  return streams_.erase(handle) > 0 ? result::kSuccess : result::kInvalidHandle;
}

void Process::push(const std::shared_ptr<Stream>& stream, Task task) {
  // The default stream waits for all streams of its device that are not "non-blocking"; these wait for it as well.
  std::vector<Ticket> before;
  Context* owner = context(stream->device());
  if (stream == owner->default_stream) {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, other] : streams_) {
      if (other != stream && other->device() == stream->device() && other->blocking())
        before.push_back(other->ticket());
    }
  } else if (stream->blocking()) {
    before.push_back(owner->default_stream->ticket());
  }
  stream->push([before = std::move(before), task = std::move(task)](Nanoseconds start) {
    for (const Ticket& ticket : before) ticket.wait();
    return task(start);
  });
}

void Process::synchronize(int device) {
  std::vector<Ticket> tickets;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, stream] : streams_) {
      if (stream->device() == device) tickets.push_back(stream->ticket());
    }
  }
  for (const Ticket& ticket : tickets) ticket.wait();
}

void* Process::add_event(std::shared_ptr<Event> event) {
  const std::lock_guard lock(mutex_);
  void* handle = event.get();
  events_[handle] = std::move(event);
  return handle;
}

std::shared_ptr<Event> Process::event(void* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = events_.find(handle);
  return found != events_.end() ? found->second : nullptr;
}

int Process::drop_event(void* handle) {
  const std::shared_ptr<Event> event = this->event(handle);
  if (!event) return result::kInvalidHandle;
  if (event->shared()) {
    const std::lock_guard shared(this->shared().mutex);
    --event->counters().references;
  }
  const std::lock_guard lock(mutex_);
  events_.erase(handle);
  return result::kSuccess;
}

EventCounters* Process::make_shared_event() {
  const std::lock_guard shared(this->shared().mutex);
  for (EventCounters& each : this->shared().events) {
    if (each.references > 0 && alive(each.owner)) continue;
    each.recorded = each.completed = 0;
    each.stamp = 0;
    each.owner = ::getpid();
    each.references = 1;
    return &each;
  }
  return nullptr;
}

void* Process::load(std::string image) {
  auto module = std::make_unique<Module>(Module{std::move(image)});
  const std::lock_guard lock(mutex_);
  void* handle = module.get();
  modules_[handle] = std::move(module);
  return handle;
}

int Process::unload(void* module) {
  const std::lock_guard lock(mutex_);
  return modules_.erase(module) > 0 ? result::kSuccess : result::kInvalidHandle;
}

int Process::find(void* module, const std::string& name, void*& function) {
  const std::lock_guard lock(mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end()) return result::kInvalidHandle;
  const Prepare prepare = find_host_kernel(name);
  const bool in_image = found->second->image.find(".entry " + name + "(") != std::string::npos;
  if (prepare == nullptr || !in_image) return result::kNotFound;
  auto entry = std::make_unique<Function>(Function{prepare});
  function = entry.get();
  functions_[function] = std::move(entry);
  return result::kSuccess;
}

const Function* Process::function(void* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = functions_.find(handle);
  return found != functions_.end() ? found->second.get() : nullptr;
}

int Process::register_host(char* begin, std::size_t size) {
  const auto address = reinterpret_cast<std::uint64_t>(begin);
  if (begin == nullptr || size == 0 || memory_.is_device_range(address)) return result::kInvalidValue;
  if (registered(address) || registered(address + size - 1)) return result::kHostMemoryAlreadyRegistered;
  const std::lock_guard lock(mutex_);
  registered_[address] = size;
  return result::kSuccess;
}

int Process::unregister_host(char* begin) {
  const std::lock_guard lock(mutex_);
  const bool was = registered_.erase(reinterpret_cast<std::uint64_t>(begin)) > 0;
  return was ? result::kSuccess : result::kHostMemoryNotRegistered;
}

std::optional<std::pair<std::uint64_t, std::size_t>> Process::registered(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  auto after = registered_.upper_bound(address);
  if (after == registered_.begin()) return std::nullopt;
  const auto& [begin, size] = *--after;
  if (address - begin >= size) return std::nullopt;
  return std::pair(begin, size);
}

void Process::leave() {
  {
    const std::lock_guard shared(this->shared().mutex);
    for (EventCounters& each : this->shared().events) {
      if (each.owner == ::getpid()) each.references = 0;
    }
  }
  memory_.release_all();
  shared_.leave();
}

}  // namespace topowise::fake
