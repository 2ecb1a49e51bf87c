// SPDX-License-Identifier: BSD-3-Clause
// Ranks onto a torus, a mesh or a dragonfly, however large: both are cut into halves again and again, and exchanges of
// two ranks follow.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <topowise/mapper/network/halves.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/large_network.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// How much work the cuts and exchanges get. What they find does not depend on the clock as long as that does not end
/// them.
struct NetworkEffort {
  int tries = 2;         ///< first halves of each division, of which the best is kept
  int sweeps = 4;        ///< over all ranks, each trying exchanges with what is near its partners
  bool anneals = false;  ///< with the rest of the time
};

/// Divides the ranks as the places are divided: halves of the traffic with few bytes between them (graph_halves), each
/// drawn to the side that is nearer to what its ranks exchange bytes with elsewhere. Nothing if the deadline passes
/// before all ranks have their place. If ranks have loads, a place may bear more than it can.
[[nodiscard]] std::optional<Mapping> divide_onto_network(const MapProblem& problem, const multilevel::Graph& graph,
                                                         int tries, std::uint64_t seed, const Deadline& deadline);

/// Divides ranks as the places are divided, by a rule: divide(node, ranks, low) puts the ranks of the node's lower
/// half, `low` in number, to the front.
using DivideRanks =
    std::function<void(const NetworkHalves::Node& node, std::span<std::uint32_t> ranks, std::size_t low)>;
[[nodiscard]] Mapping divide_by_rule(const NetworkHalves& halves, std::size_t ranks, const DivideRanks& divide);

/// Exchanges each rank with those near its partners, or moves it to a free place there, where that lowers the
/// hop-bytes, until a sweep gains nothing. Never worse than `start`. For ranks without loads.
[[nodiscard]] Mapping exchange_on_network(const MapProblem& problem, const multilevel::Graph& graph,
                                          const Mapping& start, int sweeps, std::uint64_t seed,
                                          const Deadline& deadline);

/// Simulated annealing by such exchanges and moves, `trials` of them, and a few sweeps at the end. What it finds is
/// never worse than `start`, and no worse if the deadline comes later.
[[nodiscard]] Mapping anneal_on_network(const MapProblem& problem, const multilevel::Graph& graph, const Mapping& start,
                                        std::size_t trials, std::uint64_t seed, const Deadline& deadline);

}  // namespace topowise
