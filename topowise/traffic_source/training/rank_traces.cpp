// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/rank_traces.hpp>

#include <algorithm>
#include <array>

namespace topowise::training {
namespace {

struct Type {
  std::string_view name;
  double bytes;
};
constexpr std::array kTypes{
    Type{"MPI_CHAR", 1},
    Type{"MPI_SIGNED_CHAR", 1},
    Type{"MPI_UNSIGNED_CHAR", 1},
    Type{"MPI_BYTE", 1},
    Type{"MPI_PACKED", 1},
    Type{"MPI_CHARACTER", 1},
    Type{"MPI_INTEGER1", 1},
    Type{"MPI_INT8_T", 1},
    Type{"MPI_UINT8_T", 1},
    Type{"MPI_C_BOOL", 1},
    Type{"MPI_SHORT", 2},
    Type{"MPI_UNSIGNED_SHORT", 2},
    Type{"MPI_INTEGER2", 2},
    Type{"MPI_INT16_T", 2},
    Type{"MPI_UINT16_T", 2},
    Type{"MPI_INT", 4},
    Type{"MPI_UNSIGNED", 4},
    Type{"MPI_FLOAT", 4},
    Type{"MPI_WCHAR", 4},
    Type{"MPI_INTEGER", 4},
    Type{"MPI_LOGICAL", 4},
    Type{"MPI_REAL", 4},
    Type{"MPI_INTEGER4", 4},
    Type{"MPI_REAL4", 4},
    Type{"MPI_INT32_T", 4},
    Type{"MPI_UINT32_T", 4},
    Type{"MPI_LONG", 8},
    Type{"MPI_UNSIGNED_LONG", 8},
    Type{"MPI_LONG_LONG", 8},
    Type{"MPI_LONG_LONG_INT", 8},
    Type{"MPI_DOUBLE", 8},
    Type{"MPI_UNSIGNED_LONG_LONG", 8},
    Type{"MPI_INTEGER8", 8},
    Type{"MPI_REAL8", 8},
    Type{"MPI_COMPLEX", 8},
    Type{"MPI_COMPLEX8", 8},
    Type{"MPI_DOUBLE_PRECISION", 8},
    Type{"MPI_FLOAT_INT", 8},
    Type{"MPI_2INT", 8},
    Type{"MPI_2INTEGER", 8},
    Type{"MPI_2REAL", 8},
    Type{"MPI_INT64_T", 8},
    Type{"MPI_UINT64_T", 8},
    Type{"MPI_LONG_DOUBLE", 16},
    Type{"MPI_DOUBLE_INT", 12},
    Type{"MPI_LONG_INT", 12},
    Type{"MPI_DOUBLE_COMPLEX", 16},
    Type{"MPI_COMPLEX16", 16},
    Type{"MPI_2DOUBLE_PRECISION", 16},
    Type{"MPI_C_FLOAT_COMPLEX", 8},
    Type{"MPI_C_DOUBLE_COMPLEX", 16},
};

}  // namespace

std::size_t group_of_all(Trace& trace) {
  const std::size_t group = trace.group_named("(all ranks)");
  trace.groups[group].whole_job = true;
  return group;
}

Trace& RankTraces::of(std::size_t rank) {
  const auto [at, is_new] = known_.try_emplace(rank, traces_.size());
  if (is_new) {
    Trace& trace = traces_.emplace_back();
    trace.where = where_;
    trace.rank = rank;
  }
  return traces_[at->second];
}

void RankTraces::set_world(std::size_t ranks) {
  for (const auto& [rank, number] : known_) traces_[number].world = ranks;
}

void RankTraces::send(std::size_t rank, std::size_t to, double bytes) {
  Trace& trace = of(rank);
  trace.sent[{group_of_all(trace), to}] += {bytes, 1};
}

void RankTraces::collective(std::size_t rank, profile::Operation operation, std::size_t root, double bytes) {
  Trace& trace = of(rank);
  trace.add({group_of_all(trace), operation, root, bytes});
}

double bytes_of_mpi_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &Type::name);
  return found == kTypes.end() ? 0 : found->bytes;
}

}  // namespace topowise::training
