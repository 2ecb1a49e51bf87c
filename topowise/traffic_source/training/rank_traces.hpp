// SPDX-License-Identifier: BSD-3-Clause
// The traces of the ranks of an MPI job, where one file may have any number of them. Such files know one communicator,
// that of all ranks, and messages count at their sender: a receiver only knows how much it could take.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include <topowise/base/input.hpp>
#include <topowise/traffic_source/training/trace.hpp>

namespace topowise::training {

class RankTraces {
 public:
  RankTraces(const Input& file, std::vector<Trace>& traces) : where_(file.where()), traces_(traces) {}

  /// The trace of a rank, which is added if it is new.
  Trace& of(std::size_t rank);
  [[nodiscard]] bool empty() const { return known_.empty(); }
  /// Sets the number of ranks of the job in all traces of the file.
  void set_world(std::size_t ranks);

  void send(std::size_t rank, std::size_t to, double bytes);
  /// Adds a collective call of all ranks. `bytes` are of a member's part, which profile::Share defines.
  void collective(std::size_t rank, profile::Operation operation, std::size_t root, double bytes);
  void leave_out(std::size_t rank, const std::string& why) { ++of(rank).left_out[why]; }

 private:
  std::string where_;
  std::vector<Trace>& traces_;
  std::map<std::size_t, std::size_t> known_;  ///< by rank: the number of its trace
};

/// The number of the group of all ranks in a trace, which is added if it is new.
[[nodiscard]] std::size_t group_of_all(Trace& trace);

/// Bytes of a number of a type of MPI by its name ("MPI_INT"); 0 if it is not known.
[[nodiscard]] double bytes_of_mpi_type(std::string_view name);

}  // namespace topowise::training
