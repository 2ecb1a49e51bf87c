// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/gpu/gpu.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace topowise::collective {
namespace {

constexpr std::size_t kMostExports = 1024;
constexpr std::size_t kMostImports = 256;  // more than one call needs
constexpr std::size_t kMostSeen = 4096;

}  // namespace

SharedMemory Exports::find(device::Address address, const device::PointerAttributes& attributes) {
  SharedMemory memory{.buffer = attributes.buffer,
                      .offset = address - attributes.base,
                      .base = attributes.base,
                      .size = attributes.size};
  const std::lock_guard lock(mutex_);
  const auto known = handles_.find(attributes.buffer);
  if (known != handles_.end()) {
    memory.handle = known->second;
    return memory;
  }
  try {
    memory.handle = driver_.export_memory(attributes.base);
  } catch (const device::DriverError&) {
    memory.buffer = 0;
    return memory;
  }
  if (handles_.size() >= kMostExports) handles_.clear();  // numbers of memory that was freed stay behind
  handles_.emplace(attributes.buffer, memory.handle);
  return memory;
}

void Imports::close() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
}

device::OwnedImport open_memory(const device::Driver& driver, const ProcessMark& owner, const device::IpcHandle& handle,
                                device::Address address) {
  const int device = driver.selected();
  if (owner.pid != ::getpid() || owner != this_process_mark()) return {driver, device, driver.import_memory(handle)};
  const int there =
      driver.attributes(reinterpret_cast<const void*>(address)).device;  // NOLINT(performance-no-int-to-ptr)
  if (there != device) {
    if (!driver.can_access_peer(device, there))
      throw not_available(fmt::format("GPU {} cannot use memory of GPU {}", device, there));
    driver.enable_peer_access(there);
  }
  return device::OwnedImport::borrowed(address);
}

Import Imports::open(const ProcessMark& owner, const SharedMemory& memory) {
  const std::lock_guard lock(mutex_);
  const int device = driver_.selected();
  const Owner key{device, owner.pid, owner.started};
  const auto known = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.owner == key && entry.buffer == memory.buffer; });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
    return known->import;
  }
  std::erase_if(entries_, [&](const Entry& entry) {
    const bool overlaps = entry.base < memory.base + memory.size && memory.base < entry.base + entry.size;
    return entry.owner == key && overlaps;
  });
  auto fresh = std::make_shared<const device::OwnedImport>(open_memory(driver_, owner, memory.handle, memory.base));
  if (seen_.size() >= kMostSeen) seen_.clear();
  const bool stays = !seen_.emplace(key, memory.buffer).second;
  entries_.push_front({key, memory.buffer, memory.base, memory.size, stays, fresh});
  close_oldest();
  return fresh;
}

// Closes only memory of the selected device: to close memory of another device would select that one.
void Imports::close_oldest() {
  const int device = driver_.selected();
  const std::uint64_t most_bytes = driver_.devices().at(static_cast<std::size_t>(device)).memory / 4;
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  std::erase_if(entries_, [&](const Entry& entry) {
    if (std::get<0>(entry.owner) != device) return false;
    bytes += entry.size;
    return (++count > kMostImports || bytes > most_bytes) && entry.import.use_count() == 1;
  });
}

void Imports::end_call() {
  const std::lock_guard lock(mutex_);
  const int device = driver_.selected();
  std::erase_if(entries_, [&](const Entry& entry) {
    return std::get<0>(entry.owner) == device && !entry.stays && entry.import.use_count() == 1;
  });
  close_oldest();
}

}  // namespace topowise::collective
