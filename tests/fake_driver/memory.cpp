// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include <topowise/base/error.hpp>

#include "result.hpp"

namespace topowise::fake {
namespace {

constexpr std::uint64_t kAlignment = 512;             // the alignment of cuMemAlloc
constexpr std::uint64_t kMagic = 0x66616b652d697063;  // "fake-ipc"
constexpr int kPoison = 0xdb;                         // the content of freed memory
constexpr std::size_t kPage = 4096;

/// A program that still reads freed memory through an import shall notice it.
void poison(char* begin, std::uint64_t size) {
  std::memset(begin, kPoison, size);
}

}  // namespace

DeviceMemory::DeviceMemory(SharedNode& node, std::size_t gpu_count, std::size_t gpu_size, bool coherent)
    : node_(node), gpu_count_(gpu_count), gpu_size_(gpu_size) {
  void* inside =
      ::mmap(nullptr, gpu_count * gpu_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, node.memory_file(), 0);
  if (inside == MAP_FAILED) throw not_available("the memory of the simulated GPUs cannot be mapped");
  inside_ = static_cast<char*>(inside);
  own_ = reserve(node.memory_file(), coherent);
  others_ = reserve(node.memory_file(), coherent);
}

/// Shifts the range by some pages; the shift differs between processes even where the system does not randomise
/// addresses.
DevicePointer DeviceMemory::reserve(int file, bool coherent) const {
  const std::size_t size = gpu_count_ * gpu_size_;
  const std::size_t shift = static_cast<std::size_t>(::getpid() % 4093) * kPage;
  void* begin = ::mmap(nullptr, size + shift, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) throw not_available("no addresses are left for the simulated GPUs");
  char* result = static_cast<char*>(begin) + shift;
  if (coherent &&
      ::mmap(result, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) == MAP_FAILED) {
    throw not_available("the memory of the simulated GPUs cannot be mapped");
  }
  return reinterpret_cast<DevicePointer>(result);
}

/// First fit. The caller holds the node's lock. An offset past the end means: there is no room.
std::uint64_t DeviceMemory::gap(int gpu, std::uint64_t size) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (const SharedAllocation& each : node_.state().allocations) {
    if (each.size > 0 && each.gpu == gpu) taken.emplace_back(each.offset, each.offset + each.size);
  }
  std::sort(taken.begin(), taken.end());
  std::uint64_t at = static_cast<std::uint64_t>(gpu) * gpu_size_;
  for (const auto& [begin, end] : taken) {
    if (at + size <= begin) break;
    at = (end + kAlignment - 1) / kAlignment * kAlignment;
  }
  return at;
}

int DeviceMemory::allocate(int gpu, std::size_t size, DevicePointer& address) {
  if (size == 0) return result::kInvalidValue;
  SharedState& state = node_.state();
  const std::lock_guard lock(mutex_);
  const std::lock_guard shared(state.mutex);
  for (SharedAllocation& each : state.allocations) {
    if (each.size > 0 && !alive(each.owner)) each.size = 0;  // memory that killed processes left
  }
  const std::uint64_t offset = gap(gpu, size);
  const auto slot = std::find_if(state.allocations.begin(), state.allocations.end(),
                                 [](const SharedAllocation& each) { return each.size == 0; });
  const std::uint64_t end = (static_cast<std::uint64_t>(gpu) + 1) * gpu_size_;
  if (slot == state.allocations.end() || offset + size > end) return result::kOutOfMemory;
  *slot = {offset, size, state.next_buffer++, ::getpid(), gpu, 0, false};
  mine_[offset] = {size, slot->buffer, static_cast<std::uint32_t>(slot - state.allocations.begin()), gpu};
  address = own_ + offset;
  return result::kSuccess;
}

int DeviceMemory::release(DevicePointer address) {
  const std::lock_guard lock(mutex_);
  const auto found = mine_.find(address - own_);
  if (address < own_ || found == mine_.end()) return result::kInvalidValue;
  poison(inside_ + found->first, found->second.size);
  const std::lock_guard shared(node_.state().mutex);
  SharedAllocation& shared_one = node_.state().allocations[found->second.slot];
  shared_one.freed = true;
  if (shared_one.importers == 0) shared_one.size = 0;
  mine_.erase(found);
  return result::kSuccess;
}

