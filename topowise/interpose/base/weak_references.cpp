// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/weak_references.hpp>

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose {
namespace {

/// ELF speaks of addresses as numbers.
template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// The dynamic section of a loaded object, as far as references to symbols go.
struct References {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * data = nullptr;
  std::size_t data_bytes = 0;
  ElfW(Addr) base = 0;
};

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool contains(std::uintptr_t address) const { return begin <= address && address < end; }
};

Range range_of(const dl_phdr_info& object) {
  Range range{~std::uintptr_t{0}, 0};
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = object.dlpi_addr + part.p_vaddr;
    range.begin = begin < range.begin ? begin : range.begin;
    range.end = begin + part.p_memsz > range.end ? begin + part.p_memsz : range.end;
  }
  return range;
}

int find_ourselves(dl_phdr_info* object, std::size_t, void* data) {
  const Range range = range_of(*object);
  if (!range.contains(reinterpret_cast<std::uintptr_t>(&hide_what_mpi_lacks))) return 0;
  *static_cast<Range*>(data) = range;
  return 1;
}

References references_of(const dl_phdr_info& object) {
  References found;
  found.base = object.dlpi_addr;
  const Range range = range_of(object);
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = at<const ElfW(Dyn)>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    // The loader has made addresses of these, except in objects of the kernel.
    const std::uintptr_t address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_RELASZ) found.data_bytes = entry->d_un.d_val;
    if (!range.contains(address)) continue;
    if (entry->d_tag == DT_SYMTAB) found.symbols = at<const ElfW(Sym)>(address);
    if (entry->d_tag == DT_STRTAB) found.names = at<const char>(address);
    if (entry->d_tag == DT_RELA) found.data = at<const ElfW(Rela)>(address);
  }
  return found;
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
  if (references.symbols == nullptr || references.names == nullptr || references.data == nullptr) return 0;
  for (std::size_t i = 0; i < references.data_bytes / sizeof(ElfW(Rela)); ++i) {
    const ElfW(Rela)& reference = references.data[i];
    const ElfW(Sym)& symbol = references.symbols[ELF64_R_SYM(reference.r_info)];
    if (ELF64_ST_BIND(symbol.st_info) != STB_WEAK || symbol.st_shndx != SHN_UNDEF) continue;
    const char* name = references.names + symbol.st_name;
    if (std::strncmp(name, "MPI", 3) != 0) continue;
    auto* slot = at<std::uintptr_t>(references.base + reference.r_offset);
    if (ours.contains(*slot) && next_symbol(name) == nullptr) set_to_null(slot);
  }
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
