// SPDX-License-Identifier: BSD-3-Clause
// Sources: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19(1),
// 2005; Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing systems", 1997;
// and the comments of Open MPI's coll/base.
//
// Recursive halving and doubling need a power of two. If there are r members too many, the first 2r form pairs. One of
// each pair hands its vector to the other, takes no part, and gets the result at the end. Fold holds the new numbers.
#include <topowise/traffic_source/collective/exchanges.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace topowise::collective {
namespace {

/// The members that take part in the power-of-two phase, numbered from 0.
class Fold {
 public:
  /// `stays` says which of a pair (2i, 2i + 1) takes part: 0 or 1.
  Fold(std::size_t members, std::size_t stays)
      : size_(std::bit_floor(members)), extra_(members - size_), stays_(stays) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t pairs() const { return extra_; }
  [[nodiscard]] std::size_t member(std::size_t v) const { return v < extra_ ? 2 * v + stays_ : v + extra_; }

 private:
  std::size_t size_;
  std::size_t extra_;
  std::size_t stays_;
};

/// Sums of consecutive parts.
class Sums {
 public:
  explicit Sums(const std::vector<double>& parts) : upto_(parts.size() + 1, 0) {
    std::partial_sum(parts.begin(), parts.end(), upto_.begin() + 1);
  }
  [[nodiscard]] double total() const { return upto_.back(); }
  [[nodiscard]] double between(std::size_t first, std::size_t last) const { return upto_[last] - upto_[first]; }
  /// The sum of `count` parts from `first` on, where the first part follows the last.
  [[nodiscard]] double cyclic(std::size_t first, std::size_t count) const {
    const std::size_t last = first + count;
    const std::size_t members = upto_.size() - 1;
    return last <= members ? between(first, last) : between(first, members) + between(0, last - members);
  }

 private:
  std::vector<double> upto_;
};

/// Halves sizes step by step as Open MPI's Rabenseifner does: the left half is the smaller one.
void halve_and_double(const Fold& fold, std::size_t v, double numbers, double unit, Sends& out) {
  double window = numbers;
  for (std::size_t mask = 1; mask < fold.size(); mask <<= 1) {
    const std::size_t partner = v ^ mask;
    const double left = std::floor(window / 2);
    const double kept = v < partner ? left : window - left;
    // Halving sends what the partner keeps. Doubling, in reverse order, sends what this member kept.
    out.add(fold.member(v), fold.member(partner), window * unit, 2);
    window = kept;
  }
}

}  // namespace

double elements(double bytes) {
  for (const double size : {8.0, 4.0})
    if (std::fmod(bytes, size) == 0) return bytes / size;
  return bytes;
}

std::vector<double> blocks(double bytes, std::size_t count) {
  const double numbers = elements(bytes);
  const double unit = numbers > 0 ? bytes / numbers : 1;
  const double smaller = std::floor(numbers / static_cast<double>(count));
  const double larger_ones = numbers - smaller * static_cast<double>(count);
  std::vector<double> parts(count);
  for (std::size_t i = 0; i < count; ++i)
    parts[i] = (smaller + std::clamp(larger_ones - static_cast<double>(i), 0.0, 1.0)) * unit;
  return parts;
}

void allgather_ring(const std::vector<double>& parts, Sends& out) {
  const std::size_t members = parts.size();
  const double total = Sums(parts).total();
  for (std::size_t rank = 0; rank < members; ++rank) {
    const std::size_t next = (rank + 1) % members;
    out.add(rank, next, total - parts[next], static_cast<double>(members - 1));
  }
}

void allgather_bruck(const std::vector<double>& parts, Sends& out) {
  const std::size_t members = parts.size();
  const Sums sums(parts);
  for (std::size_t distance = 1; distance < members; distance <<= 1) {
    for (std::size_t rank = 0; rank < members; ++rank)
      out.add(rank, (rank + members - distance) % members, sums.cyclic(rank, std::min(distance, members - distance)));
  }
}

