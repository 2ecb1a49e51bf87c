// SPDX-License-Identifier: BSD-3-Clause
// One training step of a transformer with pipeline, data, tensor, context and expert parallelism (Megatron-LM:
// Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC'21, sections
// 2 and 3).
//
// DIMS is PPxDPxTP; with `cp` there are PP x DP x CP x TP ranks. By default tensor-parallel ranks are neighbours, then
// come those of context, then of data parallelism, and pipeline stages are farthest apart: Megatron-LM's order
// tp-cp-ep-dp-pp, and of PP x DP x TP also DeepSpeed's (PipeModelDataParallelTopology). Expert-parallel groups are `ep`
// neighbours among the ranks that hold the same part of the layers, that is, among the data and context parallel ones.
//
// A = sequence / CP x batch x hidden x bytes of a number is one activation tensor of a rank, T = TP, E = EP.
//   tensor parallel    2 allreduces of A forward and 2 backward, for each layer of the stage and each micro-batch; of
//                      layers with experts 1 + topk and 1 + topk (tokens are gathered and reduced around the experts)
//   context parallel   keys and values go round the ring of CP ranks: (CP - 1) x 2 A / T to the next forward, and twice
//                      that backward (again, and their gradients); or 4 all-to-alls of A / T forward and 4 backward
//   expert parallel    2 all-to-alls (there and back) forward and 2 backward, of topk x A / T
//   pipeline parallel  A to the next stage and its gradient back, for each micro-batch
//   data parallel      1 allreduce of the rank's gradients a step over the DP x CP ranks with the same weights:
//                      12 x layers x hidden^2 / (PP x TP) numbers; with experts 4 of the 12 so, and 8 x experts / EP
//                      over those with the same experts
// An allreduce of V bytes over n ranks is a ring: each rank sends 2 (n - 1) / n x V to its successor, in 2 (n - 1)
// messages; or it is NCCL's pair of trees, or hierarchical: within nodes of `node` consecutive ranks and across them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <topowise/traffic_source/collective/exchanges.hpp>
#include <topowise/traffic_source/pattern/messages.hpp>

namespace topowise::pattern {
namespace {

/// Parameters of one layer in units of hidden^2: 4 in attention, 8 in the two matrices of the MLP.
constexpr double kAttention = 4;
constexpr double kMlp = 8;

using Members = std::vector<std::size_t>;

/// Where the ranks of each kind of group stand.
class Layout {
 public:
  explicit Layout(const Request& request) {
    extent_[index(Axis::pp)] = request.dims[0];
    extent_[index(Axis::dp)] = request.dims[1];
    extent_[index(Axis::tp)] = request.dims[2];
    extent_[index(Axis::cp)] = request.cp;
    for (const Axis axis : request.order) {
      stride_[index(axis)] = ranks_;
      ranks_ *= extent_[index(axis)];
    }
  }

  [[nodiscard]] double extent(Axis axis) const { return static_cast<double>(extent_[index(axis)]); }

  /// The groups of ranks that differ in these coordinates only, each in the order of the ranks.
  [[nodiscard]] std::vector<Members> groups(std::initializer_list<Axis> axes) const {
    std::vector<Members> groups;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      bool first = true;
      for (const Axis axis : axes) first = first && coordinate(rank, axis) == 0;
      if (!first) continue;
      Members members{rank};
      for (const Axis axis : axes) {
        const Members before = members;
        for (std::size_t i = 1; i < extent_[index(axis)]; ++i)
          for (const std::size_t member : before) members.push_back(member + i * stride_[index(axis)]);
      }
      std::ranges::sort(members);
      groups.push_back(std::move(members));
    }
    return groups;
  }

 private:
  static std::size_t index(Axis axis) { return static_cast<std::size_t>(axis); }
  [[nodiscard]] std::size_t coordinate(std::size_t rank, Axis axis) const {
    return rank / stride_[index(axis)] % extent_[index(axis)];
  }

  std::array<std::size_t, kAxes> extent_{};
  std::array<std::size_t, kAxes> stride_{};
  std::size_t ranks_ = 1;
};

class Step {
 public:
  explicit Step(const Request& request) : request_(request), layout_(request) {}

