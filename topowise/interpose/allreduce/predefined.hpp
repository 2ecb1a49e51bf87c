// SPDX-License-Identifier: BSD-3-Clause
// MPI's predefined operations and types, as the reducing library numbers them.
#pragma once

#include <cstdint>

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose::allreduce {

inline constexpr std::int32_t kUnknown = -1;

/// Of a predefined operation that can be reduced on a GPU, else kUnknown.
[[nodiscard]] std::int32_t operation_number(const Mpi& m, Word operation) noexcept;

/// MPI's handle of one of our operations, which must be one.
[[nodiscard]] Word operation_handle(const Mpi& m, const char* name) noexcept;

/// Of a predefined type of fixed size, else kUnknown: derived types, long double, Fortran's logicals. `only`: the one
/// kind of operations that MPI allows on it.
enum class Only : std::uint8_t { anything, logical, bitwise };
struct Element {
  std::int32_t number = kUnknown;
  Only only = Only::anything;
};
[[nodiscard]] Element element_of(Word type) noexcept;

/// Whether the GPU can reduce it, and MPI means the same by it.
[[nodiscard]] bool can_reduce(std::int32_t operation, const Element& element) noexcept;

}  // namespace topowise::interpose::allreduce
