// SPDX-License-Identifier: BSD-3-Clause
// The messages of two NAS parallel benchmarks, CG and MG, in their timed parts (D. Bailey et al., "The NAS Parallel
// Benchmarks", RNR-94-007, sections 2.2 and 2.4; what goes to whom is that of the MPI programs of NPB 3.4).
#include <topowise/traffic_source/pattern/messages.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace topowise::pattern {
namespace {

constexpr double kNumber = 8;  ///< bytes of a double

/// What one rank sends. Messages to the same rank become one entry; those of a rank to itself are left out.
class Sent {
 public:
  Sent(std::size_t rank, std::vector<Message>& messages) : rank_(rank), first_(messages.size()), messages_(messages) {}

  /// `times` messages of so many numbers each.
  void add(std::size_t to, std::size_t numbers, std::size_t times) {
    if (to == rank_ || numbers == 0) return;
    const Bytes bytes(kNumber * static_cast<double>(numbers) * static_cast<double>(times));
    const auto own = messages_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto known =
        std::find_if(own, messages_.end(), [&](const Message& message) { return message.destination.index() == to; });
    if (known == messages_.end()) {
      messages_.push_back({Rank(rank_), Rank(to), bytes, times});
    } else {
      known->bytes += bytes;
      known->messages += times;
    }
  }

 private:
  std::size_t rank_;
  std::size_t first_;
  std::vector<Message>& messages_;
};

/// How many of `number` things, dealt out in blocks of nearly equal size, part `part` of `parts` has.
std::size_t share(std::size_t number, std::size_t parts, std::size_t part) {
  return number / parts + (part < number % parts ? 1 : 0);
}

/// Calls visit(rank, sent) for each rank that is wanted.
template <class Visit>
std::vector<Message> of_each_rank(const Request& request, const Visit& visit) {
  std::vector<Message> messages;
  const std::size_t end = std::min(request.dims.front(), request.senders.end);
  for (std::size_t rank = request.senders.first; rank < end; ++rank) {
    Sent sent(rank, messages);
    visit(rank, sent);
  }
  return messages;
}

}  // namespace

/// The ranks are a grid of R rows and C columns, C = R or C = 2 R, that cuts the matrix. A product of matrix and vector
/// leaves parts of its sum on all ranks of a row: these exchange and add what they have with the rank that is half a
/// row away, then a quarter, and so on. Then the vector, cut by rows, goes to the ranks that need it cut by columns:
/// those of the transposed grid. Scalar products are sums along a row as well.
std::vector<Message> nas_cg(const Request& request) {
  constexpr std::size_t kSteps = 25;  // of the conjugate gradient method in each iteration
  constexpr std::size_t kVectors = kSteps + 1;
  constexpr std::size_t kScalars = 2 * kSteps + 2;
  const std::size_t rows = std::size_t{1} << (std::bit_width(request.dims.front()) - 1) / 2;
  const std::size_t columns = request.dims.front() / rows;
  const NasClass& size = *request.nas_class;
  return of_each_rank(request, [&](std::size_t rank, Sent& sent) {
    const std::size_t part = share(size.unknowns, rows, rank / columns);
    // With C = 2 R two neighbours have half of a part each.
    const bool square = rows == columns;
    const std::size_t half = square ? part : share(part, 2, rank % 2);
    for (std::size_t distance = columns / 2; distance > 0; distance /= 2) {
      const bool between_halves = !square && distance == 1;
      sent.add(rank ^ distance, between_halves ? part - half : half, size.cg_iterations * kVectors);
      sent.add(rank ^ distance, 1, size.cg_iterations * kScalars);
      sent.add(rank ^ distance, 2, size.cg_iterations);
    }
    const std::size_t width = square ? 1 : 2;  // columns that are transposed as one
    const std::size_t block = rank / width;
    const std::size_t transposed = (block % rows * rows + block / rows) * width + rank % width;
    sent.add(transposed, half, size.cg_iterations * kVectors);
  });
}

std::array<std::size_t, 3> nas_mg_grid(std::size_t ranks) {
  const auto bits = static_cast<std::size_t>(std::bit_width(ranks) - 1);
  const std::size_t first = bits / 3;
  const std::size_t second = (bits - first) / 2;
  return {std::size_t{1} << first, std::size_t{1} << second, std::size_t{1} << (bits - first - second)};
}

