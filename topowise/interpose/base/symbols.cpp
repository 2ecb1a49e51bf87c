// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/symbols.hpp>

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <climits>
#include <cstring>
#include <string_view>

namespace topowise::interpose {
namespace {

/// Whether a library may have a function. Functions of MPI are in libmpi.so.*, libmpich.so.*, libmpi_abi.so.*,
/// libmpi_mpifh.so.*, libmpifort.so.* and their like; those of NCCL are in NCCL itself or RCCL (a plugin of theirs has
/// another name).
bool may_have(const char* path, const char* function) {
  const char* slash = std::strrchr(path, '/');
  const std::string_view base = slash != nullptr ? slash + 1 : path;
  if (std::string_view(function).starts_with("nccl"))
    return base.starts_with("libnccl.so") || base.starts_with("librccl.so");
  return base.starts_with("libmpi");
}

/// The path of the loaded library that comes `skipped` libraries after the first that may have a function.
struct Search {
  const char* function;
  int skipped;
  std::array<char, PATH_MAX> path;
};

int keep_path(dl_phdr_info* library, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::string_view path = library->dlpi_name;
  if (!may_have(library->dlpi_name, search.function) || path.size() >= search.path.size()) return 0;
  if (search.skipped-- > 0) return 0;
  search.path[path.copy(search.path.data(), path.size())] = '\0';
  return 1;
}

/// Opens libraries between the walks over their list, never in one. A walk holds a lock of the loader; a thread that
/// loads a library waits for that lock while it holds the one that dlopen needs.
void* in_loaded_libraries(const char* name) {
  for (int i = 0;; ++i) {
    Search search{name, i, {}};
    if (dl_iterate_phdr(keep_path, &search) == 0) return nullptr;
    void* handle = dlopen(search.path.data(), RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) continue;
    void* found = dlsym(handle, name);
    dlclose(handle);  // gives back the reference of dlopen only: the program's own keeps the library loaded
    if (found != nullptr) return found;
  }
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
