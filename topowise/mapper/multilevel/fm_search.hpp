// SPDX-License-Identifier: BSD-3-Clause
// Local search by moves of single vertices, best first, through hills: Fiduccia and Mattheyses, "A linear-time
// heuristic for improving network partitions" (DAC 1982), generalised to many blocks and to any cost between blocks.
//
// A search moves the vertex that gains most (or loses least) again and again, each vertex once, until it has not seen a
// new best for `idle_moves` moves; then everything after the best state is taken back. So the cost never rises. Where
// all blocks are full (one rank per place), no single move is possible; therefore a search may overfill a block by
// `slack`, must then empty that block first, and only states without more overload than before count. Swaps and
// rotations of any length arise as sequences of such moves.
//
// Two kinds: a global pass starts with all boundary vertices; a local round starts many small searches, each at one
// boundary vertex, as the multi-try search of KaFFPa does (Sanders and Schulz, "Engineering multilevel graph
// partitioning algorithms", ESA 2011).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/multilevel/block_cost.hpp>
#include <topowise/mapper/multilevel/block_queue.hpp>
#include <topowise/mapper/multilevel/edge_weights.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise::multilevel {

template <class Cost>
class FmSearch {
 public:
  /// Improves `block_of` in place. A block should hold at most its capacity; the search works off any overload.
  FmSearch(const Graph& graph, const Cost& cost, std::span<const std::int64_t> capacity, std::vector<int>& block_of,
           const Deadline& deadline, Random& random);

  void set_slack(std::int64_t slack) { slack_ = slack; }
  /// Both return by how much the cost fell; it can rise only if overload was worked off.
  double global_pass(int idle_moves);
  double local_round(int idle_moves);
  [[nodiscard]] std::int64_t overload() const { return overload_; }

 private:
  static constexpr std::size_t kMostTabulated = 32;
  static constexpr std::size_t kMostTried = 8;

  struct Target {
    int block = -1;
    double gain = 0;
  };
  struct Move {
    GuestVertex vertex;
    int from;
  };
  struct VertexState {
    double queued_gain = 0;
    std::uint32_t version = 0;  ///< of its latest candidate move
    std::uint32_t queued = 0;   ///< search in which that was queued; 0: it is not
    std::uint32_t locked = 0;   ///< round in which it moved
    bool listed = false;        ///< in near_boundary_
    bool tabulated = false;     ///< has its row of table_
  };

  /// Asks the clock only now and then.
  [[nodiscard]] bool out_of_time() { return late_ || (late_ = (++ticks_ % 256 == 0 && deadline_.passed())); }
  [[nodiscard]] bool on_boundary(GuestVertex v) const;
  [[nodiscard]] bool fits(GuestVertex v, int block) const;
  [[nodiscard]] VertexState& state(GuestVertex v) { return states_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] double* row_of(GuestVertex v) { return table_.get() + static_cast<std::size_t>(v) * capacity_.size(); }
  [[nodiscard]] const double* tabulated_row(GuestVertex v);
  void update_edge_weights(GuestVertex moved, int from, int to);
  void list_near_boundary(GuestVertex v);
  /// Forgets what is known of the round before. Returns the vertices on the boundary, in their order.
  std::vector<GuestVertex> begin_round();
  Target best_target_in_table(GuestVertex v, bool even_full);
  /// Best block for v; with `even_full`, whether or not there is capacity left.
  Target best_target(GuestVertex v, bool even_full);
  void enqueue(GuestVertex v, const Target& target);
  void move(GuestVertex v, int to);
  [[nodiscard]] int next_source();
  /// Makes the best possible move; false if there is none.
  bool step(double& gain);
  double search(int idle_moves);
  void undo_after(std::size_t moves);

  const Graph& graph_;
  const Cost& cost_;
  std::span<const std::int64_t> capacity_;
  std::vector<int>& block_of_;
  const Deadline& deadline_;
  Random& random_;
  std::int64_t slack_ = 0;
  std::int64_t overload_ = 0;
  int vacated_ = -1;  ///< block that the last move left: it has capacity left
  std::vector<std::int64_t> load_;
  std::vector<int> overfull_;  ///< every block with overload, and some without
  BlockQueue queue_;
  bool late_ = false;
  std::uint32_t ticks_ = 0;
  std::uint32_t search_ = 1;  ///< number of the current search
  std::uint32_t round_ = 0;
  std::vector<VertexState> states_;
  std::vector<GuestVertex> near_boundary_;  ///< all that may be on the boundary, after the first round began
  std::vector<Move> moves_;
  EdgeWeights edge_weights_;
  std::vector<int> candidates_;
  std::unique_ptr<double[]> table_;  ///< vertices x blocks: edge weights kept up to date; none for many blocks
};

