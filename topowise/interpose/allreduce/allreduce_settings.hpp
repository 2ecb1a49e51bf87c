// SPDX-License-Identifier: BSD-3-Clause
// Whether this job reduces on GPUs, and the library that does it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <topowise/collective/plugin_interface.hpp>

namespace topowise::interpose::allreduce {

namespace plugin_interface = collective::plugin_interface;

/// Functions of MPI that are answered: bits of Settings::functions, and what the library calls them.
enum class Answered : std::uint8_t {
  allreduce = 1,
  reduce = 2,
  bcast = 4,
  allgather = 8,
  allgatherv = 16,
  reduce_scatter = 32,
  reduce_scatter_block = 64
};
struct AnsweredName {
  Answered function;
  const char* option;      ///< in kCollectivesVariable
  const char* mpi;         ///< MPI_Bcast
  const char* collective;  ///< as the library that does it calls it
};
inline constexpr std::array<AnsweredName, 7> kAnswered{
    {{Answered::allreduce, "allreduce", "MPI_Allreduce", "allreduce"},
     {Answered::reduce, "reduce", "MPI_Reduce", "reduce"},
     {Answered::bcast, "bcast", "MPI_Bcast", "broadcast"},
     {Answered::allgather, "allgather", "MPI_Allgather", "allgather"},
     {Answered::allgatherv, "allgatherv", "MPI_Allgatherv", "allgather"},
     {Answered::reduce_scatter, "reduce_scatter", "MPI_Reduce_scatter", "reduce_scatter"},
     {Answered::reduce_scatter_block, "reduce_scatter_block", "MPI_Reduce_scatter_block", "reduce_scatter"}}};
[[nodiscard]] inline const AnsweredName& name_of(Answered function) noexcept {
  return *std::ranges::find(kAnswered, function, &AnsweredName::function);
}
/// By which calls are counted.
[[nodiscard]] inline std::int32_t number_of(Answered function) noexcept {
  return static_cast<std::int32_t>(&name_of(function) - kAnswered.data());
}

struct Settings {
  const char* algorithm = nullptr;  ///< null: off
  std::uint8_t functions = 0;       ///< 0 if it is off
  bool report = false;
  bool meet_at_start = false;
};
/// Read at the first call, then constant.
[[nodiscard]] const Settings& settings() noexcept;

/// Opens the library beside this one at the first call. Null, after saying why once, where that fails.
[[nodiscard]] const plugin_interface::Functions* reducer() noexcept;
/// The library if it is open; null if nobody has opened it.
[[nodiscard]] const plugin_interface::Functions* opened_reducer() noexcept;

}  // namespace topowise::interpose::allreduce
