// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/base/symbols.hpp>

#include <cstdio>

namespace topowise::interpose {
namespace {

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
    mpi.family = mpi::family_of(file_of(next_symbol("PMPI_Comm_rank")), mpi_object);
    detail::handle_bits.store(mpi.family.handle(~Word{0}), std::memory_order_relaxed);
    usable = find_core(mpi);
    if (!usable)
      print_stderr(-1, "the MPI library in %s lacks functions of MPI 3.0; nothing is recorded",
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
