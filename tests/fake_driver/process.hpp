// SPDX-License-Identifier: BSD-3-Clause
// The state of the driver in one process.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "fault.hpp"
#include "kernel_table.hpp"
#include "memory.hpp"
#include "node.hpp"
#include "pace.hpp"
#include "result.hpp"
#include "stream.hpp"

namespace topowise::fake {

/// A device as CUDA counts devices in this process: a GPU of the node, or a part of one.
struct VisibleDevice {
  const Gpu* gpu = nullptr;
  const Instance* instance = nullptr;
};

/// The devices that CUDA_VISIBLE_DEVICES leaves visible, by index or by the beginning of a UUID. As with the real
/// driver, the list ends at the first unknown name. If GPUs are cut into parts, at most one part is visible.
[[nodiscard]] std::vector<VisibleDevice> visible_devices(const std::vector<Gpu>& gpus, const char* visible);

/// True if GPU `from` can access the memory of GPU `to`; a GPU cannot access itself. `peers` as in environment().
[[nodiscard]] bool can_access(const std::string& peers, int from, int to);

/// A primary context; its address is the handle.
struct Context {
  int device = 0;
  int retained = 0;
  std::mutex peers_mutex;
  std::set<int> peers;  ///< devices whose memory it may use
  std::shared_ptr<Stream> default_stream;
};

struct Module {
  std::string image;
};
struct Function {
  Prepare prepare = nullptr;
};

class Process {
 public:
  Process();

  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] const std::vector<VisibleDevice>& devices() const { return devices_; }
  [[nodiscard]] int gpu_of(int device) const { return devices_[static_cast<std::size_t>(device)].gpu->index; }
  [[nodiscard]] Context* context(int device) { return &contexts_[static_cast<std::size_t>(device)]; }
  /// Null for an unknown handle.
  [[nodiscard]] Context* context(void* handle);
  /// The stack of contexts of the calling thread.
  [[nodiscard]] static std::vector<Context*>& stack();
  [[nodiscard]] static Context* current();

  [[nodiscard]] DeviceMemory& memory() { return memory_; }
  [[nodiscard]] SharedState& shared() { return shared_.state(); }
  [[nodiscard]] Pace* pace() { return pace_.get(); }

  void* make_stream(int device, bool blocking);
  /// Null for an unknown handle; a null handle is the default stream of the current context.
  [[nodiscard]] std::shared_ptr<Stream> stream(void* handle);
  int drop_stream(void* handle);
  /// Pushes a task in the order that the default stream demands.
  void push(const std::shared_ptr<Stream>& stream, Task task);
  void synchronize(int device);

  void* add_event(std::shared_ptr<Event> event);
  [[nodiscard]] std::shared_ptr<Event> event(void* handle);
  int drop_event(void* handle);
  /// Counters in shared memory; null if no more are free.
  [[nodiscard]] EventCounters* make_shared_event();

  void* load(std::string image);
  int unload(void* module);
  int find(void* module, const std::string& name, void*& function);
  [[nodiscard]] const Function* function(void* handle);

  int register_host(char* begin, std::size_t size);
  int unregister_host(char* begin);
  /// The begin and size of the registered range around an address.
  [[nodiscard]] std::optional<std::pair<std::uint64_t, std::size_t>> registered(std::uint64_t address);

  void leave();

 private:
  Node node_;
  std::vector<VisibleDevice> devices_;
  SharedNode shared_;
  DeviceMemory memory_;
  std::unique_ptr<Pace> pace_;
  std::vector<Context> contexts_;

  std::mutex mutex_;
  std::uint64_t streams_made_ = 0;
  std::map<void*, std::shared_ptr<Stream>> streams_;
  std::map<void*, std::shared_ptr<Event>> events_;
  std::map<void*, std::unique_ptr<Module>> modules_;
  std::map<void*, std::unique_ptr<Function>> functions_;
  std::map<std::uint64_t, std::size_t> registered_;
};

/// The checks of every call: the driver is initialised, is not ending, was not forked, and no fault is due.
[[nodiscard]] int enter(const char* call);
/// cuInit: makes the state of the process once. The result of the first attempt stays.
[[nodiscard]] int initialize();
[[nodiscard]] Process& process();

/// Runs a call to the driver: no exception reaches a program in C.
template <class Body>
int call(const char* name, Body body) noexcept {
  try {
    if (const int code = enter(name)) return code == Faults::kNothing ? result::kSuccess : code;
    return body(process());
  } catch (const std::bad_alloc&) {
    return result::kOutOfMemory;
  } catch (const std::exception&) {
    return result::kUnknown;
  }
}

/// Does the same for calls that need a context.
template <class Body>
int call_in_context(const char* name, Body body) noexcept {
  return call(name, [&](Process& self) {
    Context* context = Process::current();
    return context == nullptr ? result::kInvalidContext : body(self, *context);
  });
}

}  // namespace topowise::fake
