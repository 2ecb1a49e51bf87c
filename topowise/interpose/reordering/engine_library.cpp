// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/engine_library.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include <topowise/interpose/base/complain.hpp>
#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose::reordering {
namespace {

engine::Function open_engine() noexcept {
  char path[4096];
  const char* here = file_of(reinterpret_cast<const void*>(&engine_function));
  const char* slash = std::strrchr(here, '/');
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - here) + 1;
  std::snprintf(path, sizeof(path), "%.*s%s", folder, here, engine::kLibrary);
  // RTLD_LOCAL: nothing of it may be found in place of the program's own symbols.
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    complain(-1, "ranks stay as they are: %s", ::dlerror());
    return nullptr;
  }
  const auto function = reinterpret_cast<engine::Function>(::dlsym(library, engine::kFunction));
  if (function == nullptr) complain(-1, "ranks stay as they are: %s has no %s", path, engine::kFunction);
  return function;
}

}  // namespace

engine::Function engine_function() noexcept {
  static const engine::Function function = open_engine();
  return function;
}

}  // namespace topowise::interpose::reordering
