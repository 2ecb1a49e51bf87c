// SPDX-License-Identifier: BSD-3-Clause
// The traffic, undirected, in pieces: every process holds the rows of its ranks, and knows which ranks of others it
// borders on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/graph/traffic/rank_range.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mpi/team.hpp>

namespace topowise::distributed {

using mpi::AgreedError;
using mpi::Team;

/// Vertices have local numbers: those of this process from 0, after them its *ghosts*, the neighbours that belong to
/// other processes, in the order of their ranks.
class GuestGraph {
 public:
  /// Collective. `entries` are what the ranks of this process' piece send.
  GuestGraph(const Team& team, std::size_t ranks, std::span<const TrafficEntry> entries);

  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] RankRange own() const { return own_; }
  [[nodiscard]] multilevel::GuestVertex own_size() const { return static_cast<multilevel::GuestVertex>(own_.size()); }
  /// Arcs of an own vertex; an edge weighs what both ranks send to each other.
  [[nodiscard]] std::span<const multilevel::Arc> arcs_of(multilevel::GuestVertex own_vertex) const;
  [[nodiscard]] std::span<const std::int64_t> first() const { return first_; }
  [[nodiscard]] std::span<const multilevel::Arc> arcs() const { return arcs_; }

  [[nodiscard]] std::size_t rank_of(multilevel::GuestVertex local) const {
    return local < own_size() ? own_.first + static_cast<std::size_t>(local)
                              : ghosts_[static_cast<std::size_t>(local - own_size())];
  }
  /// The local number of an own rank or a ghost.
  [[nodiscard]] multilevel::GuestVertex local_of(std::size_t rank) const;
  /// The process that holds a rank's row.
  [[nodiscard]] int owner_of(std::size_t rank) const;

  /// Collective. `values` has one element for each own vertex; the values of the ghosts are appended.
  template <class T>
  void add_ghosts(const Team& team, std::vector<T>& values) const {
    std::vector<std::vector<T>> outgoing(wanted_.size());
    for (std::size_t p = 0; p < wanted_.size(); ++p) {
      for (const std::uint32_t vertex : wanted_[p]) outgoing[p].push_back(values[vertex]);
    }
    values.resize(own_.size());
    // Ghosts are in the order of their ranks, and so are the ranges of the processes.
    for (const std::vector<T>& part : team.exchange(outgoing)) values.insert(values.end(), part.begin(), part.end());
  }

 private:
  void find_ghosts(const Team& team);

  std::size_t ranks_;
  std::size_t processes_;
  RankRange own_;
  std::vector<std::int64_t> first_{0};
  std::vector<multilevel::Arc> arcs_;
  std::vector<std::uint32_t> ghosts_;               ///< sorted
  std::vector<std::vector<std::uint32_t>> wanted_;  ///< own vertices that are ghosts of process p
};

}  // namespace topowise::distributed
