// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/weak_references.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <topowise/interpose/base/references.hpp>
#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose {
namespace {

int find_ourselves(dl_phdr_info* object, std::size_t, void* data) {
  const Range range = range_of(*object);
  if (!range.contains(reinterpret_cast<std::uintptr_t>(&hide_what_mpi_lacks))) return 0;
  *static_cast<Range*>(data) = range;
  return 1;
}

/// `slot` is in the global offset table, which is write-protected after the loader has filled it (RELRO).
void set_to_null(std::uintptr_t* slot) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* page = at<void>(reinterpret_cast<std::uintptr_t>(slot) / page_bytes * page_bytes);
  if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
  std::atomic_ref(*slot).store(0, std::memory_order_relaxed);
  // Left writable: whether it was protected before is not known, and taking the right to write away could stop the
  // program.
}

int hide_in(dl_phdr_info* object, std::size_t, void* data) {
  const Range& ours = *static_cast<const Range*>(data);
  const References references = references_of(*object);
  any_reference(references, references.data, references.data_bytes,
                [&](const char* name, const ElfW(Sym) & symbol, std::uintptr_t * slot) {
                  const bool weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK && std::strncmp(name, "MPI", 3) == 0;
                  if (weak && ours.contains(*slot) && next_symbol(name) == nullptr) set_to_null(slot);
                  return false;
                });
  return 0;
}

int count_loads(dl_phdr_info* object, std::size_t, void* data) {
  *static_cast<unsigned long long*>(data) = object->dlpi_adds;
  return 1;
}

}  // namespace

void hide_what_mpi_lacks() noexcept {
  static std::atomic<unsigned long long> seen{0};
  unsigned long long loads = 0;
  dl_iterate_phdr(count_loads, &loads);
  if (seen.exchange(loads) == loads || next_symbol("PMPI_Comm_rank") == nullptr) return;
  Range ours;
  dl_iterate_phdr(find_ourselves, &ours);
  dl_iterate_phdr(hide_in, &ours);
}

}  // namespace topowise::interpose
