// SPDX-License-Identifier: BSD-3-Clause
// All mappings of a small problem, one of those that a prediction cannot tell apart.
#pragma once

#include <vector>

#include <topowise/mapper/problem/alike_places.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// What is done with each.
class ArrangementVisitor {
 public:
  virtual ~ArrangementVisitor() = default;

  /// A mapping. Returns false to end it.
  virtual bool visit(const std::vector<Place>& places) = 0;
  /// A rank is put on a place, before those behind it; fixed ranks come first. Returns false if no mapping that begins
  /// so is of interest.
  virtual bool put(std::size_t /*rank*/, Place /*place*/) { return true; }
  /// The rank that was put last leaves its place.
  virtual void take_away() {}
};

class Arrangements {
 public:
  /// Finds out which groups of places are alike; see alike_groups().
  explicit Arrangements(const MapProblem& problem);

  /// Visits the mappings in the order of the places of rank 0, then of rank 1 and so on, until the visitor ends it.
  /// Returns whether it came to the end.
  bool each(ArrangementVisitor& visitor);

  /// How many there are, but at most one more than `most`.
  [[nodiscard]] std::size_t count(std::size_t most);

 private:
  /// A place and what it turns into if its group changes places with an earlier one.
  struct Earlier {
    std::size_t own_group, other_group;
  };
  [[nodiscard]] std::size_t group_number(const std::vector<Place>& places);
  [[nodiscard]] bool is_like_an_earlier(Place place) const;
  void put(std::size_t rank, Place place);
  void take_away(std::size_t rank);
  bool each_from(std::size_t position, ArrangementVisitor& visitor);

  std::vector<Place> usable_;
  std::vector<std::size_t> left_;  ///< by place: room
  std::vector<FixedRank> fixed_;
  std::vector<std::size_t> movable_;                 ///< ranks that are not fixed
  std::vector<Place> place_of_;                      ///< by rank
  std::vector<std::vector<Place>> groups_;           ///< by number of the group
  std::vector<std::size_t> ranks_in_;                ///< by number of the group
  std::vector<std::vector<std::size_t>> groups_of_;  ///< by place
  std::vector<std::vector<Earlier>> earlier_;        ///< by place
};

}  // namespace topowise
