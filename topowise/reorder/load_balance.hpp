// SPDX-License-Identifier: BSD-3-Clause
// Vertices that do different amounts of work, on places of different power (vertex weights of both graphs in Rashti et
// al., EuroMPI 2011).
#pragma once

#include <utility>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/reorder/job_machine.hpp>

namespace topowise {

/// A place may do so much more than its share, as with 'map --loads'.
inline constexpr double kMostAboveShare = 0.03;

/// What the places of a job have to do. The share of a place is in proportion to its power.
class LoadBalance {
 public:
  /// `loads` of the vertices; empty: nothing is looked at.
  LoadBalance(std::vector<int> loads, const JobMachine& machine);

  [[nodiscard]] bool is_known() const { return !loads_.empty(); }
  /// How far the place that has the most for its share is above it: 0.5 is half more. 0 without loads.
  [[nodiscard]] double fullest(const Mapping& mapping) const;
  /// The less, the better: what the fullest place has above its share, then all work above the shares, as far as it is
  /// above kMostAboveShare. The same for all mappings without loads.
  [[nodiscard]] std::pair<double, double> burden(const Mapping& mapping) const;
  /// Exchanges vertices, first so that the burden falls, then so that the cost of `problem` falls and the burden does
  /// not grow. As many are on each place as before, or as there are processes. Ends by a count of trials.
  [[nodiscard]] Mapping improved(const MapProblem& problem, const Mapping& start) const;

 private:
  [[nodiscard]] std::vector<double> loads_of_places(const Mapping& mapping) const;

  std::vector<int> loads_;      ///< of vertices, then 0 for each process that plays none
  std::vector<double> share_;   ///< of places
  std::vector<int> processes_;  ///< of places
};

}  // namespace topowise
