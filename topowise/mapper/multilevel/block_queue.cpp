// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/block_queue.hpp>

#include <algorithm>
#include <bit>

namespace topowise::multilevel {
namespace {

/// A type, so that the heap algorithms can inline it.
struct Worse {
  bool operator()(const Candidate& a, const Candidate& b) const { return a.worse_than(b); }
};

}  // namespace

BlockQueue::BlockQueue(int blocks)
    : heaps_(static_cast<std::size_t>(blocks)), leaves_(std::bit_ceil(static_cast<std::size_t>(blocks))) {
  winner_.assign(2 * leaves_, -1);
}

int BlockQueue::better(int a, int b) const {
  if (a < 0) return b;
  if (b < 0) return a;
  return top(a).worse_than(top(b)) ? b : a;
}

void BlockQueue::replay(int block) {
  std::size_t match = leaves_ + static_cast<std::size_t>(block);
  winner_[match] = empty(block) ? -1 : block;
  for (match /= 2; match > 0; match /= 2) winner_[match] = better(winner_[2 * match], winner_[2 * match + 1]);
}

void BlockQueue::push(int block, const Candidate& candidate) {
  std::vector<Candidate>& heap = heaps_[static_cast<std::size_t>(block)];
  if (heap.empty()) used_.push_back(block);
  const bool new_top = heap.empty() || heap.front().worse_than(candidate);
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
