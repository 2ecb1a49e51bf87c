// SPDX-License-Identifier: BSD-3-Clause
// Patterns without a grid of neighbours: ring, all-to-all, random partners, transposition.
#include <topowise/traffic_source/pattern/messages.hpp>

#include <algorithm>
#include <bit>

#include <topowise/base/random.hpp>

namespace topowise::pattern {

/// One direction, as in a ring allreduce: rank i sends only to i + 1.
std::vector<Message> ring(const Request& request) {
  const std::size_t ranks = request.dims.front();
  std::vector<Message> messages;
  if (ranks < 2) return messages;
  for (std::size_t rank = request.senders.first; rank < std::min(ranks, request.senders.end); ++rank)
    messages.push_back({Rank(rank), Rank((rank + 1) % ranks), request.bytes});
  return messages;
}

/// In each step the ranks send to different ones. With a power of two of ranks they exchange in pairs, as MPICH's
/// pairwise exchange does: messages that cross the same wires then come in the same steps. Else each rank begins with
/// its successor.
std::vector<Message> alltoall(const Request& request) {
  const std::size_t ranks = request.dims.front();
  std::vector<Message> messages;
  const std::size_t end = std::min(ranks, request.senders.end);
  messages.reserve((end - request.senders.first) * (ranks - 1));
  for (std::size_t rank = request.senders.first; rank < end; ++rank) {
    for (std::size_t step = 1; step < ranks; ++step) {
      const std::size_t to = std::has_single_bit(ranks) ? rank ^ step : (rank + step) % ranks;
      messages.push_back({Rank(rank), Rank(to), request.bytes});
    }
  }
  return messages;
}

/// Each rank sends to `degree` different others (to all others if there are fewer). They are drawn anew for each rank.
std::vector<Message> random(const Request& request) {
  const std::size_t ranks = request.dims.front();
  const std::size_t degree = std::min(request.degree, ranks - 1);
  Random random_numbers(request.seed);
  std::vector<Message> messages;
  std::vector<std::size_t> chosen_by(ranks, ranks);  // the last rank that chose this number
  // Numbers are also drawn for the ranks before the first sender, so that each piece is a part of the same whole.
  for (std::size_t rank = 0; rank < std::min(ranks, request.senders.end); ++rank) {
    // Floyd's sampling: draws `degree` different numbers below ranks - 1, where the rank itself is not counted.
    for (std::size_t bound = ranks - 1 - degree; bound < ranks - 1; ++bound) {
      const std::size_t drawn = random_numbers.below(static_cast<std::uint32_t>(bound + 1));
      const std::size_t other = chosen_by[drawn] == rank ? bound : drawn;
      chosen_by[other] = rank;
      if (rank >= request.senders.first)
        messages.push_back({Rank(rank), Rank(other < rank ? other : other + 1), request.bytes});
    }
  }
  return messages;
}

/// Rank (i, j) of an R x C grid holds block (i, j). The transposed matrix has it at (j, i) of a C x R grid.
std::vector<Message> transpose(const Request& request) {
  const std::size_t rows = request.dims[0];
  const std::size_t columns = request.dims[1];
  std::vector<Message> messages;
  for (std::size_t rank = request.senders.first; rank < std::min(rows * columns, request.senders.end); ++rank) {
    const std::size_t to = rank % columns * rows + rank / columns;
    if (to != rank) messages.push_back({Rank(rank), Rank(to), request.bytes});
  }
  return messages;
}

}  // namespace topowise::pattern
