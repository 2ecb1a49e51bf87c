// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/references.hpp>

namespace topowise::interpose {

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

References references_of(const dl_phdr_info& object) {
  References found;
  found.base = object.dlpi_addr;
  const Range range = range_of(object);
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = at<const ElfW(Dyn)>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    // The loader has turned these into addresses, except in objects of the kernel.
    const std::uintptr_t address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_RELASZ) found.data_bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_PLTRELSZ) found.calls_bytes = entry->d_un.d_val;
    if (!range.contains(address)) continue;
    if (entry->d_tag == DT_SYMTAB) found.symbols = at<const ElfW(Sym)>(address);
    if (entry->d_tag == DT_STRTAB) found.names = at<const char>(address);
    if (entry->d_tag == DT_RELA) found.data = at<const ElfW(Rela)>(address);
    if (entry->d_tag == DT_JMPREL) found.calls = at<const ElfW(Rela)>(address);
  }
  return found;
}

}  // namespace topowise::interpose
