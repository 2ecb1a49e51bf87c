// SPDX-License-Identifier: BSD-3-Clause
// A GPU driver that answers or throws.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/shared_library.hpp>
#include <topowise/device/functions.hpp>

namespace topowise::device {

/// A call of the driver failed. The message has the call, the device and the driver's own name for the error.
class DriverError : public Error {
 public:
  DriverError(int code, std::string name, std::string what, std::string hint)
      : Error(ExitStatus::not_available, std::move(what), std::move(hint)), code_(code), name_(std::move(name)) {}
  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] const std::string& name() const { return name_; }  ///< "CUDA_ERROR_OUT_OF_MEMORY"

 private:
  int code_;
  std::string name_;
};

struct Device {
  int ordinal = 0;   ///< as the driver counts in this process: CUDA_VISIBLE_DEVICES renumbers
  std::string name;  ///< "Tesla K80"
  std::string uuid;  ///< "GPU-..."; of a part of a GPU (MIG) the part's: the driver does not say "MIG-"
  std::string pci;   ///< "0000:0a:00.0"
  std::size_t memory = 0;
};

enum class Timing : bool { no, yes };
enum class Reach : bool { process, everyone };  ///< who may use an event

/// An initialised driver; copies share it. Calls without a device act on the one that the calling thread selected.
/// Every function throws DriverError where the driver refuses, and Error(not_available) where it is too old to have it.
class Driver {
 public:
  /// Initialises the driver; throws without a GPU too.
  Driver(std::string backend, SharedLibrary library, Functions functions);

  [[nodiscard]] const std::string& backend() const { return parts_->backend; }          ///< "cuda", "hip"
  [[nodiscard]] const std::string& library() const { return parts_->library.name(); }   ///< the file that was opened
  [[nodiscard]] const std::vector<Device>& devices() const { return parts_->devices; }  ///< by ordinal
  [[nodiscard]] int version() const;                                                    ///< as the driver counts: 13000
  [[nodiscard]] int attribute(Attribute attribute, int device) const;
  /// False for a device and itself, as the drivers say it.
  [[nodiscard]] bool can_access_peer(int from, int to) const;
  [[nodiscard]] PeerLink peer_link(int from, int to) const;

  void select(int device) const;
  [[nodiscard]] int selected() const;
  [[nodiscard]] Handle context() const;  ///< what is current to the thread, selected by us or not; null for nothing
  void set_context(Handle context) const;
  void release(int device) const;  ///< the primary context that select() took
  void synchronize() const;
  /// Lets the selected device use memory of `peer`. A second call changes nothing.
  void enable_peer_access(int peer) const;

  struct Memory {
    std::size_t free = 0, total = 0;
  };
  [[nodiscard]] Memory memory() const;
  [[nodiscard]] Address allocate(std::size_t size) const;
  void free(Address address) const;
  void register_host(void* begin, std::size_t size) const;  ///< pins it: copies become asynchronous
  void unregister_host(void* begin) const;
  [[nodiscard]] PointerAttributes attributes(const void* pointer) const;

  // All copies are asynchronous; a null stream is the device's default stream.
  void copy_to_device(Address to, const void* from, std::size_t size, Handle stream = nullptr) const;
  void copy_to_host(void* to, Address from, std::size_t size, Handle stream = nullptr) const;
  void copy(Address to, Address from, std::size_t size, Handle stream = nullptr) const;
  void copy_peer(Address to, int to_device, Address from, int from_device, std::size_t size,
                 Handle stream = nullptr) const;
  void fill(Address to, unsigned char value, std::size_t size, Handle stream = nullptr) const;

  [[nodiscard]] Handle create_stream() const;  ///< does not wait for the default stream
  void destroy_stream(Handle stream) const;
  void synchronize_stream(Handle stream) const;
  [[nodiscard]] bool stream_is_idle(Handle stream) const;
  void wait(Handle stream, Handle event) const;  ///< for the event's latest record so far

  [[nodiscard]] Handle create_event(Timing timing, Reach reach = Reach::process) const;
  void destroy_event(Handle event) const;
  void record(Handle event, Handle stream = nullptr) const;
  void synchronize_event(Handle event) const;
  [[nodiscard]] bool event_has_happened(Handle event) const;
  [[nodiscard]] double seconds_between(Handle start, Handle end) const;

  // These work between processes of one node. A handle stands for the whole allocation of an address: see attributes().
  [[nodiscard]] IpcHandle export_memory(Address address) const;
  [[nodiscard]] Address import_memory(const IpcHandle& handle) const;  ///< refused for this process's own memory
  void close_memory(Address address) const;
  [[nodiscard]] IpcHandle export_event(Handle event) const;
  [[nodiscard]] Handle import_event(const IpcHandle& handle) const;

  /// Whether load_module() takes code that compile() makes for a device; else it takes PTX.
  [[nodiscard]] bool wants_code() const { return functions().compile != nullptr; }
  [[nodiscard]] std::string compile(const std::string& source, int device) const;
  [[nodiscard]] std::string lack_of_compiler() const;  ///< empty if nothing is known to be wrong
  [[nodiscard]] Handle load_module(const void* image) const;
  void unload_module(Handle module) const;
  [[nodiscard]] Handle find_kernel(Handle module, const std::string& name) const;
  void launch(Handle kernel, Extent grid, Extent block, void** arguments, Handle stream = nullptr) const;

 private:
  struct Parts {
    std::string backend;
    SharedLibrary library;
    Functions functions;
    std::vector<Device> devices;
  };
  template <class... Parameters, class... Arguments>
  void call(int device, const Call<Parameters...>& call, Arguments... arguments) const;
  template <class... Parameters, class... Arguments>
  [[nodiscard]] bool call_until_ready(const Call<Parameters...>& call, Arguments... arguments) const;
  [[noreturn]] void refuse(const char* name, int code, int device) const;
  [[noreturn]] void lacks(const char* name) const;
  [[nodiscard]] Device describe(int ordinal) const;
  [[nodiscard]] const Functions& functions() const { return parts_->functions; }

  std::shared_ptr<Parts> parts_;
};

}  // namespace topowise::device
