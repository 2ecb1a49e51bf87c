// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/memory_kind.hpp>

#include <doctest/doctest.h>

#include <map>

using namespace topowise;
using namespace topowise::interpose;
using profile::Memory;

namespace {

/// A driver whose allocations the test makes.
struct ActedDriver {
  static inline bool loaded = false;
  static inline std::map<std::uintptr_t, device::PointerAttributes> allocations;
  static inline int questions = 0;
  static inline int looks = 0;

  static bool present() noexcept {
    ++looks;
    return loaded;
  }
  static device::PointerAttributes attributes(const void* pointer) noexcept {
    ++questions;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    for (const auto& [base, allocation] : allocations) {
      if (address >= base && address < base + allocation.size) return allocation;
    }
    return {};
  }
  static std::uint64_t number(const void* pointer) noexcept {
    const int before = questions;
    const std::uint64_t found = attributes(pointer).buffer;
    questions = before;
    return found;
  }
  static void allocate(std::uintptr_t base, std::uint64_t size, device::MemoryKind kind, int gpu) {
    static std::uint64_t last = 0;
    allocations[base] = {kind, gpu, base, size, ++last};
  }
  static void reset(bool with_driver) {
    loaded = with_driver;
    allocations.clear();
    questions = looks = 0;
  }
};

const void* at(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}
constexpr std::uintptr_t kBase = 0x7f0000000000;

}  // namespace

TEST_CASE("memory of the host and of GPUs is distinguished, and which GPU") {
  ActedDriver::reset(true);
  ActedDriver::allocate(kBase, 4096, device::MemoryKind::device, 3);
  ActedDriver::allocate(kBase + 4096, 4096, device::MemoryKind::pinned, -1);
  ActedDriver::allocate(kBase + 8192, 4096, device::MemoryKind::managed, 0);
  MemoryKinds<ActedDriver> kinds;
  CHECK(kinds.find(at(kBase + 17)).memory == Memory::device);
  CHECK(kinds.find(at(kBase + 17)).gpu == 4);
  CHECK(kinds.find(at(kBase + 4096)).memory == Memory::host);
  CHECK(kinds.find(at(kBase + 4096)).gpu == 0);
  CHECK(kinds.find(at(kBase + 8192)).memory == Memory::device);
  CHECK(kinds.find(at(kBase + 8192)).gpu == 1);
  CHECK(kinds.find(at(kBase + 12288)).memory == Memory::host);
}

TEST_CASE("an allocation is described once") {
  ActedDriver::reset(true);
  ActedDriver::allocate(kBase, 65536, device::MemoryKind::device, 0);
  MemoryKinds<ActedDriver> kinds;
  for (std::uintptr_t offset = 0; offset < 65536; offset += 64) CHECK(kinds.find(at(kBase + offset)).gpu == 1);
  CHECK(ActedDriver::questions == 1);
}

TEST_CASE("an address that is freed and given out again is what it is now") {
  ActedDriver::reset(true);
  MemoryKinds<ActedDriver> kinds;
  for (int round = 0; round < 3; ++round) {
    ActedDriver::allocate(kBase, 4096, device::MemoryKind::device, round);
    CHECK(kinds.find(at(kBase)).gpu == round + 1);
    ActedDriver::allocations.clear();  // the memory is freed, then the host gets it
    CHECK(kinds.find(at(kBase)).memory == Memory::host);
    ActedDriver::allocate(kBase, 4096, device::MemoryKind::pinned, -1);
    CHECK(kinds.find(at(kBase)).memory == Memory::host);
    ActedDriver::allocations.clear();
  }
}

TEST_CASE("without a driver nobody is asked, and one that is loaded later is noticed") {
  ActedDriver::reset(false);
  MemoryKinds<ActedDriver> kinds;
  for (int message = 0; message < 60; ++message) CHECK(kinds.find(at(kBase)).memory == Memory::host);
  CHECK(ActedDriver::looks == 1);
  CHECK(ActedDriver::questions == 0);
  ActedDriver::loaded = true;
  ActedDriver::allocate(kBase + (1 << 20), 4096, device::MemoryKind::device, 0);
  CHECK(kinds.find(at(kBase + (1 << 20))).memory == Memory::device);  // a new region is noticed at once
  // The address that was the host's is the GPU's now.
  MemoryKinds<ActedDriver> again;
  ActedDriver::reset(false);
  static_cast<void>(again.find(at(kBase)));
  ActedDriver::loaded = true;
  ActedDriver::allocate(kBase, 4096, device::MemoryKind::device, 0);
  int late = 0;
  while (again.find(at(kBase)).memory == Memory::host) REQUIRE(++late <= 64);
}

TEST_CASE("the stack is the host's") {
  ActedDriver::reset(true);
  MemoryKinds<ActedDriver> kinds;
  const int local = 0;
  kinds.set_stack_end(reinterpret_cast<std::uintptr_t>(&local) + 4096);
  CHECK(kinds.find(&local).memory == Memory::host);
  CHECK(ActedDriver::questions == 0);
}
