// SPDX-License-Identifier: BSD-3-Clause
// MPI's predefined operations and types, as the reducing library numbers them.
#pragma once

#include <cstdint>

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose::allreduce {

inline constexpr std::int32_t kUnknown = -1;

/// The number of a predefined operation that can be reduced on a GPU, else kUnknown.
[[nodiscard]] std::int32_t operation_number(const Mpi& m, Word operation) noexcept;

/// MPI's handle for one of our operations; `name` must be one of them.
[[nodiscard]] Word operation_handle(const Mpi& m, const char* name) noexcept;

/// The number of a predefined type of fixed size; kUnknown for all others: derived types, long double, Fortran's
/// logicals. `only`: the one kind of operations that MPI allows on it.
enum class Only : std::uint8_t { anything, logical, bitwise };
struct Element {
  std::int32_t number = kUnknown;
  Only only = Only::anything;
};
[[nodiscard]] Element element_of(Word type) noexcept;

/// Whether MPI defines the type, not the program: then its data lie in the order in which MPI sends them. `type` must
/// not be null.
[[nodiscard]] bool is_predefined(Word type) noexcept;

/// Whether the GPU can reduce such elements by this operation, and MPI means the same by it.
[[nodiscard]] bool can_reduce(std::int32_t operation, const Element& element) noexcept;

}  // namespace topowise::interpose::allreduce