template <class Cost>
FmSearch<Cost>::FmSearch(const Graph& graph, const Cost& cost, std::span<const std::int64_t> capacity,
                         std::vector<int>& block_of, const Deadline& deadline, Random& random)
    : graph_(graph),
      cost_(cost),
      capacity_(capacity),
      block_of_(block_of),
      deadline_(deadline),
      random_(random),
      load_(capacity.size(), 0),
      queue_(static_cast<int>(capacity.size())),
      states_(block_of.size()),
      edge_weights_(capacity.size()) {
  for (std::size_t v = 0; v < block_of.size(); ++v) load_[static_cast<std::size_t>(block_of[v])] += graph.load[v];
  for (std::size_t b = 0; b < capacity.size(); ++b) {
    if (load_[b] <= capacity[b]) continue;
    overload_ += load_[b] - capacity[b];
    overfull_.push_back(static_cast<int>(b));
  }
  if constexpr (Cost::kIsCut) {
    if (capacity.size() <= kMostTabulated)
      table_ = std::make_unique_for_overwrite<double[]>(block_of.size() * capacity.size());
  }
}

template <class Cost>
const double* FmSearch<Cost>::tabulated_row(GuestVertex v) {
  double* row = row_of(v);
  if (state(v).tabulated) return row;
  state(v).tabulated = true;
  std::fill_n(row, capacity_.size(), 0.0);
  for (const Arc& arc : graph_.arcs_of(v)) row[block_of_[static_cast<std::size_t>(arc.to)]] += arc.weight;
  return row;
}

template <class Cost>
void FmSearch<Cost>::update_edge_weights(GuestVertex moved, int from, int to) {
  for (const Arc& arc : graph_.arcs_of(moved)) {
    if (!state(arc.to).tabulated) continue;
    double* row = row_of(arc.to);
    row[from] -= arc.weight;
    row[to] += arc.weight;
  }
}

template <class Cost>
bool FmSearch<Cost>::on_boundary(GuestVertex v) const {
  const int own = block_of_[static_cast<std::size_t>(v)];
  return std::ranges::any_of(graph_.arcs_of(v),
                             [&](const Arc& arc) { return block_of_[static_cast<std::size_t>(arc.to)] != own; });
}

template <class Cost>
bool FmSearch<Cost>::fits(GuestVertex v, int block) const {
  const auto b = static_cast<std::size_t>(block);
  return load_[b] + graph_.load[static_cast<std::size_t>(v)] <= capacity_[b] + slack_;
}

template <class Cost>
typename FmSearch<Cost>::Target FmSearch<Cost>::best_target(GuestVertex v, bool even_full) {
  if (table_) return best_target_in_table(v, even_full);
  edge_weights_.gather(graph_, block_of_, v);
  const std::span<const int> touched = edge_weights_.touched();
  const int own = block_of_[static_cast<std::size_t>(v)];
  const double here = edge_weights_.cost_at(own, cost_);
  Target best;
  const auto consider = [&](int block) {
    if (block == own || !(even_full || fits(v, block))) return;
    const double gain = here - edge_weights_.cost_at(block, cost_);
    if (best.block < 0 || gain > best.gain) best = {block, gain};
  };
  if (touched.size() > kMostTried) {  // trying costs the square of their number: tries the strongest ties
    candidates_.assign(touched.begin(), touched.end());
    std::ranges::nth_element(candidates_, candidates_.begin() + kMostTried, [&](int a, int b) {
      const double to_a = edge_weights_[a];
      const double to_b = edge_weights_[b];
      return to_a > to_b || (to_a == to_b && a < b);
    });
    for (std::size_t i = 0; i < kMostTried; ++i) consider(candidates_[i]);
  } else {
    for (const int block : touched) consider(block);
  }
  if (vacated_ >= 0) consider(vacated_);
  return best;
}

template <class Cost>
typename FmSearch<Cost>::Target FmSearch<Cost>::best_target_in_table(GuestVertex v, bool even_full) {
  const double* row = tabulated_row(v);
  const int own = block_of_[static_cast<std::size_t>(v)];
  const int blocks = static_cast<int>(capacity_.size());
  int best = -1;
  double most = 0;
  for (int block = 0; block < blocks; ++block) {  // no jump depends on the numbers
    const bool better = (row[block] > most) & (block != own) & (even_full || fits(v, block));
    most = better ? row[block] : most;
    best = better ? block : best;
  }
  if (best < 0 && vacated_ >= 0 && vacated_ != own && (even_full || fits(v, vacated_))) {
    best = vacated_;
    most = row[vacated_];
  }
  return best < 0 ? Target{} : Target{best, most - row[own]};
}

template <class Cost>
void FmSearch<Cost>::enqueue(GuestVertex v, const Target& target) {
  VertexState& own = state(v);
  if (target.block >= 0 && own.queued == search_ && own.queued_gain == target.gain) return;  // queued already
  ++own.version;  // older candidate moves of this vertex are void
  if (target.block < 0) return;
  own.queued = search_;
  own.queued_gain = target.gain;
  const std::uint64_t tie = random_() >> (64 - kTieBits);
  queue_.push(block_of_[static_cast<std::size_t>(v)], {gain_key(target.gain) | tie, v, own.version});
}

