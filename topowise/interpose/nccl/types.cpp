// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/nccl/types.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace topowise::interpose::nccl {
namespace {

struct Type {
  std::string_view name;
  std::uint64_t bytes;
};
/// Indexed by ncclDataType_t.
constexpr std::array<Type, 12> kTypes{{{"ncclInt8", 1},
                                       {"ncclUint8", 1},
                                       {"ncclInt32", 4},
                                       {"ncclUint32", 4},
                                       {"ncclInt64", 8},
                                       {"ncclUint64", 8},
                                       {"ncclFloat16", 2},
                                       {"ncclFloat32", 4},
                                       {"ncclFloat64", 8},
                                       {"ncclBfloat16", 2},
                                       {"ncclFloat8e4m3", 1},
                                       {"ncclFloat8e5m2", 1}}};

struct Function {
  std::string_view name;
  profile::Operation operation;
};
constexpr std::array<Function, 9> kCollectives{{{"AllReduce", profile::Operation::allreduce},
                                                {"Broadcast", profile::Operation::bcast},
                                                {"Reduce", profile::Operation::reduce},
                                                {"AllGather", profile::Operation::allgather},
                                                {"ReduceScatter", profile::Operation::reduce_scatter_block},
                                                {"AlltoAll", profile::Operation::alltoall},
                                                {"AllToAll", profile::Operation::alltoall},
                                                {"Gather", profile::Operation::gather},
                                                {"Scatter", profile::Operation::scatter}}};

template <std::size_t N>
const char* at(const std::array<const char*, N>& names, int number) noexcept {
  return number >= 0 && static_cast<std::size_t>(number) < N ? names[static_cast<std::size_t>(number)] : "";
}

}  // namespace

std::uint64_t type_bytes(const char* name) noexcept {
  if (name == nullptr) return 1;
  const auto* const known = std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& t) { return t.name == name; });
  return known != kTypes.end() ? known->bytes : 1;
}

std::uint64_t type_bytes(int number) noexcept {
  return number >= 0 && static_cast<std::size_t>(number) < kTypes.size()
             ? kTypes[static_cast<std::size_t>(number)].bytes
             : 1;
}

std::optional<profile::Operation> operation_named(const char* name) noexcept {
  if (name == nullptr) return std::nullopt;
  for (const Function& function : kCollectives)
    if (function.name == name) return function.operation;
  return std::nullopt;
}

const char* function_name(int number) noexcept {
  static constexpr std::array<const char*, 8> kNames{"Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                                     "AllReduce", "SendRecv", "Send",      "Recv"};
  return at(kNames, number);
}

const char* algorithm_name(int number) noexcept {
  static constexpr std::array<const char*, 7> kNames{"TREE",      "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS",
                                                     "NVLS_TREE", "PAT"};
  return at(kNames, number);
}

const char* protocol_name(int number) noexcept {
  static constexpr std::array<const char*, 3> kNames{"LL", "LL128", "SIMPLE"};
  return at(kNames, number);
}

}  // namespace topowise::interpose::nccl
