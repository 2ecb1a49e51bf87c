// SPDX-License-Identifier: BSD-3-Clause
// One training step of a transformer with pipeline, data, tensor, context and expert parallelism (Megatron-LM:
// Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC'21, sections
// 2 and 3).
//
// DIMS is PPxDPxTP; with `cp` there are PP x DP x CP x TP ranks. By default tensor-parallel ranks are neighbours, then
// come the ranks of context, then those of data parallelism, and pipeline stages are farthest apart. This is
// Megatron-LM's order tp-cp-ep-dp-pp, and for PP x DP x TP also DeepSpeed's (PipeModelDataParallelTopology).
//
// Layers with experts have a numbering of their own, like the two RankGenerators of Megatron-LM
// (core/parallel_state.py, initialize_model_parallel). One order says for both which coordinate is faster. Attention
// leaves out `ep`. Experts leave out `cp`, and their `dp` counts the DP x CP / EP ranks that hold the same experts.
// Both must put a rank on the same pipeline stage: Megatron-LM refuses an order that does not, and so does the reader
// of the argument.
//
// A = sequence / CP x batch x hidden x bytes of a number is one activation tensor of a rank, T = TP, E = EP.
//   tensor parallel    2 allreduces of A forward and 2 backward, for each layer of the stage and each micro-batch; of
//                      layers with experts 1 + topk and 1 + topk (tokens are gathered and reduced around the experts)
//   context parallel   keys and values go round the ring of CP ranks: (CP - 1) x 2 A / T to the next forward, and twice
//                      that backward (again, and their gradients); or 4 all-to-alls of A / T forward and 4 backward
//   expert parallel    2 all-to-alls (there and back) forward and 2 backward, of topk x A / T
//   pipeline parallel  A to the next stage and its gradient back, for each micro-batch
//   data parallel      1 allreduce of the rank's gradients a step over the DP x CP ranks with the same weights:
//                      12 x layers of the stage x hidden^2 / TP numbers; with experts 4 of the 12 so, and
//                      8 x experts / EP over those with the same experts
// An allreduce of V bytes over n ranks is a ring: each rank sends 2 (n - 1) / n x V to its successor, in 2 (n - 1)
// messages; or it is NCCL's pair of trees, or hierarchical: within nodes of `node` consecutive ranks and across them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
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

using Extents = std::array<std::size_t, kAxes>;

constexpr std::size_t index(Axis axis) {
  return static_cast<std::size_t>(axis);
}

Extents attention_extents(const Request& request) {
  Extents extents{};
  extents[index(Axis::pp)] = request.dims[0];
  extents[index(Axis::dp)] = request.dims[1];
  extents[index(Axis::tp)] = request.dims[2];
  extents[index(Axis::cp)] = request.cp;
  extents[index(Axis::ep)] = 1;
  return extents;
}

/// The extents for experts. Without expert parallelism they are those of attention.
Extents expert_extents(const Request& request) {
  Extents extents = attention_extents(request);
  if (request.ep < 2) return extents;
  extents[index(Axis::cp)] = 1;
  extents[index(Axis::ep)] = request.ep;
  extents[index(Axis::dp)] = request.dims[1] * request.cp / request.ep;
  return extents;
}

/// The places of ranks in each kind of group.
class Layout {
 public:
  Layout(const std::array<Axis, kAxes>& order, const Extents& extents) : extent_(extents) {
    for (const Axis axis : order) {
      stride_[index(axis)] = ranks_;
      ranks_ *= extent_[index(axis)];
    }
  }

  [[nodiscard]] std::size_t stride(Axis axis) const { return stride_[index(axis)]; }
  [[nodiscard]] std::size_t coordinate(std::size_t rank, Axis axis) const {
    return rank / stride_[index(axis)] % extent_[index(axis)];
  }
  [[nodiscard]] double extent(Axis axis) const { return static_cast<double>(extent_[index(axis)]); }

  /// The groups of ranks that differ only in these coordinates. The ranks of a group are in order.
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
  Extents extent_;
  Extents stride_{};
  std::size_t ranks_ = 1;
};

class Step {
 public:
  explicit Step(const Request& request)
      : request_(request),
        layout_(request.order, attention_extents(request)),
        experts_(request.order, expert_extents(request)) {}

  [[nodiscard]] std::vector<RankGroups> groups() && { return std::move(kinds_); }

