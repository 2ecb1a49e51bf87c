// SPDX-License-Identifier: BSD-3-Clause
// NCCL's functions and data types, by the names and by the numbers that it gives them.
#pragma once

#include <cstdint>
#include <optional>

#include <topowise/profile/format.hpp>

namespace topowise::interpose::nccl {

/// "ncclFloat32" -> 4. NCCL calls the types that it has no name for "Unknown": of its own there is only ncclUint8.
[[nodiscard]] std::uint64_t type_bytes(const char* name) noexcept;
/// The same for a number, which is an ncclDataType_t.
[[nodiscard]] std::uint64_t type_bytes(int number) noexcept;

/// "AllReduce" and its like; nothing for what is no collective.
[[nodiscard]] std::optional<profile::Operation> operation_named(const char* name) noexcept;
/// The names that later versions give to what version 1 of the profiler interface numbers; "" for an unknown number.
[[nodiscard]] const char* function_name(int number) noexcept;
[[nodiscard]] const char* algorithm_name(int number) noexcept;
[[nodiscard]] const char* protocol_name(int number) noexcept;

/// Whether a call's root means anything.
[[nodiscard]] inline bool is_rooted(profile::Operation operation) noexcept {
  return profile::kOperations[static_cast<std::size_t>(operation)].rooted;
}

}  // namespace topowise::interpose::nccl
