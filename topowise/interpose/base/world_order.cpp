// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/world_order.hpp>

#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose {

bool set_world_order(const Mpi& m, Word ordered) noexcept {
  detail::WorldOrder& order = detail::world_order;
  if (m.family.handle_bytes == 4) {  // Fortran handles are the C handles
    order.fortran_ordered = static_cast<int>(ordered);
    order.fortran_world.store(static_cast<int>(m.family.comm_world));
  } else {
    int (*comm_c2f)(Word) = nullptr;
    for (const char* name : {"PMPI_Comm_toint", "PMPI_Comm_c2f"}) {
      if (comm_c2f == nullptr) comm_c2f = reinterpret_cast<int (*)(Word)>(next_symbol(name));
    }
    if (comm_c2f == nullptr) return false;
    order.fortran_ordered = comm_c2f(ordered);
    order.fortran_world.store(comm_c2f(m.family.comm_world));
  }
  order.world.store(m.family.comm_world);
  order.ordered.store(ordered, std::memory_order_release);
  return true;
}

Word end_world_order() noexcept {
  return detail::world_order.ordered.exchange(0);
}

}  // namespace topowise::interpose
