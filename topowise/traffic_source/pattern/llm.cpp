// SPDX-License-Identifier: BSD-3-Clause
// One training step of a transformer with pipeline, data and tensor parallelism (Megatron-LM: Narayanan et al.,
// "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC'21, sections 2 and 3).
//
// DIMS is PPxDPxTP, row-major: tensor-parallel ranks are neighbours, pipeline stages are farthest apart, which is that
// paper's default order. Numbers are 2 bytes (bf16); A = sequence x batch x hidden x 2 is one activation tensor.
//   tensor parallel    2 allreduces of A forward and 2 backward, for each layer of the stage and each micro-batch
//   pipeline parallel  A to the next stage and its gradient back, for each micro-batch
//   data parallel      1 allreduce of the rank's gradients a step: 12 x layers x hidden^2 x 2 / (PP x TP) bytes
// An allreduce of V bytes over n ranks is a ring: each rank sends 2 (n - 1) / n x V to its successor, in 2 (n - 1)
// messages.
#include <topowise/traffic_source/pattern/messages.hpp>

namespace topowise::pattern {
namespace {

constexpr double kBytesPerNumber = 2;
/// Parameters of one layer in units of hidden^2: 4 in attention, 8 in the two matrices of the MLP.
constexpr double kParametersPerLayer = 12;

/// `count` allreduces of `bytes` among `size` ranks base, base + stride, ...; the part that position `at` sends.
void add_ring_allreduce(std::vector<Message>& messages, std::size_t base, std::size_t stride, std::size_t size,
                        std::size_t at, Bytes bytes, double count) {
  if (size < 2) return;
  const double steps = 2 * (static_cast<double>(size) - 1);
  messages.push_back({Rank(base + at * stride), Rank(base + (at + 1) % size * stride),
                      bytes * (count * steps / static_cast<double>(size)), static_cast<std::uint64_t>(count * steps)});
}

}  // namespace

std::vector<Message> llm(const Request& request) {
  const std::size_t stages = request.dims[0];
  const std::size_t replicas = request.dims[1];
  const std::size_t shards = request.dims[2];
  const auto hidden = static_cast<double>(request.hidden);
  const auto layers = static_cast<double>(request.layers);
  const auto microbatches = static_cast<double>(request.microbatches);
  const Bytes activation(static_cast<double>(request.sequence) * static_cast<double>(request.batch) * hidden *
                         kBytesPerNumber);
  const double share = 1.0 / static_cast<double>(stages * shards);  // of the model, on one rank
  const Bytes gradients(kParametersPerLayer * layers * hidden * hidden * kBytesPerNumber * share);
  const double layers_per_stage = layers / static_cast<double>(stages);

  std::vector<Message> messages;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    for (std::size_t replica = 0; replica < replicas; ++replica) {
      for (std::size_t shard = 0; shard < shards; ++shard) {
        const std::size_t rank = (stage * replicas + replica) * shards + shard;
        add_ring_allreduce(messages, rank - shard, 1, shards, shard, activation, 4 * layers_per_stage * microbatches);
        const std::size_t stage_stride = replicas * shards;
        if (stage + 1 < stages)
          messages.push_back({Rank(rank), Rank(rank + stage_stride), activation * microbatches, request.microbatches});
        if (stage > 0)
          messages.push_back({Rank(rank), Rank(rank - stage_stride), activation * microbatches, request.microbatches});
        add_ring_allreduce(messages, rank - replica * shards, shards, replicas, replica, gradients, 1);
      }
    }
  }
  return messages;
}

}  // namespace topowise::pattern
