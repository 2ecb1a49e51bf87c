// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the datatypes that the program uses.
#pragma once

#include <cstdint>

#include <topowise/interpose/base/arguments.hpp>
#include <topowise/interpose/base/handle_table.hpp>

namespace topowise::interpose {

namespace detail {
inline constinit HandleTable<std::uint64_t> type_sizes;
[[nodiscard]] std::uint64_t ask_type_size(const TypeRef& type) noexcept;

[[nodiscard]] inline std::uint64_t name_of(const TypeRef& type) noexcept {
  return static_cast<std::uint64_t>(defined_part(type.word)) * 2 + static_cast<std::uint64_t>(type.language);
}
}  // namespace detail

/// Bytes of data in one element; 0 for an invalid type.
[[nodiscard]] inline std::uint64_t type_size(const TypeRef& type) noexcept {
  const std::uint64_t* known = detail::type_sizes.find(detail::name_of(type));
  return known != nullptr ? *known : detail::ask_type_size(type);
}

/// Called before a type is freed, because MPI gives its handle, which is that of C, to another type.
void forget_type(Word handle) noexcept;

}  // namespace topowise::interpose
