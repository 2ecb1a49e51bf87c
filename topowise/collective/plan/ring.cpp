// SPDX-License-Identifier: BSD-3-Clause
// If the islands are of equal size: a ring in each, and rings across the islands through GPUs with the same place in
// theirs, so that only 1/s of the vector leaves an island of s GPUs. Else one ring through all GPUs, island by island.
//
// Numbers below: a place is a GPU's position p in the ring of its island q. A vector has s chunks, as many as an island
// has GPUs, and each chunk K pieces, as many as there are islands.
//
//   1. In the ring of the island, s - 1 times: send the chunk that was reduced last to the next, reduce what came from
//      the one before. Then p has the island's sum of chunk p + 1.
//   2. In the ring across, of the GPUs with this p in all islands, the same with the K pieces of that chunk.
//   3. and 4. The same ways again, only copied: each gets the pieces of its chunk, then all chunks.
//
// What is sent for a reduction goes to memory that nothing else is in (part 1, and across islands part 2), because a
// GPU may be two steps ahead of its neighbour. What is only copied goes to its place in the sum: the neighbour has sent
// its own old chunk on, so nobody needs it there.
#include <topowise/collective/plan/algorithms.hpp>

#include <algorithm>
#include <map>

#include <topowise/collective/plan/leaders.hpp>

namespace topowise::collective {
namespace {

/// Islands as lists of GPUs; one of all GPUs, island by island, if they are not of equal size.
std::vector<std::vector<int>> equal_islands(const Layout& layout) {
  std::map<int, std::vector<int>> by_number;
  for (int gpu = 0; gpu < layout.gpus(); ++gpu) by_number[layout.island[static_cast<std::size_t>(gpu)]].push_back(gpu);
  std::vector<std::vector<int>> islands;
  std::vector<int> all;
  for (const auto& [number, gpus] : by_number) {
    islands.push_back(gpus);
    all.insert(all.end(), gpus.begin(), gpus.end());
  }
  const auto other_size = [&](const std::vector<int>& island) { return island.size() != islands[0].size(); };
  if (std::ranges::any_of(islands, other_size)) return {all};
  return islands;
}

/// One GPU's way through a ring: which slices it sends and gets, and to whom.
struct Way {
  int gpu, before, next;
  int place, size;  ///< in the ring
  int first_slice;  ///< chunk c of this ring is slice first_slice + c of `of`
  int of;
  int part;  ///< of the next GPU's scratch, where that GPU gets what it will reduce

  [[nodiscard]] Slice slice(int chunk) const { return {first_slice + (chunk % size + size) % size, of}; }
};

class Rings {
 public:
  explicit Rings(const Layout& layout) : leaders_("ring", layout), islands_(equal_islands(layout)) {
    const int size = static_cast<int>(islands_[0].size());
    const int count = static_cast<int>(islands_.size());
    leaders_.use_parts(count > 1 ? 3 : 2);
    for (int q = 0; q < count; ++q)
      for (int p = 0; p < size; ++p) write(within(p, q), across(p, q));
  }
  [[nodiscard]] Plan plan() const { return leaders_.plan(); }

 private:
  [[nodiscard]] int gpu(int p, int q) const {
    const int size = static_cast<int>(islands_[0].size());
    const int count = static_cast<int>(islands_.size());
    return islands_[static_cast<std::size_t>((q + count) % count)][static_cast<std::size_t>((p + size) % size)];
  }
  [[nodiscard]] Way within(int p, int q) const {
    const int size = static_cast<int>(islands_[0].size());
    return {gpu(p, q), gpu(p - 1, q), gpu(p + 1, q), p, size, 0, size, 1};
  }
  [[nodiscard]] Way across(int p, int q) const {
    const int size = static_cast<int>(islands_[0].size());
    const int count = static_cast<int>(islands_.size());
    return {gpu(p, q), gpu(p, q - 1), gpu(p, q + 1), q, count, (p + 1) % size * count, size * count, 2};
  }

  void write(const Way& within, const Way& across) {
    const int gpu = within.gpu;
    leaders_.take_inputs(gpu);
    level_ = 0;
    reduce_around(within);
    reduce_around(across);
    gather_around(across);
    gather_around(within);
    leaders_.add(gpu, reduce_step(leaders_.outputs(gpu), {leaders_.sum(gpu)}));
    leaders_.end(gpu);
  }

  /// Sends one slice to the next, and waits for one from the GPU before.
  void exchange(const Way& way, Slice slice, int part) {
    leaders_.add(way.gpu, copy_step(leaders_.scratch(way.next, part), leaders_.sum(way.gpu), slice));
    leaders_.add(way.gpu, synchronize_step());
    leaders_.add(way.gpu, signal_step(Flag::copied, level_));
    leaders_.add(way.gpu, wait_step(leaders_.rank(way.before), Flag::copied, level_));
    ++level_;
  }
  void reduce_around(const Way& way) {
    for (int turn = 0; turn + 1 < way.size; ++turn) {
      exchange(way, way.slice(way.place - turn), way.part);
      const Region sum = leaders_.sum(way.gpu);
      leaders_.add(way.gpu,
                   reduce_step({sum}, {leaders_.scratch(way.gpu, way.part), sum}, way.slice(way.place - turn - 1)));
    }
  }
  void gather_around(const Way& way) {
    for (int turn = 0; turn + 1 < way.size; ++turn) exchange(way, way.slice(way.place + 1 - turn), 0);
  }

  Leaders leaders_;
  std::vector<std::vector<int>> islands_;
  int level_ = 0;
};

}  // namespace

Plan ring(const Layout& layout) {
  return Rings(layout).plan();
}

}  // namespace topowise::collective