template <class Cost>
void FmSearch<Cost>::move(GuestVertex v, int to) {
  const auto over = [&](int block) {
    return std::max<std::int64_t>(0,
                                  load_[static_cast<std::size_t>(block)] - capacity_[static_cast<std::size_t>(block)]);
  };
  int& block = block_of_[static_cast<std::size_t>(v)];
  const int load = graph_.load[static_cast<std::size_t>(v)];
  overload_ -= over(block) + over(to);
  load_[static_cast<std::size_t>(block)] -= load;
  load_[static_cast<std::size_t>(to)] += load;
  overload_ += over(block) + over(to);
  if (over(to) > 0) overfull_.push_back(to);
  if (over(block) > 0) overfull_.push_back(block);
  if (table_) update_edge_weights(v, block, to);
  vacated_ = block;
  block = to;
}

template <class Cost>
int FmSearch<Cost>::next_source() {
  while (!overfull_.empty()) {
    const auto block = static_cast<std::size_t>(overfull_.back());
    if (load_[block] > capacity_[block]) return overfull_.back();
    overfull_.pop_back();
  }
  return queue_.best_block();
}

template <class Cost>
bool FmSearch<Cost>::step(double& gain) {
  for (int source = next_source(); source >= 0 && !queue_.empty(source); source = next_source()) {
    const Candidate candidate = queue_.top(source);
    queue_.pop(source);
    VertexState& at = state(candidate.vertex);
    if (candidate.version != at.version || at.locked == round_ ||
        block_of_[static_cast<std::size_t>(candidate.vertex)] != source)
      continue;
    at.queued = 0;
    const Target target = best_target(candidate.vertex, false);
    if (target.block < 0) continue;
    const std::uint64_t key = gain_key(target.gain);
    if (key < gain_key_of(candidate) && !queue_.empty(source) && key < gain_key_of(queue_.top(source))) {
      enqueue(candidate.vertex, target);  // no capacity left where it was to go: it queues again for its second choice
      continue;
    }
    gain = target.gain;
    moves_.push_back({candidate.vertex, source});
    move(candidate.vertex, target.block);
    at.locked = round_;
    for (const Arc& arc : graph_.arcs_of(candidate.vertex)) {
      list_near_boundary(arc.to);
      if (state(arc.to).locked != round_) enqueue(arc.to, best_target(arc.to, true));
    }
    return true;
  }
  return false;
}

template <class Cost>
double FmSearch<Cost>::search(int idle_moves) {
  const std::size_t start = moves_.size();
  std::size_t best = start;
  std::int64_t best_overload = overload_;
  double best_gain = 0;
  double sum = 0;
  double gain = 0;
  while (static_cast<int>(moves_.size() - best) < idle_moves && !out_of_time() && step(gain)) {
    sum += gain;
    const bool better = overload_ < best_overload || (overload_ == best_overload && sum > best_gain);
    if (!better) continue;
    best = moves_.size();
    best_overload = overload_;
    best_gain = sum;
  }
  undo_after(best);
  queue_.clear();
  ++search_;
  return best_gain;
}

template <class Cost>
void FmSearch<Cost>::undo_after(std::size_t moves) {
  while (moves_.size() > moves) {
    move(moves_.back().vertex, moves_.back().from);
    moves_.pop_back();
  }
  vacated_ = -1;
}

template <class Cost>
void FmSearch<Cost>::list_near_boundary(GuestVertex v) {
  if (state(v).listed) return;
  state(v).listed = true;
  near_boundary_.push_back(v);
}

template <class Cost>
std::vector<GuestVertex> FmSearch<Cost>::begin_round() {
  moves_.clear();
  if (++round_ == 1) {
    for (GuestVertex v = 0; v < graph_.size(); ++v) {
      if (on_boundary(v)) list_near_boundary(v);
    }
    return near_boundary_;
  }
  std::ranges::sort(near_boundary_);
  std::vector<GuestVertex> boundary;
  std::ranges::copy_if(near_boundary_, std::back_inserter(boundary), [&](GuestVertex v) { return on_boundary(v); });
  return boundary;
}

template <class Cost>
double FmSearch<Cost>::global_pass(int idle_moves) {
  for (const GuestVertex v : begin_round()) enqueue(v, best_target(v, true));
  return search(idle_moves);
}

template <class Cost>
double FmSearch<Cost>::local_round(int idle_moves) {
  std::vector<GuestVertex> seeds = begin_round();
  random_.shuffle(std::span(seeds));
  double sum = 0;
  for (const GuestVertex seed : seeds) {
    if (out_of_time()) break;
    if (state(seed).locked == round_ || !on_boundary(seed)) continue;
    enqueue(seed, best_target(seed, true));
    sum += search(idle_moves);
  }
  return sum;
}

}  // namespace topowise::multilevel
