// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/nccl_names.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <topowise/base/text.hpp>

namespace topowise::training {
namespace {

using profile::Operation;

struct NcclName {
  std::string_view name;
  Operation operation;
};
constexpr std::array kNcclNames{
    NcclName{"AllReduce", Operation::allreduce}, NcclName{"AllGather", Operation::allgather},
    NcclName{"Broadcast", Operation::bcast},     NcclName{"ReduceScatter", Operation::reduce_scatter_block},
    NcclName{"Reduce", Operation::reduce},       NcclName{"AllToAll", Operation::alltoall},
    NcclName{"AlltoAll", Operation::alltoall},   NcclName{"Gather", Operation::gather},
    NcclName{"Scatter", Operation::scatter},     NcclName{"Bcast", Operation::bcast},
};

/// Bytes of a number of each ncclDataType_t: int8, uint8, int32, uint32, int64, uint64, float16, float32, float64,
/// bfloat16, float8e4m3, float8e5m2.
constexpr std::array kNcclTypeBytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

}  // namespace

std::optional<Operation> nccl_operation(std::string_view name) {
  const auto known = std::ranges::find(kNcclNames, name, &NcclName::name);
  return known == kNcclNames.end() ? std::nullopt : std::optional(known->operation);
}

double nccl_type_bytes(std::string_view type) {
  const std::optional<std::int64_t> number = parse_integer(type);
  if (!number || *number < 0 || *number >= static_cast<std::int64_t>(kNcclTypeBytes.size())) return 0;
  return kNcclTypeBytes[static_cast<std::size_t>(*number)];
}

void add_nccl_call(Trace& trace, std::size_t group, std::string_view name, std::size_t root, double bytes) {
  const std::string shown = printable(name.substr(0, 40));
  const std::size_t size = trace.groups[group].size;
  if (root >= size) {
    ++trace
          .left_out[fmt::format("calls of '{}' whose root or partner is beyond their communicator of {}", shown, size)];
  } else if (name == "Send") {
    trace.sent[{group, root}] += {bytes, 1};
  } else if (name == "Recv") {
    trace.received[{group, root}] += {bytes, 1};
  } else if (const std::optional<Operation> operation = nccl_operation(name)) {
    trace.add({group, *operation, root, bytes});
  } else {
    ++trace.left_out[fmt::format("calls of '{}', which is not known here", shown)];
  }
}

}  // namespace topowise::training
