// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/adjacency.hpp>

#include <topowise/interpose/reordering/calls.hpp>

namespace topowise::interpose::reordering {

const int* numbers(const Mpi& m, const int* weights) {
  return weights == m.family.unweighted || weights == m.family.weights_empty ? nullptr : weights;
}

Adjacency adjacency(const Mpi& m, int in_degree, const int* sources, const int* source_weights, int out_degree,
                    const int* destinations, const int* destination_weights) {
  const bool weighted = source_weights != m.family.unweighted && destination_weights != m.family.unweighted;
  Adjacency made{.in_degree = in_degree, .out_degree = out_degree, .weighted = weighted ? 1 : 0, .numbers = {}};
  made.numbers.reserve(static_cast<std::size_t>(made.size()) + 1);
  made.numbers.insert(made.numbers.end(), sources, sources + in_degree);
  made.numbers.insert(made.numbers.end(), destinations, destinations + out_degree);
  if (weighted) {
    made.numbers.insert(made.numbers.end(), source_weights, source_weights + in_degree);
    made.numbers.insert(made.numbers.end(), destination_weights, destination_weights + out_degree);
  }
  made.numbers.push_back(0);
  return made;
}

int exchange(const Mpi& m, Word comm, const Adjacency& own, int to, int from, Adjacency& played) {
  const auto swap = [&](const int* out, int out_count, int* in, int in_count) {
    constexpr int kInt = sizeof(int);
    return calls()->Sendrecv(out, out_count * kInt, m.family.type_byte, to, 0, in, in_count * kInt, m.family.type_byte,
                             from, 0, comm, m.family.status_ignore);
  };
  const int head[3] = {own.in_degree, own.out_degree, own.weighted};
  int other[3] = {};
  if (const int status = swap(head, 3, other, 3); status != 0) return status;
  played = {.in_degree = other[0], .out_degree = other[1], .weighted = other[2], .numbers = {}};
  played.numbers.resize(static_cast<std::size_t>(played.size()) + 1);
  return swap(own.numbers.data(), own.size(), played.numbers.data(), played.size());
}

}  // namespace topowise::interpose::reordering