std::size_t DeviceMemory::free_size(int gpu) const {
  const std::lock_guard shared(node_.state().mutex);
  std::size_t taken = 0;
  for (const SharedAllocation& each : node_.state().allocations) {
    if (each.gpu == gpu) taken += each.size;
  }
  return gpu_size_ - std::min(taken, gpu_size_);
}

std::optional<Allocation> DeviceMemory::find_in(const Table& table, DevicePointer begin, bool imported,
                                                DevicePointer address) const {
  if (address < begin || address - begin >= gpu_count_ * gpu_size_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  auto after = table.upper_bound(address - begin);
  if (after == table.begin()) return std::nullopt;
  const auto& [offset, mine] = *--after;
  if (address - begin - offset >= mine.size) return std::nullopt;
  return Allocation{begin + offset, mine.size, mine.buffer, mine.gpu, imported};
}

std::optional<Allocation> DeviceMemory::find(DevicePointer address) const {
  const std::optional<Allocation> own = find_in(mine_, own_, false, address);
  return own ? own : find_in(imports_, others_, true, address);
}

bool DeviceMemory::is_device_range(DevicePointer address) const {
  const std::size_t size = gpu_count_ * gpu_size_;
  return (address >= own_ && address - own_ < size) || (address >= others_ && address - others_ < size);
}

char* DeviceMemory::reach(DevicePointer address, std::size_t size) const {
  if (!is_device_range(address)) return reinterpret_cast<char*>(address);
  const std::optional<Allocation> allocation = find(address);
  if (!allocation || size > allocation->size - (address - allocation->base)) return nullptr;
  return inside_ + (address - (allocation->imported ? others_ : own_));
}

int DeviceMemory::ticket(DevicePointer address, MemoryTicket& ticket) const {
  const std::optional<Allocation> allocation = find(address);
  if (!allocation || allocation->imported) return result::kInvalidValue;
  const std::lock_guard lock(mutex_);
  const Mine& mine = mine_.at(allocation->base - own_);
  ticket = {kMagic, mine.buffer, mine.slot, ::getpid()};
  return result::kSuccess;
}

int DeviceMemory::check(const MemoryTicket& ticket, SharedAllocation& allocation) const {
  if (ticket.magic != kMagic || ticket.slot >= node_.state().allocations.size()) return result::kInvalidValue;
  if (ticket.owner == ::getpid()) return result::kInvalidContext;
  const std::lock_guard shared(node_.state().mutex);
  allocation = node_.state().allocations[ticket.slot];
  const bool there =
      allocation.size > 0 && !allocation.freed && allocation.buffer == ticket.buffer && alive(ticket.owner);
  return there ? result::kSuccess : result::kInvalidHandle;
}

int DeviceMemory::add_import(const MemoryTicket& ticket, const SharedAllocation& allocation, DevicePointer& address) {
  const std::lock_guard lock(mutex_);
  address = others_ + allocation.offset;
  const auto found = imports_.find(allocation.offset);
  if (found != imports_.end() && found->second.buffer == ticket.buffer) {
    ++found->second.opened;
    return result::kSuccess;
  }
  {
    const std::lock_guard shared(node_.state().mutex);
    ++node_.state().allocations[ticket.slot].importers;
  }
  imports_[allocation.offset] = {allocation.size, ticket.buffer, ticket.slot, allocation.gpu};
  return result::kSuccess;
}

int DeviceMemory::close(DevicePointer address) {
  const std::lock_guard lock(mutex_);
  const auto found = imports_.find(address - others_);
  if (address < others_ || found == imports_.end()) return result::kInvalidValue;
  if (--found->second.opened > 0) return result::kSuccess;
  const std::lock_guard shared(node_.state().mutex);
  forget_importer(found->second);
  imports_.erase(found);
  return result::kSuccess;
}

/// The caller holds the node's lock.
void DeviceMemory::forget_importer(const Mine& import) {
  SharedAllocation& allocation = node_.state().allocations[import.slot];
  if (allocation.size == 0 || allocation.buffer != import.buffer) return;
  if (--allocation.importers == 0 && allocation.freed) allocation.size = 0;
}

void DeviceMemory::release_all() {
  const std::lock_guard shared(node_.state().mutex);
  for (SharedAllocation& each : node_.state().allocations) {
    if (each.owner != ::getpid()) continue;
    each.freed = true;
    if (each.importers == 0) each.size = 0;
  }
  for (const auto& [offset, import] : imports_) forget_importer(import);
}

}  // namespace topowise::fake
