// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads under a scheduler (tests/fixtures/schedules.hpp), with a GPU driver and an MPI library that do
// little. This takes the place of collective/node/waiting, collective/node/process_life and collective/gpu/gpu: each
// flag that is set, each wait and each call of the driver is a step, in which something may go wrong.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tests/fixtures/schedules.hpp>
#include <topowise/collective/collectives.hpp>
#include <topowise/collective/node/node_ranks.hpp>

namespace topowise::collective {

/// What goes wrong, once in a job; in which step is a choice.
enum class Fault { none, driver, death, no_memory, mpi };

class ScheduledJob {
 public:
  /// `nodes`: the node of each rank.
  ScheduledJob(fixtures::Scheduler& scheduler, std::vector<int> nodes, Fault fault);
  ~ScheduledJob();

  /// Runs `body(rank)` in all ranks.
  void run(const std::function<void(int)>& body);

  /// The exchange of the ranks of this rank's node, and what leads across nodes.
  [[nodiscard]] Exchange exchange();
  [[nodiscard]] Across across();
  /// The MPI library's own collective: all ranks come to it, each with the number of its call. False if it failed.
  [[nodiscard]] bool mpi_reduces(int call);

  /// The vectors of a rank, which only it may use outside of a call.
  [[nodiscard]] std::vector<std::uint32_t>& input(int rank) { return vectors_.at(2 * static_cast<std::size_t>(rank)); }
  [[nodiscard]] std::vector<std::uint32_t>& output(int rank) {
    return vectors_.at(2 * static_cast<std::size_t>(rank) + 1);
  }
  void enter_call(int rank) { in_call_.at(static_cast<std::size_t>(rank)) = 1; }
  void leave_call(int rank) { in_call_.at(static_cast<std::size_t>(rank)) = 0; }

  [[nodiscard]] bool is_dead(int rank) const { return dead_.at(static_cast<std::size_t>(rank)) != 0; }
  [[nodiscard]] int ranks() const { return static_cast<int>(dead_.size()); }
  [[nodiscard]] int rank_on_node(int rank) const;
  [[nodiscard]] int ranks_on_node(int rank) const;
  [[nodiscard]] int nodes() const;

  std::string violation;   ///< what must not happen; empty: all went well
  bool was_fault = false;  ///< something went wrong
  bool mpi_ended = false;  ///< a rank waited in MPI for one that is dead: MPI ends the job
  bool over = false;       ///< nobody goes on

  /// A rank failed by itself where the others may wait: MPI ends the job.
  void end_by_mpi() { over = mpi_ended = true; }

  // For the driver and the waits.
  void step(bool looks_only = false);
  /// False if the job is over.
  [[nodiscard]] bool pause();
  [[nodiscard]] bool fails(Fault kind);
  void touch(std::uint64_t address, std::uint64_t bytes);
  [[nodiscard]] int node_of(int rank) const { return nodes_.at(static_cast<std::size_t>(rank)); }

 private:
  /// A meeting of some ranks: all give, all get.
  struct Meeting {
    std::vector<std::vector<char>> given;
    std::size_t here = 0;
  };
  using Name = std::pair<std::string, int>;
  /// False: MPI failed, or the job is over.
  [[nodiscard]] bool meet(const Name& name, const std::vector<int>& who, const void* mine, std::size_t bytes,
                          std::vector<std::vector<char>>& all);
  [[nodiscard]] std::vector<int> members(int node) const;
  [[nodiscard]] std::vector<int> leaders() const;
  [[nodiscard]] Name next(const char* kind, int of);

  fixtures::Scheduler& scheduler_;
  std::vector<int> nodes_;
  Fault fault_;
  std::vector<char> dead_, in_call_;
  std::vector<std::vector<std::uint32_t>> vectors_;
  std::map<Name, Meeting> meetings_;
  std::vector<std::map<std::string, int>> numbers_;  ///< of each rank: meetings so far
};

/// For operator new of the test: whether this allocation fails.
[[nodiscard]] bool memory_ends();

}  // namespace topowise::collective
