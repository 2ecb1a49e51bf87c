// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a node do for a collective on vectors in GPU memory: who copies what where, who reduces, which
// flags order it. A plan is a value, made by a pure function of where the ranks are; whoever runs it adds addresses,
// and a simulation checks it under any interleaving.
//
// A plan is repeated: once for each piece of a call, and for each call on a communicator. Its flags therefore never
// toggle. A flag holds the number of the repetition in which it was last set, and a level within it, and only grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace topowise::collective {

/// Where the ranks of a communicator are: what a plan is made for.
struct Layout {
  std::vector<int> gpu;     ///< by rank of the node: its GPU, numbered from 0 in the order of the ranks
  std::vector<int> island;  ///< by GPU: GPUs with the same number reach each other without crossing the host
  bool bonded = false;      ///< every two GPUs are joined by the vendor's own wires (NVLink, xGMI)
  int nodes = 1;            ///< nodes of the communicator; ranks and GPUs are those of one node

  [[nodiscard]] int ranks() const { return static_cast<int>(gpu.size()); }
  [[nodiscard]] int gpus() const { return static_cast<int>(island.size()); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// `ranks` take `gpus` GPUs in turn, which lie in `islands` of equal size, or as equal as can be.
[[nodiscard]] Layout layout_in_turn(int ranks, int gpus = 1, int islands = 1);

/// The ranks of each GPU, ascending. The first rank of a GPU leads and alone computes there, because ranks that share a
/// GPU never compute at the same time without MPS.
[[nodiscard]] std::vector<std::vector<int>> ranks_by_gpu(const Layout& layout);

/// What becomes of the ranks' vectors. Where a vector is one rank's share of another, only that slice of it exists.
enum class Collective : std::uint8_t {
  allreduce,
  reduce,          ///< only the root has an output
  broadcast,       ///< only the root has an input, and only the others an output
  allgather,       ///< inputs are shares of the outputs: rank r's is slice r of as many as there are ranks
  reduce_scatter,  ///< outputs are shares of the inputs
};
inline constexpr std::size_t kCollectives = 5;

/// Memory that a plan uses. Every part of it is as large as the vector, or as the piece of the vector that is reduced.
enum class Store : std::uint8_t {
  input,    ///< the send buffer of a rank, in GPU memory
  output,   ///< its receive buffer; may be the send buffer
  scratch,  ///< memory of the plan's own on the GPU of a rank
  staging,  ///< memory of the host that all ranks of the node share
};
struct Region {
  Store store = Store::input;
  int owner = 0;  ///< rank; 0 for staging
  int part = 0;   ///< number of the part, in scratch and staging
  friend bool operator==(const Region&, const Region&) = default;
};

/// One of `of` equal parts of every region of a step. A step on a region that exists as shares names a share.
struct Slice {
  int index = 0, of = 1;
};

enum class Flag : std::uint8_t {
  arrived,   ///< it has called; its buffers may be read and written
  agreed,    ///< set by rank 0: all have arrived
  ready,     ///< its scratch may be overwritten
  copied,    ///< its contribution lies where the plan wants it
  reduced,   ///< its share of the result is there
  complete,  ///< the result is there
  taken,     ///< it has its copy of the result
};
inline constexpr std::size_t kFlags = 7;
inline constexpr int kFlagLevels = 1024;  ///< levels of a flag, within a repetition

enum class Action : std::uint8_t {
  copy,    ///< to.front() = from.front(). In GPU memory it only begins, in the order of the rank's stream
  reduce,  ///< each of `to` = from[0] op from[1] op ...: element by element, all reads before the first write. Begun,
           ///< except in staging, which the processor reduces
  synchronize,  ///< waits until what this rank began has happened
  across,       ///< to.front(), in staging, becomes the reduction of what all nodes have there; by the MPI library
  signal,       ///< sets a flag of its own
  wait,         ///< waits until `peer` has set a flag
  record,  ///< records an event behind what the rank began. Events are for the paper's design that tests prove wrong
  await,   ///< what the rank begins from now on waits for the event's latest record, as cuStreamWaitEvent does
};

struct Step {
  Action action = Action::copy;
  std::vector<Region> to, from;
  Slice slice;
  Flag flag = Flag::arrived;
  int level = 0;  ///< of the flag, within one repetition
  int peer = 0;   ///< whose flag; for events: which event
  int age = 0;    ///< 1: the flag of the repetition before
};

struct Plan {
  std::string_view algorithm;
  int ranks = 1;
  Collective collective = Collective::allreduce;
  int root = 0;
  int nodes = 1;
  std::vector<std::vector<Step>> agreement;  ///< by rank: what begins each call
  std::vector<std::vector<Step>> steps;      ///< by rank: what is repeated for each piece
  std::vector<int> scratch_parts;            ///< by rank
  int staging_parts = 0;

  /// Whether vectors of any size are reduced in one piece.
  [[nodiscard]] bool in_one_piece() const;
};

/// A plan with the agreement that they all share: no rank goes on until all have arrived, so that each may use the
/// others' buffers, and rank 0 may see whether all want the same.
[[nodiscard]] Plan plan_with_agreement(std::string_view algorithm, int ranks);

/// Whether each rank has an input, or an output, of its own, and whether it is the rank's share only.
[[nodiscard]] bool has_input(Collective collective, int root, int rank);
[[nodiscard]] bool has_output(Collective collective, int root, int rank);
[[nodiscard]] inline bool shares_inputs(Collective collective) {
  return collective == Collective::allgather;
}
[[nodiscard]] inline bool shares_outputs(Collective collective) {
  return collective == Collective::reduce_scatter;
}
[[nodiscard]] inline bool has_root(Collective collective) {
  return collective == Collective::reduce || collective == Collective::broadcast;
}
/// Whether vectors are combined, and not only moved.
[[nodiscard]] inline bool combines(Collective collective) {
  return collective != Collective::broadcast && collective != Collective::allgather;
}

// Steps, to be written down.
[[nodiscard]] Step copy_step(Region to, Region from, Slice slice = {});
[[nodiscard]] Step reduce_step(std::vector<Region> to, std::vector<Region> from, Slice slice = {});
[[nodiscard]] Step synchronize_step();
[[nodiscard]] Step across_step(Region region);
[[nodiscard]] Step signal_step(Flag flag, int level = 0);
[[nodiscard]] Step wait_step(int peer, Flag flag, int level = 0, int age = 0);

/// Bytes that a plan moves, in multiples of the vector's size m. A read and a write count each.
struct Movement {
  std::int64_t gpu = 0;   ///< reads and writes of GPU memory
  std::int64_t host = 0;  ///< reads and writes of host memory
  std::int64_t bus = 0;   ///< between the two
};
[[nodiscard]] Movement movement(const Plan& plan);

/// By rank: the others whose GPU memory it reads or writes.
[[nodiscard]] std::vector<std::set<int>> reached_ranks(const Plan& plan);
/// By rank: the others whose inputs or outputs, which are the program's memory, it reads or writes.
[[nodiscard]] std::vector<std::set<int>> ranks_with_opened_buffers(const Plan& plan);
[[nodiscard]] bool reduces_on_gpu(const Plan& plan, int rank);
/// How many ranks copy or reduce.
[[nodiscard]] int working_ranks(const Plan& plan);

[[nodiscard]] std::string_view to_string(Collective collective);
[[nodiscard]] std::optional<Collective> find_collective(std::string_view name);
[[nodiscard]] std::string_view to_string(Flag flag);
/// "copy input -> scratch 3 of rank 0"
[[nodiscard]] std::string describe(const Step& step, int rank);
/// The whole plan, rank by rank.
[[nodiscard]] std::string describe(const Plan& plan);

}  // namespace topowise::collective
