// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/block_queue.hpp>

#include <algorithm>
#include <bit>

namespace topowise::multilevel {
namespace {

/// A type, so that the heap algorithms can inline it.
struct Worse {
  bool operator()(const Candidate& a, const Candidate& b) const { return a.key < b.key; }
};

}  // namespace

BlockQueue::BlockQueue(int blocks)
    : heaps_(static_cast<std::size_t>(blocks)), leaves_(std::bit_ceil(static_cast<std::size_t>(blocks))) {
  best_key_.assign(heaps_.size(), 0);
  winner_.assign(2 * leaves_, -1);
}

void BlockQueue::replay(int block) {
  const std::vector<Candidate>& heap = heaps_[static_cast<std::size_t>(block)];
  best_key_[static_cast<std::size_t>(block)] = heap.empty() ? 0 : heap.front().key;
  std::size_t match = leaves_ + static_cast<std::size_t>(block);
  int winner = heap.empty() ? -1 : block;
  const auto key_of = [&](int of) { return of < 0 ? 0 : best_key_[static_cast<std::size_t>(of)]; };
  for (winner_[match] = winner; match > 1; match /= 2, winner_[match] = winner) {
    const int other = winner_[match ^ 1];
    if (key_of(other) > key_of(winner)) winner = other;
  }
}

void BlockQueue::push(int block, const Candidate& candidate) {
  std::vector<Candidate>& heap = heaps_[static_cast<std::size_t>(block)];
  if (heap.empty()) used_.push_back(block);
  const bool new_top = heap.empty() || heap.front().key < candidate.key;
  heap.push_back(candidate);
  std::push_heap(heap.begin(), heap.end(), Worse{});
  if (new_top) replay(block);
}

void BlockQueue::pop(int block) {
  std::vector<Candidate>& heap = heaps_[static_cast<std::size_t>(block)];
  std::pop_heap(heap.begin(), heap.end(), Worse{});
  heap.pop_back();
  replay(block);
}

void BlockQueue::clear() {
  for (const int block : used_) {
    heaps_[static_cast<std::size_t>(block)].clear();
    std::size_t match = leaves_ + static_cast<std::size_t>(block);
    for (; match > 0 && winner_[match] != -1; match /= 2) winner_[match] = -1;
  }
  used_.clear();
}

}  // namespace topowise::multilevel
