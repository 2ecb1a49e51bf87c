// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/shared_library.hpp>

#include <dlfcn.h>

namespace topowise {

std::optional<SharedLibrary> SharedLibrary::open(std::span<const std::string> names, std::string& reason) {
  reason = "no name to try";
  for (const std::string& name : names) {
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return SharedLibrary(name, std::shared_ptr<void>(handle, [](void* open) { ::dlclose(open); }));
    }
    const char* why = ::dlerror();
    reason = why != nullptr ? why : "cannot load " + name;
  }
  return std::nullopt;
}

void* SharedLibrary::symbol(const char* name) const {
  return ::dlsym(handle_.get(), name);
}

}  // namespace topowise