namespace {

/// One axis of a level of the grid of cells as one rank sees it.
struct MgAxis {
  std::size_t ranks;
  std::size_t coordinate;  ///< of the rank
  std::size_t stride;      ///< from a rank with cells to the next one
  std::size_t cells;       ///< of the rank; 0 where the level has fewer cells than the axis has ranks

  [[nodiscard]] std::size_t with_border() const { return cells + 2; }
  [[nodiscard]] std::size_t up() const { return (coordinate + stride) % ranks; }
  [[nodiscard]] std::size_t down() const { return (coordinate + ranks - stride) % ranks; }
};

MgAxis mg_axis(std::size_t ranks, std::size_t coordinate, std::size_t cells) {
  return {ranks, coordinate, std::max<std::size_t>(1, ranks / cells),
          (coordinate + 1) * cells / ranks - coordinate * cells / ranks};
}

/// The rank in the grid of ranks, whose first axis is the fastest.
struct MgRank {
  std::array<std::size_t, 3> extents;
  std::array<std::size_t, 3> at;

  [[nodiscard]] std::size_t with(std::size_t axis, std::size_t coordinate) const {
    std::array<std::size_t, 3> other = at;
    other[axis] = coordinate;
    return other[0] + extents[0] * (other[1] + extents[1] * other[2]);
  }
};

/// The halo of a level, `times` times. Borders that have come along one axis are sent on along the next.
void exchange_halo(const MgRank& rank, const std::array<MgAxis, 3>& level, std::size_t times, Sent& sent) {
  const auto& [x, y, z] = level;
  if (x.cells == 0 || y.cells == 0 || z.cells == 0) return;
  const std::array<std::size_t, 3> faces = {y.cells * z.cells, x.with_border() * z.cells,
                                            x.with_border() * y.with_border()};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sent.add(rank.with(axis, level[axis].up()), faces[axis], times);
    sent.add(rank.with(axis, level[axis].down()), faces[axis], times);
  }
}

/// From a level to the finer one of which more ranks have cells: the others get theirs from their neighbours.
void expand(const MgRank& rank, const std::array<MgAxis, 3>& coarse, const std::array<MgAxis, 3>& fine,
            std::size_t times, Sent& sent) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (coarse[axis].stride == fine[axis].stride || coarse[axis].cells == 0) continue;
    const std::size_t face = fine[(axis + 1) % 3].with_border() * fine[(axis + 2) % 3].with_border();
    sent.add(rank.with(axis, fine[axis].up()), 2 * face, times);
    sent.add(rank.with(axis, fine[axis].down()), face, times);
  }
}

}  // namespace

/// A cube of cells is cut by a grid of ranks. Each V-cycle goes through its levels, down to two cells an axis and back
/// up. A level's halo is exchanged after each of its operations: restriction (on the way down), residual and smoother.
std::vector<Message> nas_mg(const Request& request) {
  const NasClass& size = *request.nas_class;
  const std::size_t cycles = size.mg_iterations;
  const std::array<std::size_t, 3> extents = nas_mg_grid(request.dims.front());
  return of_each_rank(request, [&](std::size_t number, Sent& sent) {
    const MgRank rank{extents,
                      {number % extents[0], number / extents[0] % extents[1], number / extents[0] / extents[1]}};
    const auto level_of = [&](std::size_t cells) {
      return std::array{mg_axis(extents[0], rank.at[0], cells), mg_axis(extents[1], rank.at[1], cells),
                        mg_axis(extents[2], rank.at[2], cells)};
    };
    for (std::size_t cells = size.cells; cells > 1; cells /= 2) {
      const std::array<MgAxis, 3> level = level_of(cells);
      const bool finest = cells == size.cells;  // has no restriction, but a residual before and after each cycle
      const bool coarsest = cells == 2;         // has no residual
      exchange_halo(rank, level, coarsest ? 2 * cycles : 3 * cycles + (finest ? 1 : 0), sent);
      if (!coarsest) expand(rank, level_of(cells / 2), level, cycles, sent);
    }
  });
}

}  // namespace topowise::pattern
