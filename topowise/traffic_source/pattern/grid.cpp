// SPDX-License-Identifier: BSD-3-Clause
// Patterns on a Cartesian grid: every rank sends to its neighbours along each dimension.
//
// Ranks are numbered in row-major order, last coordinate fastest, as MPI_Cart_create does. A rank's messages are in the
// order of MPI's neighbourhood collectives: dimension 0 downwards, dimension 0 upwards, dimension 1 downwards, ...
// With w = 3 and one heavy dimension these are the microbenchmarks of Faraji et al., "Topology-aware GPU selection on
// multi-GPU nodes", section V-B: 2D stencil, 2D torus, 3D torus, 4D hypercube.
#include <topowise/traffic_source/pattern/messages.hpp>

#include <algorithm>

namespace topowise::pattern {
namespace {

enum class Boundary { open, periodic };

std::vector<Message> grid(const Request& request, Boundary boundary) {
  std::size_t ranks = 1;
  for (const std::size_t extent : request.dims) ranks *= extent;

  std::vector<Message> messages;
  for (std::size_t rank = request.senders.first; rank < std::min(ranks, request.senders.end); ++rank) {
    std::size_t stride = ranks;
    for (std::size_t dim = 0; dim < request.dims.size(); ++dim) {
      const std::size_t extent = request.dims[dim];
      stride /= extent;
      const std::size_t coordinate = rank / stride % extent;
      const std::size_t line = rank - coordinate * stride;  // the rank with coordinate 0 on the same line
      const Bytes bytes = dim == request.heavy ? request.bytes * request.w : request.bytes;
      const auto send = [&](std::size_t to) { messages.push_back({Rank(rank), Rank(line + to * stride), bytes}); };
      // In a torus of extent 2 both directions lead to the same neighbour, which gets one message. With extent 1 there
      // is none.
      const bool wraps = boundary == Boundary::periodic && extent > 2;
      if (coordinate > 0 || wraps) send((coordinate + extent - 1) % extent);
      if (coordinate + 1 < extent || wraps) send((coordinate + 1) % extent);
    }
  }
  return messages;
}

}  // namespace

std::vector<Message> stencil(const Request& request) {
  return grid(request, Boundary::open);
}

std::vector<Message> torus(const Request& request) {
  return grid(request, Boundary::periodic);
}

/// DIMS is the number of dimensions; each has extent 2, so neighbours differ in one bit of the rank. Dimension 0 is the
/// highest bit.
std::vector<Message> hypercube(const Request& request) {
  Request cube = request;
  cube.dims.assign(request.dims.front(), 2);
  return grid(cube, Boundary::open);
}

}  // namespace topowise::pattern
