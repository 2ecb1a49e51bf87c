// SPDX-License-Identifier: BSD-3-Clause
// How NCCL and RCCL write calls and types of numbers: in their logs, in RCCL's recording, and behind "nccl" where their
// functions are named.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <topowise/traffic_source/training/trace.hpp>

namespace topowise::training {

/// The collective operation of a call of that name, "AllReduce"; nothing for any other call.
[[nodiscard]] std::optional<profile::Operation> nccl_operation(std::string_view name);

/// Bytes of a number of that ncclDataType_t, written as a number; 0 if it is not known.
[[nodiscard]] double nccl_type_bytes(std::string_view type);

/// Adds a call of that name, "AllReduce", with so many bytes of the count that NCCL's function is given. `root` of Send
/// and Recv is the partner. What is not known, or beyond the group, is left out and counted.
void add_nccl_call(Trace& trace, std::size_t group, std::string_view name, std::size_t root, double bytes);

}  // namespace topowise::training
