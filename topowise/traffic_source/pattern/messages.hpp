// SPDX-License-Identifier: BSD-3-Clause
// What the generators of patterns are given and give back. Only pattern*.cpp include this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/traffic/rank_range.hpp>

namespace topowise::pattern {

/// More than this is a slip of the finger, and would not fit into memory.
inline constexpr std::size_t kMostRanks = std::size_t{1} << 20;
inline constexpr std::size_t kMostMessages = std::size_t{1} << 24;

/// What a group of training ranks is for: tensor, context, expert, data, pipeline parallelism.
enum class Axis : std::uint8_t { tp, cp, ep, dp, pp };
inline constexpr std::size_t kAxes = 5;
/// How an allreduce goes.
enum class Reduction : std::uint8_t { ring, trees, hierarchical };

/// The parsed argument. Fields that a pattern has no key for keep their default.
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
  std::size_t topk = 0;       ///< experts of a token; 0: 2, at most as many as there are
  std::size_t experts = 0;    ///< of a layer; 0: one on each rank, none without expert parallelism
  double number_bytes = 2;    ///< of activations
  double gradient_bytes = 0;  ///< of gradients; 0: as activations
  Reduction reduction = Reduction::ring;
  std::size_t node = 8;           ///< consecutive ranks on a node, for hierarchical allreduces
  bool context_alltoall = false;  ///< context parallelism by all-to-alls instead of a ring
  std::array<Axis, kAxes> order{Axis::tp, Axis::cp, Axis::ep, Axis::dp, Axis::pp};  ///< fastest first
  RankRange senders{0, kMostRanks};  ///< only what these ranks send is wanted
};

struct Message {
  Rank source;
  Rank destination;
  Bytes bytes;                 ///< of all repeats together
  std::uint64_t messages = 1;  ///< how many messages these bytes are
};

// Each rank's messages stand in the order in which the rank sends them. llm() pays no heed to `senders`.
[[nodiscard]] std::vector<Message> stencil(const Request& request);
[[nodiscard]] std::vector<Message> torus(const Request& request);
[[nodiscard]] std::vector<Message> hypercube(const Request& request);
[[nodiscard]] std::vector<Message> ring(const Request& request);
[[nodiscard]] std::vector<Message> alltoall(const Request& request);
[[nodiscard]] std::vector<Message> random(const Request& request);
[[nodiscard]] std::vector<Message> transpose(const Request& request);
[[nodiscard]] std::vector<Message> llm(const Request& request);

/// Experts of a layer, as many as ep where that is not said; 0 without experts.
[[nodiscard]] std::size_t experts_of(const Request& request);

/// How far apart neighbouring pipeline stages are, in ranks, for attention and for experts. They must agree: both parts
/// of a layer are on one stage.
struct StageStrides {
  std::size_t attention;
  std::size_t experts;
};
[[nodiscard]] StageStrides stage_strides(const Request& request);

}  // namespace topowise::pattern
