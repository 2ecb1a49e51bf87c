// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/symbols.hpp>

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string_view>

namespace topowise::interpose {
namespace {

struct Search {
  const char* name;
  void* found;
};

/// Whether a library may have a function: of MPI libmpi.so.*, libmpich.so.*, libmpi_abi.so.*, libmpi_mpifh.so.*,
/// libmpifort.so.* and their like, of NCCL itself or RCCL (a plugin of theirs has another name).
bool may_have(const char* path, const char* function) {
  const char* slash = std::strrchr(path, '/');
  const std::string_view base = slash != nullptr ? slash + 1 : path;
  if (std::string_view(function).starts_with("nccl"))
    return base.starts_with("libnccl.so") || base.starts_with("librccl.so");
  return base.starts_with("libmpi");
}

int look_into(dl_phdr_info* library, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!may_have(library->dlpi_name, search.name)) return 0;
  void* handle = dlopen(library->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return 0;
  search.found = dlsym(handle, search.name);
  dlclose(handle);  // gives back the reference of dlopen only: the program's own keeps the library loaded
  return search.found != nullptr ? 1 : 0;
}

void* in_loaded_libraries(const char* name) {
  Search search{name, nullptr};
  dl_iterate_phdr(look_into, &search);
  return search.found;
}

}  // namespace

void* next_symbol(const char* name) noexcept {
  void* found = dlsym(RTLD_NEXT, name);
  return found != nullptr ? found : in_loaded_libraries(name);
}

void* mpi_object(const char* name) noexcept {
  void* found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : in_loaded_libraries(name);
}

const char* file_of(const void* address) noexcept {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace topowise::interpose