  std::vector<Message> messages() {
    const double hidden = static_cast<double>(request_.hidden);
    const double tensor = layout_.extent(Axis::tp);
    const double cut = layout_.extent(Axis::pp) * tensor;  // into how many parts the model is
    const Bytes activation(static_cast<double>(request_.sequence) * static_cast<double>(request_.batch) * hidden *
                           request_.number_bytes / static_cast<double>(request_.cp));
    const double layers = static_cast<double>(request_.layers) / layout_.extent(Axis::pp);
    const auto microbatches = static_cast<double>(request_.microbatches);
    const double passes = layers * microbatches;
    const bool experts = request_.ep > 1 || request_.experts > 0;
    const auto topk = static_cast<double>(request_.topk);
    for (const Members& group : layout_.groups({Axis::tp})) {
      allreduce(group, activation, (experts ? 2 : 4) * passes);
      if (experts) allreduce(group, activation * topk, 2 * passes);
    }
    for (const Members& group : layout_.groups({Axis::cp})) context(group, activation * (1 / tensor), passes);
    const std::vector<Members> replicas = layout_.groups({Axis::cp, Axis::dp});
    for (const Members& group : replicas)
      for (const Members& part : blocks_of(group))
        alltoall(part, activation * (topk / tensor / static_cast<double>(part.size())), 4 * passes);
    for (const Members& group : layout_.groups({Axis::pp})) pipeline(group, activation * microbatches);
    const double numbers = static_cast<double>(request_.layers) * hidden * hidden / cut * request_.gradient_bytes;
    const auto held =
        static_cast<double>(request_.experts > 0 ? request_.experts : request_.ep) / static_cast<double>(request_.ep);
    for (const Members& group : replicas) {
      allreduce(group, Bytes((experts ? kAttention : kAttention + kMlp) * numbers), 1);
      if (!experts) continue;
      for (const Members& same : same_experts(group)) allreduce(same, Bytes(kMlp * held * numbers), 1);
    }
    std::ranges::stable_sort(messages_, {}, &Message::source);
    return std::move(messages_);
  }

 private:
  void add(std::size_t source, std::size_t destination, Bytes bytes, double messages) {
    messages_.push_back({Rank(source), Rank(destination), bytes, static_cast<std::uint64_t>(messages)});
  }

  /// `count` of them.
  void allreduce(const Members& group, Bytes bytes, double count) {
    const std::size_t size = group.size();
    if (size < 2) return;
    if (request_.reduction == Reduction::ring) {
      const double steps = 2 * (static_cast<double>(size) - 1);
      for (std::size_t at = 0; at < size; ++at)
        add(group[at], group[(at + 1) % size], bytes * (count * steps / static_cast<double>(size)), count * steps);
      return;
    }
    collective::Sends sends;
    if (request_.reduction == Reduction::trees) {
      collective::expand_nccl_tree({profile::Operation::allreduce, size, 0, bytes.value(), {}}, sends);
    } else {
      Members nodes;
      for (const std::size_t rank : group) nodes.push_back(rank / request_.node);
      collective::allreduce_hierarchical(nodes, bytes.value(), sends);
    }
    for (const collective::Sent& sent : sends.list())
      add(group[sent.source], group[sent.destination], Bytes(sent.bytes * count), sent.messages * count);
  }

  void alltoall(const Members& group, Bytes block, double count) {
    for (std::size_t at = 0; at < group.size(); ++at)
      for (std::size_t step = 1; step < group.size(); ++step)
        add(group[at], group[(at + step) % group.size()], block * count, count);
  }

  void context(const Members& group, Bytes part, double passes) {
    const auto size = static_cast<double>(group.size());
    if (group.size() < 2) return;
    if (request_.context_alltoall) return alltoall(group, part * (1 / size), 8 * passes);
    for (std::size_t at = 0; at < group.size(); ++at)
      add(group[at], group[(at + 1) % group.size()], part * (3 * 2 * (size - 1) * passes), 3 * (size - 1) * passes);
  }

  void pipeline(const Members& stages, Bytes bytes) {
    const auto microbatches = static_cast<double>(request_.microbatches);
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      if (stage + 1 < stages.size()) add(stages[stage], stages[stage + 1], bytes, microbatches);
      if (stage > 0) add(stages[stage], stages[stage - 1], bytes, microbatches);
    }
  }

  /// `ep` neighbours each; none without expert parallelism.
  [[nodiscard]] std::vector<Members> blocks_of(const Members& group) const {
    std::vector<Members> blocks;
    if (request_.ep < 2) return blocks;
    for (std::size_t first = 0; first < group.size(); first += request_.ep)
      blocks.emplace_back(group.begin() + static_cast<std::ptrdiff_t>(first),
                          group.begin() + static_cast<std::ptrdiff_t>(first + request_.ep));
    return blocks;
  }

  /// The ranks of a group that hold the same experts: one of each block.
  [[nodiscard]] std::vector<Members> same_experts(const Members& group) const {
    std::vector<Members> same(request_.ep);
    for (std::size_t at = 0; at < group.size(); ++at) same[at % request_.ep].push_back(group[at]);
    return same;
  }

  const Request& request_;
  Layout layout_;
  std::vector<Message> messages_;
};

}  // namespace

std::vector<Message> llm(const Request& request) {
  Request settled = request;
  if (settled.gradient_bytes <= 0) settled.gradient_bytes = settled.number_bytes;
  return Step(settled).messages();
}

}  // namespace topowise::pattern
