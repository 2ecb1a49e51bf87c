// SPDX-License-Identifier: BSD-3-Clause
// The signal handler may use only what is safe there: atomic loads, mmap, write.
#include <topowise/interpose/recording/truncation.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <new>

namespace topowise::interpose {
namespace {

struct MappedPart {
  std::uintptr_t begin;
  std::uintptr_t end;
  const char* path;
  MappedPart* next;
};

std::atomic<MappedPart*> parts{nullptr};  ///< never freed: mappings live as long as the process
std::atomic<bool> said{false};
struct sigaction before;

void say_once(const char* path) {
  if (said.exchange(true)) return;
  const auto print = [](const char* text) { return ::write(STDERR_FILENO, text, std::strlen(text)); };
  const bool printed = print("topowise: ") > 0 && print(path) > 0 &&
                       print(" was truncated while this program recorded to it; the recording is damaged\n") > 0;
  (void)printed;  // without stderr there is nobody to read it
}

/// Gives the page at `address` memory of its own if it belongs to a recording.
bool replace_page(std::uintptr_t address) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (const MappedPart* part = parts.load(std::memory_order_acquire); part != nullptr; part = part->next) {
    if (address < part->begin || address >= part->end) continue;
    void* page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
    void* memory = ::mmap(page, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (memory == page) say_once(part->path);
    return memory == page;
  }
  return false;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (info->si_code > 0 && replace_page(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    errno = error;
    return;
  }
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr)
    return before.sa_sigaction(signal, info, context);
  if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  // The default comes when this has returned: the access is tried again, or the signal is sent again.
  ::sigaction(signal, &before, nullptr);
  if (info->si_code <= 0) ::raise(signal);
}

}  // namespace

void survive_truncation(void* begin, std::size_t bytes, const char* path) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  auto* part = new (std::nothrow) MappedPart{address, address + bytes, path, nullptr};
  if (part == nullptr) return;
  static const bool installed = [] {
    struct sigaction ours {};
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    return ::sigaction(SIGBUS, nullptr, &before) == 0 && ::sigaction(SIGBUS, &ours, nullptr) == 0;
  }();
  (void)installed;  // if it is not installed, a truncated file ends the program
  part->next = parts.load(std::memory_order_relaxed);
  while (!parts.compare_exchange_weak(part->next, part, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

}  // namespace topowise::interpose
