// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mpi/family.hpp>

#include <cstring>

namespace topowise::mpi {
namespace {

/// MPI_IN_PLACE and MPI_STATUS_IGNORE are numbers that are passed as addresses.
void* pointer(std::intptr_t value) {
  return reinterpret_cast<void*>(value);  // NOLINT(performance-no-int-to-ptr)
}

const int* weights(std::intptr_t value) {
  return static_cast<const int*>(pointer(value));
}

Family open_mpi(const ObjectAddress& object) {
  const auto address_of = [&](const char* name) { return reinterpret_cast<Word>(object(name)); };
  return {.name = "openmpi",
          .handle_bytes = 8,
          .root = -4,
          .proc_null = -2,
          .cart = 1,
          .graph = 2,
          .dist_graph = 3,
          .thread_funneled = 1,
          .thread_multiple = 3,
          .error_argument = 13,
          .error_other = 16,
          .in_place = pointer(1),
          .status_ignore = nullptr,
          .comm_world = address_of("ompi_mpi_comm_world"),
          .comm_self = address_of("ompi_mpi_comm_self"),
          .comm_null = address_of("ompi_mpi_comm_null"),
          .win_null = address_of("ompi_mpi_win_null"),
          .type_null = address_of("ompi_mpi_datatype_null"),
          .type_byte = address_of("ompi_mpi_byte"),
          .op_no_op = address_of("ompi_mpi_op_no_op"),
          .unweighted = weights(2),
          .weights_empty = weights(3)};
}

/// MPICH keeps MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY in variables.
const int* stored_pointer(const void* address) {
  return address == nullptr ? nullptr : *static_cast<const int* const*>(address);
}

Family mpich(const ObjectAddress& object) {
  return {.name = "mpich",
          .handle_bytes = 4,
          .root = -3,
          .proc_null = -1,
          .cart = 2,
          .graph = 1,
          .dist_graph = 3,
          .thread_funneled = 1,
          .thread_multiple = 3,
          .error_argument = 12,
          .error_other = 15,
          .in_place = pointer(-1),
          .status_ignore = pointer(1),
          .comm_world = 0x44000000,
          .comm_self = 0x44000001,
          .comm_null = 0x04000000,
          .win_null = 0x20000000,
          .type_null = 0x0c000000,
          .type_byte = 0x4c00010d,
          .op_no_op = 0x5800000e,
          .unweighted = stored_pointer(object("MPI_UNWEIGHTED")),
          .weights_empty = stored_pointer(object("MPI_WEIGHTS_EMPTY"))};
}

/// The values of MPI 5.0, chapter "Application Binary Interface".
Family standard() {
  return {.name = "standard",
          .handle_bytes = 8,
          .root = -4,
          .proc_null = -3,
          .cart = 211,
          .graph = 212,
          .dist_graph = 213,
          .thread_funneled = 1024,
          .thread_multiple = 4096,
          .error_argument = 13,
          .error_other = 16,
          .in_place = pointer(1),
          .status_ignore = nullptr,
          .comm_world = 0x101,
          .comm_self = 0x102,
          .comm_null = 0x100,
          .win_null = 0x110,
          .type_null = 0x200,
          .type_byte = 0x247,
          .op_no_op = 0x3d,
          .unweighted = weights(10),
          .weights_empty = weights(11)};
}

}  // namespace

Family family_of(const char* path, const ObjectAddress& object) {
  if (std::strstr(path, "libmpi_abi") != nullptr) return standard();
  if (object("ompi_mpi_comm_world") != nullptr) return open_mpi(object);
  return mpich(object);
}

}  // namespace topowise::mpi
