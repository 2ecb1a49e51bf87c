// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/entry.hpp>

#include <cstdio>
#include <cstring>

#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose {
namespace {

constexpr int kErrOther = 16;  ///< MPI_ERR_OTHER of Open MPI and the standard ABI; MPI_ERR_INTERN of MPICH; any to NCCL

int not_there() {
  return kErrOther;
}

/// The next MPI_X: another tool's, if one is behind us, else MPI's own. PMPI_X where only that exists.
void* find(const char* name) {
  if (void* address = next_symbol(name)) return address;
  if (std::strncmp(name, "MPI_", 4) != 0 && std::strncmp(name, "MPIX_", 5) != 0) return nullptr;
  char profiling_name[80];
  std::snprintf(profiling_name, sizeof(profiling_name), "P%s", name);
  return next_symbol(profiling_name);
}

}  // namespace

void* resolve(Entry& entry) noexcept {
  char names[320];
  std::snprintf(names, sizeof(names), "%s", entry.names);
  void* address = nullptr;
  char* rest = nullptr;
  for (char* name = strtok_r(names, " ", &rest); name != nullptr && address == nullptr;
       name = strtok_r(nullptr, " ", &rest))
    address = find(name);
  if (address == nullptr) {
    print_stderr(-1, "the program calls %s, which its %s library does not have", entry.names,
                 std::strncmp(entry.names, "nccl", 4) == 0 ? "NCCL" : "MPI");
    address = reinterpret_cast<void*>(not_there);
  }
  entry.address.store(address, std::memory_order_release);
  return address;
}

}  // namespace topowise::interpose
