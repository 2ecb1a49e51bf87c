// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/device/driver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace topowise::device {
namespace {

constexpr int kNoDevice = -1;        ///< the error belongs to no device
constexpr int kSelectedDevice = -2;  ///< the error belongs to the device that this thread selected

bool is_hex_digit(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// CUDA's UUID is a number; HIP's is the sixteen digits themselves, which HIP_VISIBLE_DEVICES takes without dashes.
std::string uuid_text(const Uuid& uuid) {
  const std::string_view digits(reinterpret_cast<const char*>(uuid.bytes), sizeof uuid.bytes);
  if (std::ranges::all_of(uuid.bytes, is_hex_digit)) return fmt::format("GPU-{}", digits);
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

/// A text that the driver writes into a buffer.
constexpr int kTextSize = 256;
using Text = std::array<char, kTextSize>;

}  // namespace

template <class... Parameters, class... Arguments>
void Driver::call(int device, const Call<Parameters...>& call, Arguments... arguments) const {
  if (!call.function) lacks(call.name);
  const int code = call.function(arguments...);
  if (code != kSuccess) refuse(call.name, code, device);
}

template <class... Parameters, class... Arguments>
bool Driver::call_until_ready(const Call<Parameters...>& call, Arguments... arguments) const {
  if (!call.function) lacks(call.name);
  const int code = call.function(arguments...);
  if (code != kSuccess && code != kNotReady) refuse(call.name, code, kSelectedDevice);
  return code == kSuccess;
}

Driver::Driver(std::string backend, SharedLibrary library, Functions functions)
    : parts_(std::make_shared<Parts>(Parts{std::move(backend), std::move(library), std::move(functions), {}})) {
  const Functions& table = this->functions();
  call(kNoDevice, table.initialize);
  int count = 0;
  call(kNoDevice, table.device_count, &count);
  for (int i = 0; i < count; ++i) parts_->devices.push_back(describe(i));
}

void Driver::refuse(const char* name, int code, int device) const {
  if (device == kSelectedDevice) {
    device = kNoDevice;
    int selected = 0;
    const auto& ask = functions().selected.function;
    if (ask && ask(&selected) == kSuccess) device = selected;
  }
  const std::string error = functions().error_name(code);
  const std::string where = device >= 0 ? fmt::format(" on GPU {}", device) : std::string();
  throw DriverError(code, error,
                    fmt::format("{} failed{}: {} ({})", name, where, error, functions().error_description(code)),
                    std::string(functions().error_hint(code)));
}

void Driver::lacks(const char* name) const {
  throw not_available(fmt::format("'{}' has no {}: the driver is too old", library(), name), "update the GPU driver");
}

Device Driver::describe(int ordinal) const {
  const Functions& table = functions();
  Device device;
  device.ordinal = ordinal;
  Text text{};
  call(ordinal, table.device_name, text.data(), kTextSize, ordinal);
  device.name = text.data();
  text = {};
  call(ordinal, table.pci_bus_id, text.data(), kTextSize, ordinal);
  device.pci = text.data();
  for (char& c : device.pci) c = static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  Uuid uuid{};
  call(ordinal, table.device_uuid, &uuid, ordinal);
  device.uuid = uuid_text(uuid);
  call(ordinal, table.total_memory, &device.memory, ordinal);
  return device;
}

int Driver::version() const {
  int version = 0;
  call(kNoDevice, functions().version, &version);
  return version;
}

int Driver::attribute(Attribute attribute, int device) const {
  int value = 0;
  call(device, functions().attribute, &value, attribute, device);
  return value;
}

bool Driver::can_access_peer(int from, int to) const {
  int can = 0;
  call(from, functions().can_access_peer, &can, from, to);
  return can != 0;
}

PeerLink Driver::peer_link(int from, int to) const {
  PeerLink link;
  call(from, functions().peer_link, &link, from, to);
  return link;
}

void Driver::select(int device) const {
  call(device, functions().select, device);
}

int Driver::selected() const {
  int device = 0;
  call(kNoDevice, functions().selected, &device);
  return device;
}

Handle Driver::context() const {
  Handle context = nullptr;
  call(kNoDevice, functions().context, &context);
  return context;
}

void Driver::set_context(Handle context) const {
  call(kNoDevice, functions().set_context, context);
}

void Driver::release(int device) const {
  call(device, functions().release, device);
}

void Driver::synchronize() const {
  call(kSelectedDevice, functions().synchronize);
}

void Driver::enable_peer_access(int peer) const {
  const auto& enable = functions().enable_peer_access;
  if (!enable.function) lacks(enable.name);
  const int code = enable.function(peer);
  if (code != kSuccess && code != kPeerAccessAlreadyEnabled) refuse(enable.name, code, kSelectedDevice);
}

Driver::Memory Driver::memory() const {
  Memory memory;
  call(kSelectedDevice, functions().memory_info, &memory.free, &memory.total);
  return memory;
}

Address Driver::allocate(std::size_t size) const {
  Address address = 0;
  call(kSelectedDevice, functions().allocate, &address, size);
  return address;
}

void Driver::free(Address address) const {
  call(kSelectedDevice, functions().free, address);
}

void Driver::register_host(void* begin, std::size_t size) const {
  call(kNoDevice, functions().register_host, begin, size);
}

void Driver::unregister_host(void* begin) const {
  call(kNoDevice, functions().unregister_host, begin);
}

PointerAttributes Driver::attributes(const void* pointer) const {
  PointerAttributes attributes;
  call(kNoDevice, functions().pointer_attributes, &attributes, pointer);
  return attributes;
}

void Driver::copy_to_device(Address to, const void* from, std::size_t size, Handle stream) const {
  call(kSelectedDevice, functions().copy_to_device, to, from, size, stream);
}

void Driver::copy_to_host(void* to, Address from, std::size_t size, Handle stream) const {
  call(kSelectedDevice, functions().copy_to_host, to, from, size, stream);
}

void Driver::copy(Address to, Address from, std::size_t size, Handle stream) const {
  call(kSelectedDevice, functions().copy, to, from, size, stream);
}

void Driver::copy_peer(Address to, int to_device, Address from, int from_device, std::size_t size,
                       Handle stream) const {
  call(from_device, functions().copy_peer, to, to_device, from, from_device, size, stream);
}

void Driver::fill(Address to, unsigned char value, std::size_t size, Handle stream) const {
  call(kSelectedDevice, functions().fill, to, value, size, stream);
}

Handle Driver::create_stream() const {
  constexpr unsigned kNonBlocking = 1;
  Handle stream = nullptr;
  call(kSelectedDevice, functions().create_stream, &stream, kNonBlocking);
  return stream;
}

void Driver::destroy_stream(Handle stream) const {
  call(kSelectedDevice, functions().destroy_stream, stream);
}

void Driver::synchronize_stream(Handle stream) const {
  call(kSelectedDevice, functions().synchronize_stream, stream);
}

bool Driver::stream_is_idle(Handle stream) const {
  return call_until_ready(functions().query_stream, stream);
}

void Driver::wait(Handle stream, Handle event) const {
  call(kSelectedDevice, functions().wait_event, stream, event, 0U);
}

Handle Driver::create_event(Timing timing, Reach reach) const {
  constexpr unsigned kDisableTiming = 2;
  constexpr unsigned kInterprocess = 4;  // wants timing disabled
  const unsigned flags =
      reach == Reach::everyone ? kInterprocess | kDisableTiming : (timing == Timing::yes ? 0U : kDisableTiming);
  Handle event = nullptr;
  call(kSelectedDevice, functions().create_event, &event, flags);
  return event;
}

void Driver::destroy_event(Handle event) const {
  call(kSelectedDevice, functions().destroy_event, event);
}

void Driver::record(Handle event, Handle stream) const {
  call(kSelectedDevice, functions().record_event, event, stream);
}

void Driver::synchronize_event(Handle event) const {
  call(kSelectedDevice, functions().synchronize_event, event);
}

bool Driver::event_has_happened(Handle event) const {
  return call_until_ready(functions().query_event, event);
}

double Driver::seconds_between(Handle start, Handle end) const {
  float milliseconds = 0;
  call(kSelectedDevice, functions().elapsed, &milliseconds, start, end);
  return static_cast<double>(milliseconds) * 1e-3;
}

IpcHandle Driver::export_memory(Address address) const {
  IpcHandle handle{};
  call(kSelectedDevice, functions().export_memory, &handle, address);
  return handle;
}

Address Driver::import_memory(const IpcHandle& handle) const {
  Address address = 0;
  call(kSelectedDevice, functions().import_memory, &address, handle);
  return address;
}

void Driver::close_memory(Address address) const {
  call(kSelectedDevice, functions().close_memory, address);
}

IpcHandle Driver::export_event(Handle event) const {
  IpcHandle handle{};
  call(kSelectedDevice, functions().export_event, &handle, event);
  return handle;
}

Handle Driver::import_event(const IpcHandle& handle) const {
  Handle event = nullptr;
  call(kSelectedDevice, functions().import_event, &event, handle);
  return event;
}

std::string Driver::compile(const std::string& source, int device) const {
  return functions().compile(source, device);
}

std::string Driver::lack_of_compiler() const {
  return functions().lack_of_compiler ? functions().lack_of_compiler() : std::string();
}

Handle Driver::load_module(const void* image) const {
  Handle module = nullptr;
  call(kSelectedDevice, functions().load_module, &module, image);
  return module;
}

void Driver::unload_module(Handle module) const {
  call(kSelectedDevice, functions().unload_module, module);
}

Handle Driver::find_kernel(Handle module, const std::string& name) const {
  Handle kernel = nullptr;
  call(kSelectedDevice, functions().find_kernel, &kernel, module, name.c_str());
  return kernel;
}

void Driver::launch(Handle kernel, Extent grid, Extent block, void** arguments, Handle stream) const {
  call(kSelectedDevice, functions().launch, kernel, grid, block, stream, arguments);
}

}  // namespace topowise::device
