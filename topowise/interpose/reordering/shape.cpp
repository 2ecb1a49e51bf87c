// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/shape.hpp>

#include <algorithm>

#include <topowise/base/hash.hpp>
#include <topowise/interpose/reordering/adjacency.hpp>

namespace topowise::interpose::reordering {
namespace {

/// A digest of integers, by which processes compare what they were given without sending it.
class Digest {
 public:
  void add(int value) { hash_.add_number(static_cast<unsigned>(value), sizeof(int)); }
  [[nodiscard]] std::uint64_t value() const { return hash_.value(); }

 private:
  Fnv1a hash_;
};

/// The number of cells; 0 if there are none, or more than processes.
int cells_of(int dimensions, const int* extents, int processes) {
  std::int64_t cells = dimensions > 0 ? 1 : 0;
  for (int axis = 0; axis < dimensions && cells > 0; ++axis) {
    cells = extents[axis] > 0 ? cells * extents[axis] : 0;
    if (cells > processes) cells = 0;
  }
  return static_cast<int>(cells);
}

bool is_graph(int vertices, const int* index, const int* neighbors) {
  for (int vertex = 0; vertex < vertices; ++vertex) {
    if (index[vertex] < (vertex == 0 ? 0 : index[vertex - 1])) return false;
  }
  const int edges = vertices > 0 ? index[vertices - 1] : 0;
  if (edges > 0 && neighbors == nullptr) return false;
  for (int i = 0; i < edges; ++i) {
    if (neighbors[i] < 0 || neighbors[i] >= vertices) return false;
  }
  return true;
}

/// Collects edges, and whether they are such as MPI takes. MPI_PROC_NULL is no neighbour.
class Edges {
 public:
  Edges(const Mpi& m, Shape& shape) : null_(m.family.proc_null), shape_(shape) {}

  void add(int source, int destination, int weight) {
    if (!exists(source) || !exists(destination) || weight < 0) shape_.valid = false;
    if (shape_.valid && source != null_ && destination != null_) shape_.edges.push_back({source, destination, weight});
  }

 private:
  [[nodiscard]] bool exists(int vertex) const { return vertex == null_ || (vertex >= 0 && vertex < shape_.vertices); }

  int null_;
  Shape& shape_;
};

/// Whether the arrays of a vertex's neighbours are there.
bool are_there(const Mpi& m, const Neighbors& neighbors) {
  if (neighbors.degree <= 0) return neighbors.degree == 0;
  return neighbors.ranks != nullptr && neighbors.weights != nullptr && neighbors.weights != m.family.weights_empty;
}

std::vector<int> neighbors_in_grid(const Shape& shape, int cell) {
  std::vector<int> found;
  int stride = shape.vertices;
  for (int axis = 0; axis < shape.dimensions; ++axis) {
    const int extent = shape.extents[axis];
    stride /= extent;
    const int coordinate = cell / stride % extent;
    for (const int step : {-1, 1}) {
      const int other = coordinate + step;
      if (shape.periodic[axis] == 0 && (other < 0 || other >= extent)) continue;
      found.push_back(cell + ((other + extent) % extent - coordinate) * stride);
    }
  }
  return found;
}

}  // namespace

std::vector<int> neighbors_of(const Shape& shape, int vertex) {
  std::vector<int> found;
  if (vertex >= shape.vertices) return found;
  if (shape.kind == engine::Kind::cart) found = neighbors_in_grid(shape, vertex);
  if (shape.kind == engine::Kind::graph)
    found.assign(shape.neighbors + (vertex == 0 ? 0 : shape.index[vertex - 1]), shape.neighbors + shape.index[vertex]);
  for (const engine::Edge& edge : shape.edges) {
    if (edge.source == vertex) found.push_back(edge.destination);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::erase(found, vertex);
  return found;
}

Shape grid(int processes, int dimensions, const int* extents, const int* periodic) {
  Shape shape{.kind = engine::Kind::cart, .dimensions = dimensions, .extents = extents, .periodic = periodic};
  if (extents != nullptr && periodic != nullptr) shape.vertices = cells_of(dimensions, extents, processes);
  shape.valid = shape.vertices > 0;
  Digest digest;
  for (int axis = 0; axis < dimensions && shape.valid; ++axis) {
    digest.add(extents[axis]);
    digest.add(periodic[axis] != 0 ? 1 : 0);
  }
  shape.digest = digest.value();
  return shape;
}

Shape graph(int processes, int vertices, const int* index, const int* neighbors) {
  Shape shape{.kind = engine::Kind::graph, .vertices = vertices, .index = index, .neighbors = neighbors};
  shape.valid = vertices > 0 && vertices <= processes && index != nullptr && is_graph(vertices, index, neighbors);
  Digest digest;
  for (int vertex = 0; vertex < vertices && shape.valid; ++vertex) digest.add(index[vertex]);
  for (int i = 0; shape.valid && i < index[vertices - 1]; ++i) digest.add(neighbors[i]);
  shape.digest = digest.value();
  return shape;
}

Shape stated_edges(const Mpi& m, int processes, int count, const int* sources, const int* degrees,
                   const int* destinations, const int* weights) {
  Shape shape{.vertices = processes};
  const bool weighted = numbers(m, weights) != nullptr;
  Edges edges(m, shape);
  std::size_t next = 0;
  shape.valid = count == 0 || (count > 0 && sources != nullptr && degrees != nullptr);
  for (int i = 0; i < count && shape.valid; ++i) {
    shape.valid = degrees[i] == 0 || (degrees[i] > 0 && destinations != nullptr && weights != nullptr &&
                                      weights != m.family.weights_empty);
    for (int k = 0; k < degrees[i] && shape.valid; ++k, ++next)
      edges.add(sources[i], destinations[next], weighted ? weights[next] : 1);
  }
  return shape;
}

Shape own_edges(const Mpi& m, int processes, int rank, const Neighbors& in, const Neighbors& out) {
  Shape shape{.valid = are_there(m, in) && are_there(m, out), .vertices = processes};
  Edges edges(m, shape);
  const int* weights = numbers(m, out.weights);
  for (int i = 0; i < in.degree && shape.valid; ++i) edges.add(in.ranks[i], rank, 1);
  shape.edges.clear();  // those were only checked
  for (int i = 0; i < out.degree && shape.valid; ++i)
    edges.add(rank, out.ranks[i], weights == nullptr ? 1 : weights[i]);
  shape.digest = 1;  // not that of MPI_Dist_graph_create
  return shape;
}

}  // namespace topowise::interpose::reordering
