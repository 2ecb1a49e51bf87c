// SPDX-License-Identifier: BSD-3-Clause
// The functions of a newer glibc that topowise or the C++ library of a newer compiler calls and that glibc 2.28 does
// not have. They are linked into each portable program and library (cmake/portable.cmake), and are hidden there.
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdint>

namespace {

struct Search {
  std::uintptr_t address;
  dl_find_object* result;
};

int look(dl_phdr_info* object, std::size_t, void* argument) noexcept {
  auto& search = *static_cast<Search*>(argument);
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  std::uintptr_t frames = 0;
  bool inside = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    const std::uintptr_t from = object->dlpi_addr + header.p_vaddr;
    const std::uintptr_t to = from + header.p_memsz;
    if (header.p_type == PT_GNU_EH_FRAME) frames = from;
    if (header.p_type != PT_LOAD) continue;
    if (from < begin) begin = from;
    if (to > end) end = to;
    inside = inside || (search.address >= from && search.address < to);
  }
  if (!inside || frames == 0) return 0;
  dl_find_object& result = *search.result;
  result.dlfo_flags = 0;
  result.dlfo_map_start = reinterpret_cast<void*>(begin);  // NOLINT
  result.dlfo_map_end = reinterpret_cast<void*>(end);      // NOLINT
  result.dlfo_link_map = nullptr;
  result.dlfo_eh_frame = reinterpret_cast<void*>(frames);  // NOLINT
  return 1;
}

}  // namespace

extern "C" {

/// Since 2.35, for the unwinder of GCC 12. Finds the object in which an address lies, and the beginning of that
/// object's table of frames.
[[gnu::visibility("hidden")]] int _dl_find_object(void* address, dl_find_object* result) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), result};
  return ::dl_iterate_phdr(look, &search) != 0 ? 0 : -1;
}

/// Since 2.36, for std::random_device.
[[gnu::visibility("hidden")]] std::uint32_t arc4random() noexcept {
  std::uint32_t word = 0;
  while (::getrandom(&word, sizeof word, 0) < 0 && errno == EINTR) {
  }
  return word;
}
}
