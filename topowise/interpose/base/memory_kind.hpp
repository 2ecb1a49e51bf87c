// SPDX-License-Identifier: BSD-3-Clause
// Where a buffer lies: on the host or on which GPU. Only the driver knows, so it is asked about each buffer of each
// call; three ways around the full question keep that cheap:
//
//   - The thread's own stack is host memory.
//   - While the program has not loaded a driver, all memory is the host's. Whether it has is asked for each region of
//     64 KiB that is new to the thread, and after every kTrusted messages.
//   - An allocation that the driver described once is asked for its number alone. Drivers never give a number twice, so
//     an address that was freed and given out again, as whatever memory, is distinguished from what was there before.
#pragma once

#include <array>
#include <cstdint>

#include <topowise/device/pointer_kind.hpp>
#include <topowise/profile/format.hpp>

namespace topowise::interpose {

struct BufferMemory {
  profile::Memory memory = profile::Memory::host;
  std::uint16_t gpu = 0;  ///< as in profile::PeerRow
};

/// The driver that the program has loaded, if it has. A driver that fails is reported once, and all memory is the
/// host's then. A driver that is not up yet, or no more, is not reported: no memory can be its own. Tests put another
/// driver in its place.
struct LoadedDriver {
  static bool present() noexcept { return device::driver_in_program(); }
  static device::PointerAttributes attributes(const void* pointer) noexcept;
  static std::uint64_t number(const void* pointer) noexcept { return device::buffer_number(pointer); }
};

/// The end of the calling thread's stack; 0 if it is not known.
[[nodiscard]] std::uintptr_t end_of_stack() noexcept;

/// What the driver says, as it is recorded.
[[nodiscard]] inline BufferMemory recorded_memory(const device::PointerAttributes& attributes) noexcept {
  const bool on_gpu = attributes.kind == device::MemoryKind::device || attributes.kind == device::MemoryKind::managed;
  if (!on_gpu) return {};
  const bool told = attributes.device >= 0 && attributes.device < static_cast<int>(profile::kMostGpus);
  return {profile::Memory::device, static_cast<std::uint16_t>(told ? attributes.device + 1 : 0)};
}

/// Where the buffers of one thread lie.
template <class Driver>
class MemoryKinds {
 public:
  [[nodiscard]] BufferMemory find(const void* buffer) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(buffer);
    // Locals of the calling function lie a little below its frame's address.
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (address + kFrame >= frame && address < stack_end_) return {};
    if (!driver_ && !look_for_driver(address)) return {};
    Known& known = known_[home(address)];
    const bool inside = address >= known.begin && address < known.end;
    if (inside && Driver::number(buffer) == known.number) return known.where;
    return ask(known, buffer);
  }

  /// Whether there is a driver, as far as this thread knows when it uses `buffer`.
  [[nodiscard]] bool has_driver(const void* buffer) noexcept {
    return driver_ || look_for_driver(reinterpret_cast<std::uintptr_t>(buffer));
  }

  /// The end of the calling thread's stack. Must be given before the first question of a thread, and again if another
  /// thread goes on with this object.
  void set_stack_end(std::uintptr_t end) noexcept { stack_end_ = end; }

 private:
  static constexpr std::size_t kSlots = 16;
  static constexpr unsigned kRegionBits = 16;
  static constexpr std::uintptr_t kFrame = 4096;  ///< no more than a thread's guard page
  static constexpr unsigned kTrusted = 64;
  struct Known {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uint64_t number = 0;
    BufferMemory where;
  };

  static std::size_t home(std::uintptr_t address) noexcept {
    return ((address >> kRegionBits) * 0x9e3779b97f4a7c15ULL) >> 60;
  }

  bool look_for_driver(std::uintptr_t address) noexcept {
    std::uintptr_t& region = regions_[home(address)];
    const std::uintptr_t mine = (address >> kRegionBits) + 1;
    if (region == mine && ++unasked_ < kTrusted) return false;
    region = mine;
    unasked_ = 0;
    return driver_ = Driver::present();
  }

  [[gnu::noinline]] static BufferMemory ask(Known& known, const void* buffer) noexcept {
    const device::PointerAttributes attributes = Driver::attributes(buffer);
    const BufferMemory where = recorded_memory(attributes);
    if (attributes.buffer == 0 || attributes.size == 0) return where;  // nothing by which it could be recognised
    known = {attributes.base, attributes.base + attributes.size, attributes.buffer, where};
    return where;
  }

  bool driver_ = false;
  unsigned unasked_ = 0;
  std::uintptr_t stack_end_ = 0;
  std::array<Known, kSlots> known_;
  std::array<std::uintptr_t, kSlots> regions_{};
};

}  // namespace topowise::interpose