void allgather_recursive_doubling(const std::vector<double>& parts, Sends& out) {
  const Sums sums(parts);
  for (std::size_t distance = 1; distance < parts.size(); distance <<= 1) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const std::size_t first = rank & ~(distance - 1);
      out.add(rank, rank ^ distance, sums.between(first, first + distance));
    }
  }
}

void allgather_neighbor_exchange(const std::vector<double>& parts, Sends& out) {
  const std::size_t members = parts.size();
  const Sums sums(parts);
  for (std::size_t rank = 0; rank < members; ++rank) {
    const bool even = rank % 2 == 0;
    const std::size_t up = (rank + 1) % members;
    const std::size_t down = (rank + members - 1) % members;
    const std::size_t neighbor[] = {even ? up : down, even ? down : up};
    // Pairs of blocks arrive from two sides. `arrived` is the first block of the last pair from each side.
    std::size_t arrived[] = {rank - rank % 2, rank - rank % 2};
    const std::size_t shift[] = {even ? 2 : members - 2, even ? members - 2 : 2};
    std::size_t sent = arrived[0];
    out.add(rank, neighbor[0], parts[rank]);
    for (std::size_t step = 1; step < members / 2; ++step) {
      const std::size_t side = step % 2;
      out.add(rank, neighbor[side], sums.cyclic(sent, 2));
      arrived[side] = (arrived[side] + shift[side]) % members;
      sent = arrived[side];
    }
  }
}

void allreduce_recursive_doubling(std::size_t members, double bytes, Sends& out) {
  const Fold fold(members, 1);
  for (std::size_t pair = 0; pair < fold.pairs(); ++pair) {
    out.add(2 * pair, 2 * pair + 1, bytes);
    out.add(2 * pair + 1, 2 * pair, bytes);
  }
  for (std::size_t distance = 1; distance < fold.size(); distance <<= 1)
    for (std::size_t v = 0; v < fold.size(); ++v) out.add(fold.member(v), fold.member(v ^ distance), bytes);
}

void allreduce_ring(std::size_t members, double bytes, Sends& out) {
  const std::vector<double> parts = blocks(bytes, members);
  for (std::size_t rank = 0; rank < members; ++rank) {
    // The reduce-scatter leaves out the next member's block, and the allgather leaves out the block after it.
    const double saved = parts[(rank + 1) % members] + parts[(rank + 2) % members];
    out.add(rank, (rank + 1) % members, 2 * bytes - saved, 2 * static_cast<double>(members - 1));
  }
}

void allreduce_halving_doubling(std::size_t members, double bytes, Sends& out) {
  const double numbers = elements(bytes);
  const double unit = numbers > 0 ? bytes / numbers : 1;
  const double left = std::floor(numbers / 2) * unit;
  const Fold fold(members, 0);
  for (std::size_t pair = 0; pair < fold.pairs(); ++pair) {
    out.add(2 * pair, 2 * pair + 1, bytes - left);
    out.add(2 * pair + 1, 2 * pair, left);
    out.add(2 * pair + 1, 2 * pair, bytes - left);
    out.add(2 * pair, 2 * pair + 1, bytes);
  }
  for (std::size_t v = 0; v < fold.size(); ++v) halve_and_double(fold, v, numbers, unit, out);
}

void reduce_scatter_ring(const std::vector<double>& parts, Sends& out) {
  const std::size_t members = parts.size();
  const double total = Sums(parts).total();
  for (std::size_t rank = 0; rank < members; ++rank)
    out.add(rank, (rank + 1) % members, total - parts[rank], static_cast<double>(members - 1));
}

