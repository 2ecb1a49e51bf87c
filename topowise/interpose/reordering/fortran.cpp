// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/fortran.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <topowise/interpose/base/arguments.hpp>
#include <topowise/interpose/base/symbols.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/create.hpp>

namespace topowise::interpose::reordering::fortran {
namespace {

/// Conversions that only these functions need; null where Fortran handles are the C handles.
struct Conversions {
  int (*comm_c2f)(Word) = nullptr;
  Word (*info_f2c)(int) = nullptr;
};

template <class Function>
void find(Function*& function, const char* name, const char* other_name) {
  void* found = next_symbol(name);
  function = reinterpret_cast<Function*>(found != nullptr ? found : next_symbol(other_name));
}

const Conversions& conversions() {
  static const Conversions found = [] {
    Conversions made;
    if (mpi() == nullptr || mpi()->family.handle_bytes == 4) return made;
    find(made.comm_c2f, "PMPI_Comm_c2f", "PMPI_Comm_toint");
    find(made.info_f2c, "PMPI_Info_f2c", "PMPI_Info_fromint");
    return made;
  }();
  return found;
}

Word comm_of(const int* handle) {
  return interpose::fortran::converted(interpose::fortran::comm(handle));
}

Word info_of(const int* handle) {
  return conversions().info_f2c == nullptr ? Word{*handle} : conversions().info_f2c(*handle);
}

/// Gives the caller what a C function with an out-communicator made.
template <class Create>
void give(int* result, int* ierror, Create create) {
  Word made = 0;
  const int status = create(&made);
  if (status == 0 && mpi() != nullptr) {
    const Word handle = mpi()->family.handle_at(&made);
    *result = conversions().comm_c2f == nullptr ? static_cast<int>(handle) : conversions().comm_c2f(handle);
  }
  if (ierror != nullptr) *ierror = status;
}

/// Fortran's MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are addresses of variables: common blocks in Open MPI, variables that
/// hold the address in MPICH, and module variables of its mpi_f08.
struct Sentinel {
  std::array<const void*, 6> addresses;

  Sentinel(const char* block, const char* holder, const char* module) : addresses{} {
    char name[64];
    std::size_t next = 0;
    for (const char* suffix : {"", "_", "__"}) {
      std::snprintf(name, sizeof(name), "%s%s", block, suffix);
      addresses[next++] = mpi_object(name);
    }
    const void* held = mpi_object(holder);
    addresses[next++] = held == nullptr ? nullptr : *static_cast<const void* const*>(held);
    addresses[next] = mpi_object(module);
  }
  [[nodiscard]] bool is(const void* address) const {
    return address != nullptr && std::ranges::find(addresses, address) != addresses.end();
  }
};

const int* weights_of(const int* weights) {
  static const Sentinel unweighted("mpi_fortran_unweighted", "MPIR_F_MPI_UNWEIGHTED",
                                   "__mpi_f08_link_constants_MOD_mpi_unweighted");
  static const Sentinel empty("mpi_fortran_weights_empty", "MPIR_F_MPI_WEIGHTS_EMPTY",
                              "__mpi_f08_link_constants_MOD_mpi_weights_empty");
  if (mpi() == nullptr) return weights;
  if (unweighted.is(weights)) return mpi()->family.unweighted;
  return empty.is(weights) ? mpi()->family.weights_empty : weights;
}

std::vector<int> truth(const int* logicals, int count) {
  std::vector<int> values(static_cast<std::size_t>(std::max(count, 0)) + 1, 0);
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = logicals[i] != 0 ? 1 : 0;
  return values;
}

}  // namespace

void cart_create(const int* comm, const int* dimensions, const int* extents, const int* periodic, const int* reorder,
                 int* result, int* ierror, const CallSite& site) noexcept {
  give(result, ierror, [&](void* made) {
    return reordering::cart_create(comm_of(comm), *dimensions, extents, truth(periodic, *dimensions).data(), *reorder,
                                   made, site);
  });
}

void graph_create(const int* comm, const int* vertices, const int* index, const int* edges, const int* reorder,
                  int* result, int* ierror, const CallSite& site) noexcept {
  give(result, ierror, [&](void* made) {
    return reordering::graph_create(comm_of(comm), *vertices, index, edges, *reorder, made, site);
  });
}

void dist_graph_create(const int* comm, const int* count, const int* sources, const int* degrees,
                       const int* destinations, const int* weights, const int* info, const int* reorder, int* result,
                       int* ierror, const CallSite& site) noexcept {
  give(result, ierror, [&](void* made) {
    return reordering::dist_graph_create(comm_of(comm), *count, sources, degrees, destinations, weights_of(weights),
                                         info_of(info), *reorder, made, site);
  });
}

void dist_graph_create_adjacent(const int* comm, const int* in_degree, const int* sources, const int* source_weights,
                                const int* out_degree, const int* destinations, const int* destination_weights,
                                const int* info, const int* reorder, int* result, int* ierror,
                                const CallSite& site) noexcept {
  give(result, ierror, [&](void* made) {
    return reordering::dist_graph_create_adjacent(comm_of(comm), *in_degree, sources, weights_of(source_weights),
                                                  *out_degree, destinations, weights_of(destination_weights),
                                                  info_of(info), *reorder, made, site);
  });
}

void cart_map(const int* comm, const int* dimensions, const int* extents, const int* periodic, int* new_rank,
              int* ierror, const CallSite& site) noexcept {
  const int status =
      reordering::cart_map(comm_of(comm), *dimensions, extents, truth(periodic, *dimensions).data(), new_rank, site);
  if (ierror != nullptr) *ierror = status;
}

void graph_map(const int* comm, const int* vertices, const int* index, const int* edges, int* new_rank, int* ierror,
               const CallSite& site) noexcept {
  const int status = reordering::graph_map(comm_of(comm), *vertices, index, edges, new_rank, site);
  if (ierror != nullptr) *ierror = status;
}

}  // namespace topowise::interpose::reordering::fortran
