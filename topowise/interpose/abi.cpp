// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/abi.hpp>
#include <topowise/interpose/complain.hpp>
#include <topowise/interpose/symbols.hpp>

#include <cstdio>
#include <cstring>

namespace topowise::interpose {
namespace {

Word address_of(const char* symbol) {
  return reinterpret_cast<Word>(mpi_object(symbol));
}
/// MPI_IN_PLACE is a number that is passed as an address.
const void* pointer(std::intptr_t value) {
  return reinterpret_cast<const void*>(value);  // NOLINT(performance-no-int-to-ptr)
}

Family open_mpi() {
  return {.name = "openmpi",
          .handle_bytes = 8,
          .root = -4,
          .proc_null = -2,
          .cart = 1,
          .graph = 2,
          .dist_graph = 3,
          .in_place = pointer(1),
          .comm_world = address_of("ompi_mpi_comm_world"),
          .comm_self = address_of("ompi_mpi_comm_self"),
          .comm_null = address_of("ompi_mpi_comm_null"),
          .win_null = address_of("ompi_mpi_win_null"),
          .type_null = address_of("ompi_mpi_datatype_null"),
          .op_no_op = address_of("ompi_mpi_op_no_op")};
}

constexpr std::intptr_t kMpichInPlace = -1;
Family mpich() {
  return {.name = "mpich",
          .handle_bytes = 4,
          .root = -3,
          .proc_null = -1,
          .cart = 2,
          .graph = 1,
          .dist_graph = 3,
          .in_place = pointer(kMpichInPlace),
          .comm_world = 0x44000000,
          .comm_self = 0x44000001,
          .comm_null = 0x04000000,
          .win_null = 0x20000000,
          .type_null = 0x0c000000,
          .op_no_op = 0x5800000e};
}

/// MPI 5.0, chapter "Application Binary Interface".
Family standard() {
  return {.name = "standard",
          .handle_bytes = 8,
          .root = -4,
          .proc_null = -3,
          .cart = 211,
          .graph = 212,
          .dist_graph = 213,
          .in_place = pointer(1),
          .comm_world = 0x101,
          .comm_self = 0x102,
          .comm_null = 0x100,
          .win_null = 0x110,
          .type_null = 0x200,
          .op_no_op = 0x3d};
}

/// By the library that answers, not by its version: one process may have several MPI libraries mapped, and MPICH's own
/// library knows MPI_Abi_get_version too.
Family detect() {
  const void* answers = next_symbol("PMPI_Comm_rank");
  if (std::strstr(file_of(answers), "libmpi_abi") != nullptr) return standard();
  if (mpi_object("ompi_mpi_comm_world") != nullptr) return open_mpi();
  return mpich();
}

template <class Function>
void find(Function*& function, const char* name) {
  char symbol[80];
  std::snprintf(symbol, sizeof(symbol), "PMPI_%s", name);
  function = reinterpret_cast<Function*>(next_symbol(symbol));
}
template <class Function>
void find(Function*& function, const char* name, const char* other_name) {
  find(function, name);
  if (function == nullptr) find(function, other_name);
}

void find_session_and_fortran(Mpi& m) {
  find(m.Group_from_session_pset, "Group_from_session_pset");
  if (m.family.handle_bytes == 4) return;  // Fortran handles are the C handles
  find(m.Comm_f2c, "Comm_f2c", "Comm_fromint");
  find(m.Type_f2c, "Type_f2c", "Type_fromint");
  find(m.Win_f2c, "Win_f2c", "Win_fromint");
  find(m.Op_f2c, "Op_f2c", "Op_fromint");
  find(m.Request_f2c, "Request_f2c", "Request_fromint");
  find(m.Session_f2c, "Session_f2c", "Session_fromint");
}

/// Whether everything is there that no MPI since version 3 lacks.
bool find_core(Mpi& m) {
  bool complete = true;
  const auto need = [&complete](auto*& function, const char* name) {
    find(function, name);
    complete = complete && function != nullptr;
  };
  need(m.Initialized, "Initialized");
  need(m.Finalized, "Finalized");
  need(m.Query_thread, "Query_thread");
  need(m.Comm_rank, "Comm_rank");
  need(m.Comm_size, "Comm_size");
  need(m.Comm_test_inter, "Comm_test_inter");
  need(m.Comm_group, "Comm_group");
  need(m.Comm_remote_group, "Comm_remote_group");
  need(m.Comm_get_parent, "Comm_get_parent");
  need(m.Comm_create_keyval, "Comm_create_keyval");
  need(m.Comm_set_attr, "Comm_set_attr");
  need(m.Win_get_group, "Win_get_group");
  need(m.Group_size, "Group_size");
  need(m.Group_rank, "Group_rank");
  need(m.Group_translate_ranks, "Group_translate_ranks");
  need(m.Group_free, "Group_free");
  need(m.Topo_test, "Topo_test");
  need(m.Cartdim_get, "Cartdim_get");
  need(m.Cart_shift, "Cart_shift");
  need(m.Graph_neighbors_count, "Graph_neighbors_count");
  need(m.Graph_neighbors, "Graph_neighbors");
  need(m.Dist_graph_neighbors_count, "Dist_graph_neighbors_count");
  need(m.Dist_graph_neighbors, "Dist_graph_neighbors");
  find(m.Type_size_x, "Type_size_x", "Type_size_c");  // same signature; the older name may go
  return complete && m.Type_size_x != nullptr;
}

struct Loaded {
  Mpi mpi{};
  bool usable = false;
  Loaded() {
    if (next_symbol("PMPI_Comm_rank") == nullptr) return;
    mpi.family = detect();
    usable = find_core(mpi);
    if (!usable)
      complain(-1, "the MPI library in %s lacks functions of MPI 3.0; nothing is recorded",
               file_of(next_symbol("PMPI_Comm_rank")));
    find_session_and_fortran(mpi);
  }
};

}  // namespace

const Mpi* mpi() noexcept {
  static const Loaded loaded;
  return loaded.usable ? &loaded.mpi : nullptr;
}

}  // namespace topowise::interpose