void reduce_scatter_halving(const std::vector<double>& parts, Sends& out) {
  const Fold fold(parts.size(), 1);
  const double total = Sums(parts).total();
  for (std::size_t pair = 0; pair < fold.pairs(); ++pair) {
    out.add(2 * pair, 2 * pair + 1, total);
    if (parts[2 * pair] > 0) out.add(2 * pair + 1, 2 * pair, parts[2 * pair]);
  }
  // A member that stands for a pair has the blocks of both.
  std::vector<double> merged(fold.size());
  for (std::size_t v = 0; v < fold.size(); ++v)
    merged[v] = v < fold.pairs() ? parts[2 * v] + parts[2 * v + 1] : parts[v + fold.pairs()];
  const Sums sums(merged);
  for (std::size_t v = 0; v < fold.size(); ++v) {
    for (std::size_t distance = fold.size() / 2; distance > 0; distance /= 2) {
      const std::size_t theirs = (v ^ distance) & ~(distance - 1);
      const double bytes = sums.between(theirs, theirs + distance);
      if (bytes > 0) out.add(fold.member(v), fold.member(v ^ distance), bytes);
    }
  }
}

void reduce_scatter_doubling(const std::vector<double>& parts, Sends& out) {
  const std::size_t members = parts.size();
  const Sums sums(parts);
  const auto without = [&](std::size_t first, std::size_t count) {
    return sums.total() - sums.between(first, std::min(first + count, members));
  };
  for (std::size_t distance = 1; distance < members; distance <<= 1) {
    for (std::size_t rank = 0; rank < members; ++rank) {
      const std::size_t own = rank & ~(distance - 1);
      if ((rank ^ distance) < members) out.add(rank, rank ^ distance, without(own, distance));
      // If one side lacks members, some members of the other side have no partner. Their neighbours send to them.
      const std::size_t both = rank & ~(2 * distance - 1);
      if (own != both || own + distance >= members || own + 2 * distance <= members) continue;
      const std::size_t told = members - own - distance;
      for (std::size_t step = distance / 2; step > 0; step /= 2) {
        const std::size_t first = rank & ~(2 * step - 1);
        const std::size_t other = rank ^ step;
        if (other > rank && rank < first + told && other >= first + told)
          out.add(rank, other, without(own + distance, distance));
      }
    }
  }
}

void reduce_scatter_butterfly(const std::vector<double>& parts, Sends& out) {
  const Fold fold(parts.size(), 1);
  const Sums sums(parts);
  if (fold.pairs() == 0) {
    // The blocks were put into mirror order before, so v keeps those whose low bits are its own.
    for (std::size_t distance = 1; distance < fold.size(); distance <<= 1) {
      for (std::size_t v = 0; v < fold.size(); ++v) {
        double theirs = 0;
        for (std::size_t u = (v ^ distance) % (2 * distance); u < fold.size(); u += 2 * distance) theirs += parts[u];
        out.add(v, v ^ distance, theirs);
      }
    }
    return;
  }
  // A member that stands for a pair has two blocks. `starts` cuts the blocks by those members.
  std::vector<std::size_t> starts(fold.size() + 1);
  for (std::size_t v = 0; v <= fold.size(); ++v) starts[v] = v + std::min(v, fold.pairs());
  for (std::size_t pair = 0; pair < fold.pairs(); ++pair) out.add(2 * pair, 2 * pair + 1, sums.total());
  for (std::size_t v = 0; v < fold.size(); ++v) {
    std::size_t first = 0;
    for (std::size_t distance = 1, window = fold.size() / 2; window > 0; distance <<= 1, window /= 2) {
      const bool keeps_left = (v & distance) == 0;
      const std::size_t sent = keeps_left ? first + window : first;
      out.add(fold.member(v), fold.member(v ^ distance), sums.between(starts[sent], starts[sent + window]));
      first = keeps_left ? first : first + window;
    }
    for (std::size_t owner = starts[first]; owner < starts[first + 1]; ++owner)
      out.add(fold.member(v), owner, parts[owner]);
  }
}

void reduce_scatter_pairwise(const std::vector<double>& parts, Sends& out) {
  for (std::size_t rank = 0; rank < parts.size(); ++rank)
    for (std::size_t owner = 0; owner < parts.size(); ++owner) out.add(rank, owner, parts[owner]);
}

