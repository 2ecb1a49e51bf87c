// SPDX-License-Identifier: BSD-3-Clause
// NCCL and RCCL: rings in the order of the ranks, and for small allreduces a pair of trees.
//
// Ring: each member passes blocks to its successor. A pair of binary trees (Sanders, Speck, Traff, "Two-tree algorithms
// for full bandwidth broadcast, reduction and scan", Parallel Computing 35, 2009; NCCL since 2.4): each tree reduces
// one half of the vector to its root and sends it down again, and a leaf of one tree is an inner vertex of the other.
// The trees have the shape of NCCL's graph/trees.cc, where every member counts as a node of its own.
//
// NCCL chooses by its own forecast of both ways for the machine. Here the trees are taken below kTreeBytesOfMember for
// each member. At about that size the 2 (n - 1) steps of a ring cost as much as the trees' lower throughput, for some
// microseconds a step and some 10 GB/s. NCCL_ALGO=Ring and Tree correspond to `nccl-ring` and `nccl-tree`.
//
// `nccl-direct` is the traffic that NVLink's switches (NVLS), CollNet, copy engines and kernels on symmetric memory put
// on the wires: each member has one part of the work and exchanges something with every other. `nccl-pat` is NCCL's
// "parallel aggregated trees" for allgather and reduce-scatter, which use distances of 1, 2, 4, ... (Bruck).
#include <vector>

#include <topowise/traffic_source/collective/exchanges.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/collective/trees.hpp>

