// SPDX-License-Identifier: BSD-3-Clause
// Every `new` of the program comes here. The requested size is stored in front of the returned memory.
#include "counted_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr std::size_t kFront = alignof(std::max_align_t);
std::atomic<std::size_t> held_now{0};
std::atomic<std::size_t> most{0};

void* allocate(std::size_t size) noexcept {
  void* memory = std::malloc(size + kFront);
  if (memory == nullptr) return nullptr;
  std::memcpy(memory, &size, sizeof(size));
  const std::size_t now = held_now.fetch_add(size) + size;
  std::size_t known = most.load();
  while (now > known && !most.compare_exchange_weak(known, now)) {
  }
  return static_cast<char*>(memory) + kFront;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  char* begin = static_cast<char*>(memory) - kFront;
  std::size_t size = 0;
  std::memcpy(&size, begin, sizeof(size));
  held_now.fetch_sub(size);
  std::free(begin);
}

void* allocate_or_throw(std::size_t size) {
  void* memory = allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate_or_throw(size);
}
void* operator new[](std::size_t size) {
  return allocate_or_throw(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}

namespace topowise::test {

MemoryPeak::MemoryPeak() : before_(held_now.load()) {
  most.store(before_);
}

std::size_t MemoryPeak::bytes() const {
  return most.load() - before_;
}

std::size_t MemoryPeak::held() const {
  return held_now.load() - before_;
}

}  // namespace topowise::test
