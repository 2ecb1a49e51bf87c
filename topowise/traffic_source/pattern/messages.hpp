// SPDX-License-Identifier: BSD-3-Clause
// The request that generators of patterns get, and the messages that they give. Only pattern*.cpp include this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/traffic/rank_groups.hpp>
#include <topowise/graph/traffic/rank_range.hpp>

namespace topowise::pattern {

/// More ranks are a typing error, and would not fit into memory.
inline constexpr std::size_t kMostRanks = std::size_t{1} << 20;
inline constexpr std::size_t kMostMessages = std::size_t{1} << 24;

/// The purpose of a group of training ranks: tensor, context, expert, data or pipeline parallelism.
enum class Axis : std::uint8_t { tp, cp, ep, dp, pp };
inline constexpr std::size_t kAxes = 5;
/// How an allreduce goes.
enum class Reduction : std::uint8_t { ring, trees, hierarchical };

/// A size of the NAS parallel benchmarks.
struct NasClass {
  char letter;
  std::size_t unknowns;  ///< of CG
  std::size_t cg_iterations;
  std::size_t cells;  ///< of MG, along an axis
  std::size_t mg_iterations;
};
inline constexpr NasClass kNasClasses[] = {
    {'S', 1400, 15, 32, 4},     {'W', 7000, 15, 128, 4},       {'A', 14000, 15, 256, 4},     {'B', 75000, 75, 256, 20},
    {'C', 150000, 75, 512, 20}, {'D', 1500000, 100, 1024, 50}, {'E', 9000000, 100, 2048, 50}};

/// The parsed argument. Fields for which a pattern has no key keep their default.
struct Request {
  std::vector<std::size_t> dims;
  Bytes bytes = Bytes(1048576);
  double w = 1;           ///< how much larger messages along `heavy` are
  std::size_t heavy = 0;  ///< index into dims
  std::uint64_t seed = 1;
  std::size_t degree = 4;  ///< random: destinations of each rank
  // llm: the shape of the model and of one training step.
  std::size_t layers = 32;
  std::size_t hidden = 4096;
  std::size_t sequence = 4096;
  std::size_t batch = 1;  ///< sequences in one micro-batch
  std::size_t microbatches = 8;
  std::size_t cp = 1;
  std::size_t ep = 1;
  std::size_t topk = 0;       ///< experts that a token goes to; 0: 2, or as many as there are if fewer
  std::size_t experts = 0;    ///< experts of a layer; 0: one on each rank, or none without expert parallelism
  double number_bytes = 2;    ///< bytes of a number in activations
  double gradient_bytes = 0;  ///< bytes of a number in gradients; 0: as in activations
  Reduction reduction = Reduction::ring;
  std::size_t node = 8;           ///< consecutive ranks on a node, for hierarchical allreduces
  bool context_alltoall = false;  ///< context parallelism uses all-to-alls instead of a ring
  std::array<Axis, kAxes> order{Axis::tp, Axis::cp, Axis::ep, Axis::dp, Axis::pp};  ///< fastest first
  const NasClass* nas_class = &kNasClasses[2];                                      ///< nas-cg, nas-mg
  RankRange senders{0, kMostRanks};  ///< only what these ranks send is wanted
};

struct Message {
  Rank source;
  Rank destination;
  Bytes bytes;                 ///< of all repeats together
  std::uint64_t messages = 1;  ///< number of messages that these bytes are
};

// Each rank's messages have the order in which the rank sends them. llm() ignores `senders`.
[[nodiscard]] std::vector<Message> stencil(const Request& request);
[[nodiscard]] std::vector<Message> torus(const Request& request);
[[nodiscard]] std::vector<Message> hypercube(const Request& request);
[[nodiscard]] std::vector<Message> ring(const Request& request);
[[nodiscard]] std::vector<Message> alltoall(const Request& request);
[[nodiscard]] std::vector<Message> random(const Request& request);
[[nodiscard]] std::vector<Message> transpose(const Request& request);
[[nodiscard]] std::vector<Message> llm(const Request& request);
[[nodiscard]] std::vector<Message> nas_cg(const Request& request);
[[nodiscard]] std::vector<Message> nas_mg(const Request& request);

/// The grid of ranks of nas_mg(), for a power of two of ranks.
[[nodiscard]] std::array<std::size_t, 3> nas_mg_grid(std::size_t ranks);

/// What llm() gives, and the groups in which the ranks send it.
struct TrainingStep {
  std::vector<Message> messages;
  std::vector<RankGroups> groups;
};
[[nodiscard]] TrainingStep training_step(const Request& request);

/// Number of experts of a layer; `ep` if it is not given, 0 without experts.
[[nodiscard]] std::size_t experts_of(const Request& request);

/// The distance between neighbouring pipeline stages, in ranks, for attention and for experts. The two must agree,
/// because both parts of a layer are on one stage.
struct StageStrides {
  std::size_t attention;
  std::size_t experts;
};
[[nodiscard]] StageStrides stage_strides(const Request& request);

}  // namespace topowise::pattern
