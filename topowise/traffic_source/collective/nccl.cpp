// SPDX-License-Identifier: BSD-3-Clause
// NCCL and RCCL: rings in the order of the ranks, and for small allreduces a pair of trees.
//
// Ring: each member passes blocks to its successor. A pair of binary trees (Sanders, Speck, Traff, "Two-tree algorithms
// for full bandwidth broadcast, reduction and scan", Parallel Computing 35, 2009; NCCL since 2.4): each tree reduces
// one half of the vector to its root and sends it down again, and whoever is a leaf in one tree is an inner vertex of
// the other. The shape of the trees is that of NCCL's graph/trees.cc, every member taken for a node of its own.
//
// NCCL chooses by its own forecast of both for the machine at hand. Here a tree is taken below kTreeBytesOfMember for
// each member: about there the 2 (n - 1) steps of a ring cost as much as the tree's lower throughput, for some
// microseconds a step and some 10 GB/s. NCCL_ALGO=Ring and Tree correspond to `nccl-ring` and `nccl-tree`.
#include <numeric>
#include <vector>

#include <topowise/traffic_source/collective/exchanges.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/collective/trees.hpp>

namespace topowise::collective {
namespace {

using profile::Operation;

constexpr double kTreeBytesOfMember = 262144;

enum class Allreduce { by_size, ring, trees };

/// The parent of `v` in NCCL's binary tree: 0 is the root, with one child.
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
  // The second tree is the first one mirrored, or for an odd number of members turned by one.
  const auto second = [&](std::size_t v) { return odd ? (v + 1) % members : members - 1 - v; };
  for (std::size_t v = 1; v < members; ++v) {
    const std::size_t parent = parent_in_tree(members, v);
    edge_of_allreduce(v, parent, half[0], out);
    edge_of_allreduce(second(v), second(parent), half[1], out);
  }
}

/// From the root's successor on to the root, the way that the ring goes.
void reduce_along_ring(std::size_t members, std::size_t root, double bytes, Sends& out) {
  for (std::size_t v = 1; v < members; ++v) out.add((root + v) % members, (root + v + 1) % members, bytes);
}

void expand(const Call& call, Allreduce way, Sends& out) {
  const std::size_t members = call.members;
  const std::vector<double> equal_parts(members, call.bytes);
  switch (call.operation) {
    case Operation::bcast:
      return broadcast(chain(members), call.root, call.bytes, out);
    case Operation::reduce:
      return reduce_along_ring(members, call.root, call.bytes, out);
    case Operation::allreduce: {
      const bool small = call.bytes < kTreeBytesOfMember * static_cast<double>(members) && members > 2;
      return way == Allreduce::trees || (way == Allreduce::by_size && small) ? allreduce_trees(members, call.bytes, out)
                                                                             : allreduce_ring(members, call.bytes, out);
    }
    case Operation::allgather:
      return allgather_ring(equal_parts, out);
    case Operation::allgatherv:
      return allgather_ring(call.parts, out);
    case Operation::reduce_scatter:
      return reduce_scatter_ring(call.parts, out);
    case Operation::reduce_scatter_block:
      return reduce_scatter_ring(equal_parts, out);
    default:
      return expand_linear(call, out);  // made of sends and receives, one for each partner
  }
}

}  // namespace

void expand_nccl(const Call& call, Sends& out) {
  expand(call, Allreduce::by_size, out);
}

void expand_nccl_ring(const Call& call, Sends& out) {
  expand(call, Allreduce::ring, out);
}

void expand_nccl_tree(const Call& call, Sends& out) {
  expand(call, Allreduce::trees, out);
}

void allreduce_hierarchical(const std::vector<std::size_t>& node_of, double bytes, Sends& out) {
  std::vector<std::vector<std::size_t>> nodes;  // positions of the members of each
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
