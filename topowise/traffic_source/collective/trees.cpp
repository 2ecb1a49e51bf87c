// SPDX-License-Identifier: BSD-3-Clause
// The shapes are those of Open MPI's coll/base (coll_base_topo.c) and of Thakur, Rabenseifner and Gropp, "Optimization
// of collective communication operations in MPICH", IJHPCA 19(1), 2005.
#include <topowise/traffic_source/collective/trees.hpp>

#include <bit>

#include <topowise/traffic_source/collective/exchanges.hpp>

namespace topowise::collective {
namespace {

template <class Parent>
Tree tree_of(std::size_t members, Parent parent) {
  Tree tree(members, 0);
  for (std::size_t v = 1; v < members; ++v) tree[v] = parent(v);
  return tree;
}

/// Number of positions in each subtree, its root included.
std::vector<double> subtree_sizes(const Tree& tree) {
  std::vector<double> sizes(tree.size(), 1);
  for (std::size_t v = tree.size(); v-- > 1;) sizes[tree[v]] += sizes[v];
  return sizes;
}

template <class Visit>
void each_edge(const Tree& tree, std::size_t root, Visit visit) {
  const std::size_t members = tree.size();
  for (std::size_t v = 1; v < members; ++v) visit(v, (tree[v] + root) % members, (v + root) % members);
}

void reduce_in_order_part(std::size_t first, std::size_t size, double bytes, Sends& out) {
  if (size < 2) return;
  const std::size_t top = first + size - 1;
  const std::size_t right = size / 2;
  out.add(top - 1, top, bytes);
  reduce_in_order_part(first + right, size - right - 1, bytes, out);
  if (size > 2) {
    out.add(first + right - 1, top, bytes);
    reduce_in_order_part(first, right, bytes, out);
  }
}

}  // namespace

Tree star(std::size_t members) {
  return tree_of(members, [](std::size_t) { return std::size_t{0}; });
}

Tree chain(std::size_t members) {
  return tree_of(members, [](std::size_t v) { return v - 1; });
}

Tree binomial_high(std::size_t members) {
  return tree_of(members, [](std::size_t v) { return v - std::bit_floor(v); });
}

Tree binomial_low(std::size_t members) {
  return tree_of(members, [](std::size_t v) { return v & (v - 1); });
}

Tree knomial(std::size_t members, std::size_t radix) {
  return tree_of(members, [radix](std::size_t v) {
    std::size_t unit = radix;
    while (v % unit == 0) unit *= radix;
    return v - v % unit;
  });
}

Tree binary(std::size_t members) {
  return tree_of(members, [](std::size_t v) {
    if (v <= 2) return std::size_t{0};
    const std::size_t above = std::bit_floor(v + 1) - 1;  // positions on the levels above the level of v
    const std::size_t step = (above + 1) / 2;             // positions on the level of the parent
    while (v >= above) v -= step;
    return v;
  });
}

void broadcast(const Tree& tree, std::size_t root, double bytes, Sends& out) {
  each_edge(tree, root, [&](std::size_t, std::size_t parent, std::size_t child) { out.add(parent, child, bytes); });
}

void reduce(const Tree& tree, std::size_t root, double bytes, Sends& out) {
  each_edge(tree, root, [&](std::size_t, std::size_t parent, std::size_t child) { out.add(child, parent, bytes); });
}

void scatter(const Tree& tree, std::size_t root, double block, Sends& out) {
  const std::vector<double> sizes = subtree_sizes(tree);
  each_edge(tree, root,
            [&](std::size_t v, std::size_t parent, std::size_t child) { out.add(parent, child, block * sizes[v]); });
}

void gather(const Tree& tree, std::size_t root, double block, Sends& out) {
  const std::vector<double> sizes = subtree_sizes(tree);
  each_edge(tree, root,
            [&](std::size_t v, std::size_t parent, std::size_t child) { out.add(child, parent, block * sizes[v]); });
}

void reduce_in_order(std::size_t members, std::size_t root, double bytes, Sends& out) {
  reduce_in_order_part(0, members, bytes, out);
  out.add(members - 1, root, bytes);
}

void broadcast_split_binary(std::size_t members, std::size_t root, double bytes, Sends& out) {
  const std::vector<double> half = blocks(bytes, 2);
  const auto rank = [&](std::size_t v) { return (v + root) % members; };
  const Tree tree = binary(members);
  // Odd positions are the left subtree, which gets the first half.
  for (std::size_t v = 1; v < members; ++v) out.add(rank(tree[v]), rank(v), half[v % 2 == 0 ? 1 : 0]);
  for (std::size_t v = 1; v + 1 < members; v += 2) {
    out.add(rank(v), rank(v + 1), half[0]);
    out.add(rank(v + 1), rank(v), half[1]);
  }
  if (members % 2 == 0 && members > 1) out.add(rank(0), rank(members - 1), half[1]);
}

}  // namespace topowise::collective