void reduce_halving_gather(std::size_t members, std::size_t root, double bytes, Sends& out) {
  const Fold fold(members, 1);
  for (std::size_t pair = 0; pair < fold.pairs(); ++pair) out.add(2 * pair, 2 * pair + 1, bytes);
  const Sums sums(blocks(bytes, fold.size()));
  for (std::size_t v = 0; v < fold.size(); ++v) {
    for (std::size_t distance = fold.size() / 2; distance > 0; distance /= 2) {
      const std::size_t theirs = (v ^ distance) & ~(distance - 1);
      out.add(fold.member(v), fold.member(v ^ distance), sums.between(theirs, theirs + distance));
    }
  }
  // The gather is a binomial tree over positions counted from the root's. The blocks of each subtree are consecutive.
  std::size_t top = 0;
  while (top + 1 < fold.size() && fold.member(top) != root) ++top;
  if (fold.member(top) != root) top = 0;
  for (std::size_t v = 0; v < fold.size(); ++v) {
    const std::size_t distance_from_top = v ^ top;
    if (distance_from_top == 0) continue;
    const std::size_t run = std::size_t{1} << std::countr_zero(distance_from_top);
    const std::size_t first = v & ~(run - 1);
    out.add(fold.member(v), fold.member(v ^ run), sums.between(first, first + run));
  }
  if (fold.member(top) != root) out.add(fold.member(top), root, bytes);
}

void alltoall_direct(std::size_t members, double block, Sends& out) {
  for (std::size_t rank = 0; rank < members; ++rank)
    for (std::size_t other = 0; other < members; ++other) out.add(rank, other, block);
}

void alltoall_bruck(std::size_t members, double block, Sends& out) {
  for (std::size_t distance = 1; distance < members; distance <<= 1) {
    double moved = 0;
    for (std::size_t i = 1; i < members; ++i) moved += (i & distance) != 0 ? block : 0;
    for (std::size_t rank = 0; rank < members; ++rank) out.add(rank, (rank + distance) % members, moved);
  }
}

void scan_chain(std::size_t members, double bytes, Sends& out) {
  for (std::size_t rank = 0; rank + 1 < members; ++rank) out.add(rank, rank + 1, bytes);
}

void scan_recursive_doubling(std::size_t members, double bytes, Sends& out) {
  for (std::size_t distance = 1; distance < members; distance <<= 1)
    for (std::size_t rank = 0; rank < members; ++rank)
      if ((rank ^ distance) < members) out.add(rank, rank ^ distance, bytes);
}

void barrier_linear(std::size_t members, Sends& out) {
  for (std::size_t rank = 1; rank < members; ++rank) {
    out.add(rank, 0, 0);
    out.add(0, rank, 0);
  }
}

void barrier_recursive_doubling(std::size_t members, Sends& out) {
  const std::size_t size = std::bit_floor(members);
  for (std::size_t rank = size; rank < members; ++rank) {
    out.add(rank, rank - size, 0);
    out.add(rank - size, rank, 0);
  }
  for (std::size_t distance = 1; distance < size; distance <<= 1)
    for (std::size_t rank = 0; rank < size; ++rank) out.add(rank, rank ^ distance, 0);
}

void barrier_dissemination(std::size_t members, Sends& out) {
  for (std::size_t distance = 1; distance < members; distance <<= 1)
    for (std::size_t rank = 0; rank < members; ++rank) out.add(rank, (rank + distance) % members, 0);
}

void barrier_tree(std::size_t members, Sends& out) {
  for (std::size_t distance = 1; distance < members; distance <<= 1) {
    for (std::size_t rank = 0; rank + distance < members; rank += 2 * distance) {
      out.add(rank + distance, rank, 0);
      out.add(rank, rank + distance, 0);
    }
  }
}

}  // namespace topowise::collective