namespace topowise::collective {
namespace {

using profile::Operation;

constexpr double kTreeBytesOfMember = 262144;

enum class Way { by_size, ring, trees, direct, doubling };

/// The parent of `v` in NCCL's binary tree. 0 is the root and has one child.
std::size_t parent_in_tree(std::size_t members, std::size_t v) {
  const std::size_t bit = v & (~v + 1);
  const std::size_t up = (v ^ bit) | (bit << 1);
  return up < members ? up : v ^ bit;
}

void edge_of_allreduce(std::size_t child, std::size_t parent, double bytes, Sends& out) {
  out.add(child, parent, bytes);
  out.add(parent, child, bytes);
}

void allreduce_trees(std::size_t members, double bytes, Sends& out) {
  const std::vector<double> half = blocks(bytes, 2);
  const bool odd = members % 2 == 1;
  // The second tree is the first one mirrored; for an odd number of members it is the first one shifted by one.
  const auto second = [&](std::size_t v) { return odd ? (v + 1) % members : members - 1 - v; };
  for (std::size_t v = 1; v < members; ++v) {
    const std::size_t parent = parent_in_tree(members, v);
    edge_of_allreduce(v, parent, half[0], out);
    edge_of_allreduce(second(v), second(parent), half[1], out);
  }
}

/// Each member sends its part to every other.
void allgather_direct(const std::vector<double>& parts, Sends& out) {
  for (std::size_t from = 0; from < parts.size(); ++from)
    for (std::size_t to = 0; to < parts.size(); ++to) out.add(from, to, parts[from]);
}

/// Uses the same distances as the allgather, in the opposite direction.
void reduce_scatter_doubling_distances(const std::vector<double>& parts, Sends& out) {
  Sends gathered;
  allgather_bruck(parts, gathered);
  for (const Sent& sent : gathered.list()) out.add(sent.destination, sent.source, sent.bytes, sent.messages);
}

/// Goes round the ring, from the member after the root to the root.
void reduce_ring(const Call& call, Sends& out) {
  for (std::size_t step = 1; step < call.members; ++step)
    out.add((call.root + step) % call.members, (call.root + step + 1) % call.members, call.bytes);
}

void allreduce(const Call& call, Way way, Sends& out) {
  if (way == Way::direct) {
    const std::vector<double> parts = blocks(call.bytes, call.members);
    reduce_scatter_pairwise(parts, out);
    return allgather_direct(parts, out);
  }
  const bool small = call.bytes < kTreeBytesOfMember * static_cast<double>(call.members) && call.members > 2;
  const bool by_trees = way == Way::trees || ((way == Way::by_size || way == Way::doubling) && small);
  return by_trees ? allreduce_trees(call.members, call.bytes, out) : allreduce_ring(call.members, call.bytes, out);
}

void allgather(const std::vector<double>& parts, Way way, Sends& out) {
  if (way == Way::direct) return allgather_direct(parts, out);
  return way == Way::doubling ? allgather_bruck(parts, out) : allgather_ring(parts, out);
}

void reduce_scatter(const std::vector<double>& parts, Way way, Sends& out) {
  if (way == Way::direct) return reduce_scatter_pairwise(parts, out);
  return way == Way::doubling ? reduce_scatter_doubling_distances(parts, out) : reduce_scatter_ring(parts, out);
}

void expand(const Call& call, Way way, Sends& out) {
  const std::size_t members = call.members;
  const std::vector<double> equal_parts(members, call.bytes);
  switch (call.operation) {
    case Operation::bcast:
      return broadcast(way == Way::direct ? star(members) : chain(members), call.root, call.bytes, out);
    case Operation::reduce:
      return way == Way::direct ? reduce(star(members), call.root, call.bytes, out) : reduce_ring(call, out);
    case Operation::allreduce:
      return allreduce(call, way, out);
    case Operation::allgather:
      return allgather(equal_parts, way, out);
    case Operation::allgatherv:
      return allgather(call.parts, way, out);
    case Operation::reduce_scatter:
      return reduce_scatter(call.parts, way, out);
    case Operation::reduce_scatter_block:
      return reduce_scatter(equal_parts, way, out);
    default:
      return expand_linear(call, out);  // NCCL makes these of sends and receives, one for each partner
  }
}

}  // namespace

void expand_nccl(const Call& call, Sends& out) {
  expand(call, Way::by_size, out);
}

void expand_nccl_ring(const Call& call, Sends& out) {
  expand(call, Way::ring, out);
}

void expand_nccl_tree(const Call& call, Sends& out) {
  expand(call, Way::trees, out);
}

void expand_nccl_direct(const Call& call, Sends& out) {
  expand(call, Way::direct, out);
}

void expand_nccl_pat(const Call& call, Sends& out) {
  expand(call, Way::doubling, out);
}

void expand_nccl_hierarchical(const Call& call, Sends& out) {
  const bool across = call.operation == Operation::allreduce && !call.node_of.empty();
  across ? allreduce_hierarchical(call.node_of, call.bytes, out) : expand(call, Way::ring, out);
}

void allreduce_hierarchical(const std::vector<std::size_t>& node_of, double bytes, Sends& out) {
  std::vector<std::vector<std::size_t>> nodes;  // by node: the positions of its members
  std::vector<std::size_t> names;
  for (std::size_t v = 0; v < node_of.size(); ++v) {
    std::size_t at = 0;
    while (at < names.size() && names[at] != node_of[v]) ++at;
    if (at == names.size()) {
      names.push_back(node_of[v]);
      nodes.emplace_back();
    }
    nodes[at].push_back(v);
  }
  bool even = true;
  for (const std::vector<std::size_t>& node : nodes) even = even && node.size() == nodes.front().size();
  if (!even || nodes.size() < 2 || nodes.front().size() < 2) return allreduce_ring(node_of.size(), bytes, out);
  const std::size_t local = nodes.front().size();
  const std::vector<double> parts = blocks(bytes, local);
  const auto pass_on = [&](const Sends& sends, const auto& position) {
    for (const Sent& sent : sends.list())
      out.add(position(sent.source), position(sent.destination), sent.bytes, sent.messages);
  };
  for (const std::vector<std::size_t>& node : nodes) {
    Sends inside;
    reduce_scatter_ring(parts, inside);
    allgather_ring(parts, inside);
    pass_on(inside, [&](std::size_t v) { return node[v]; });
  }
  for (std::size_t i = 0; i < local; ++i) {
    Sends across;
    allreduce_ring(nodes.size(), parts[i], across);
    pass_on(across, [&](std::size_t v) { return nodes[v][i]; });
  }
}

}  // namespace topowise::collective
