// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/library_beside.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose {

void* open_beside(const char* name) noexcept {
  char path[4096];
  const char* here = file_of(reinterpret_cast<const void*>(&open_beside));
  const char* slash = std::strrchr(here, '/');
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - here) + 1;
  std::snprintf(path, sizeof(path), "%.*s%s", folder, here, name);
  // RTLD_LOCAL: nothing of it may be found in place of the program's own symbols.
  return ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace topowise::interpose
