// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/engine_library.hpp>

#include <dlfcn.h>

#include <topowise/interpose/base/library_beside.hpp>
#include <topowise/interpose/base/print_stderr.hpp>

namespace topowise::interpose::reordering {
namespace {

engine::Function open_engine() noexcept {
  void* library = open_beside(engine::kLibrary);
  if (library == nullptr) {
    print_stderr(-1, "ranks stay as they are: %s", ::dlerror());
    return nullptr;
  }
  const auto function = reinterpret_cast<engine::Function>(::dlsym(library, engine::kFunction));
  if (function == nullptr)
    print_stderr(-1, "ranks stay as they are: %s has no %s", engine::kLibrary, engine::kFunction);
  return function;
}

}  // namespace

engine::Function engine_function() noexcept {
  static const engine::Function function = open_engine();
  return function;
}

}  // namespace topowise::interpose::reordering