  std::vector<Message> messages() {
    const double tensor = layout_.extent(Axis::tp);
    const Bytes activation(static_cast<double>(request_.sequence) * static_cast<double>(request_.batch) *
                           static_cast<double>(request_.hidden) * request_.number_bytes /
                           static_cast<double>(request_.cp));
    const bool experts = request_.experts > 0;
    const auto topk = static_cast<double>(request_.topk);
    each("tensor", layout_.groups({Axis::tp}),
         [&](const Members& group) { allreduce(group, activation, (experts ? 2 : 4) * passes(group)); });
    if (experts)
      each("tensor", experts_.groups({Axis::tp}),
           [&](const Members& group) { allreduce(group, activation * topk, 2 * passes(group)); });
    each("context", layout_.groups({Axis::cp}),
         [&](const Members& group) { context(group, activation * (1 / tensor), passes(group)); });
    const Bytes block = activation * (topk / tensor / static_cast<double>(request_.ep));
    each("expert", experts_.groups({Axis::ep}),
         [&](const Members& group) { alltoall(group, block, 4 * passes(group)); });
    each("pipeline", layout_.groups({Axis::pp}),
         [&](const Members& group) { pipeline(group, activation * static_cast<double>(request_.microbatches)); });
    gradients(experts);
    std::ranges::stable_sort(messages_, {}, &Message::source);
    return std::move(messages_);
  }

 private:
  /// Calls act(group) for each group, and remembers the groups of two ranks and more as of that kind. Groups that are
  /// known by this kind already get more bytes; others of this kind are those of the experts.
  template <class Act>
  void each(std::string kind, const std::vector<Members>& groups, const Act& act) {
    const Bytes before = sent_;
    for (const Members& group : groups) act(group);
    std::vector<std::vector<std::uint32_t>> ranks;
    for (const Members& group : groups) {
      if (group.size() > 1) ranks.emplace_back(group.begin(), group.end());
    }
    if (ranks.empty()) return;
    const auto known = std::ranges::find(kinds_, kind, &RankGroups::kind);
    if (known != kinds_.end() && known->groups == ranks) {
      known->bytes += sent_ - before;
      return;
    }
    if (known != kinds_.end()) kind = "expert " + kind;
    kinds_.push_back({std::move(kind), std::move(ranks), sent_ - before});
  }

  void add(std::size_t source, std::size_t destination, Bytes bytes, double messages) {
    sent_ += bytes;
    messages_.push_back({Rank(source), Rank(destination), bytes, static_cast<std::uint64_t>(std::llround(messages))});
  }

  /// Number of whole layers on the stage. If the stages cannot have equally many, the first ones have one more.
  [[nodiscard]] double layers_of(const Members& group) const {
    const std::size_t stages = request_.dims[0];
    const std::size_t stage = layout_.coordinate(group.front(), Axis::pp);
    return static_cast<double>(request_.layers / stages + (stage < request_.layers % stages ? 1 : 0));
  }

  /// Number of times that the ranks of a group go through a layer, each time forward and back.
  [[nodiscard]] double passes(const Members& group) const {
    return layers_of(group) * static_cast<double>(request_.microbatches);
  }

  void gradients(bool experts) {
    const auto hidden = static_cast<double>(request_.hidden);
    const double of_layer = hidden * hidden / layout_.extent(Axis::tp) * request_.gradient_bytes;
    each("data", layout_.groups({Axis::cp, Axis::dp}), [&](const Members& group) {
      allreduce(group, Bytes((experts ? kAttention : kAttention + kMlp) * layers_of(group) * of_layer), 1);
    });
    if (!experts) return;
    const double held = static_cast<double>(request_.experts) / static_cast<double>(request_.ep);
    each("data", experts_.groups({Axis::cp, Axis::dp}),
         [&](const Members& same) { allreduce(same, Bytes(kMlp * held * layers_of(same) * of_layer), 1); });
  }

  /// Adds `count` allreduces.
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

  const Request& request_;
  Layout layout_;   ///< the ranks for attention
  Layout experts_;  ///< the ranks for layers with experts
  std::vector<Message> messages_;
  std::vector<RankGroups> kinds_;
  Bytes sent_;  ///< in all messages so far
};

}  // namespace

std::vector<Message> llm(const Request& request) {
  return training_step(request).messages;
}

TrainingStep training_step(const Request& request) {
  Request settled = request;
  settled.experts = experts_of(request);
  if (settled.topk == 0) settled.topk = std::min<std::size_t>(2, settled.experts);
  if (settled.gradient_bytes <= 0) settled.gradient_bytes = settled.number_bytes;
  Step step(settled);
  std::vector<Message> messages = step.messages();
  return {std::move(messages), std::move(step).groups()};
}

std::size_t experts_of(const Request& request) {
  return request.experts == 0 && request.ep > 1 ? request.ep : request.experts;
}

StageStrides stage_strides(const Request& request) {
  return {Layout(request.order, attention_extents(request)).stride(Axis::pp),
          Layout(request.order, expert_extents(request)).stride(Axis::pp)};
}

}  // namespace topowise::pattern
