// SPDX-License-Identifier: BSD-3-Clause
// The references to symbols that a loaded object has, as its file states them and the loader has filled them.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace topowise::interpose {

/// ELF speaks of addresses as numbers.
template <class T>
[[nodiscard]] T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool contains(std::uintptr_t address) const { return begin <= address && address < end; }
};

/// Where the object lies in memory.
[[nodiscard]] Range range_of(const dl_phdr_info& object);

/// One table of relocations of an object that names symbols.
struct References {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * data = nullptr;
  std::size_t data_bytes = 0;
  const ElfW(Rela) * calls = nullptr;
  std::size_t calls_bytes = 0;
  ElfW(Addr) base = 0;
};
[[nodiscard]] References references_of(const dl_phdr_info& object);

/// Calls `body(name, symbol, slot)` for each reference of a table to a symbol that the object itself lacks, until it
/// returns true; whether it did.
template <class Body>
bool any_reference(const References& object, const ElfW(Rela) * table, std::size_t bytes, Body body) {
  if (object.symbols == nullptr || object.names == nullptr || table == nullptr) return false;
  for (std::size_t i = 0; i < bytes / sizeof(ElfW(Rela)); ++i) {
    const ElfW(Sym)& symbol = object.symbols[ELF64_R_SYM(table[i].r_info)];
    if (symbol.st_shndx != SHN_UNDEF || ELF64_R_SYM(table[i].r_info) == 0) continue;
    if (body(object.names + symbol.st_name, symbol, at<std::uintptr_t>(object.base + table[i].r_offset))) return true;
  }
  return false;
}

}  // namespace topowise::interpose
