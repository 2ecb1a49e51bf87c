// SPDX-License-Identifier: BSD-3-Clause
// Sums of bytes times costs without rounding.
//
// A local search goes on as long as something gains. If gains are sums of doubles that were rounded, one that is
// nothing but rounding can come again and again: with bytes of 1 and of 1e16 in one graph a search would walk in a
// circle. So the graph and the machine are given in multiples of powers of two, few enough that every sum of every
// search is a whole number below 2^53, which a double holds exactly. Whole numbers of bytes and of hops nearly always
// are such already; others are rounded, but the answer is evaluated with the numbers that were given. What is above 0
// stays above 0.
#pragma once

#include <span>

#include <topowise/mapper/problem/csr_graph.hpp>

namespace topowise::multilevel {

/// What weights and costs have to be multiples of; 0 if they are fit as they are.
struct ExactUnits {
  double weight = 0;
  double cost = 0;
};

[[nodiscard]] ExactUnits exact_units(const Graph& graph, std::span<const double> costs);

/// The nearest multiple of `unit` above 0; the number itself if it or `unit` is 0.
[[nodiscard]] double rounded_to(double value, double unit);

}  // namespace topowise::multilevel
