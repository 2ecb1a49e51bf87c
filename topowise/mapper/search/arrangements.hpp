// SPDX-License-Identifier: BSD-3-Clause
// All mappings of a small problem, one of those that a prediction cannot distinguish.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

// A time that no mapping beats in which some ranks are where they are.

/// Adds up what the messages between ranks that have a place need at least. A port sends them one after the other, each
/// no faster than it is alone, and a link carries all of them no faster than the model lets it. For small machines.
class PartialTime {
 public:
  explicit PartialTime(const MapProblem& problem);

  void put(std::size_t rank, Place place);
  /// Takes away the rank that was put last.
  void take_away();
  /// Seconds.
  [[nodiscard]] double at_least() const { return least_.back(); }

 private:
  /// A message from one place to another.
  struct Way {
    std::uint32_t port = 0;
    double latency = 0;
    double seconds_a_byte = 0;                            ///< alone
    std::vector<std::pair<std::uint32_t, double>> links;  ///< with the seconds that each needs for a byte
  };
  [[nodiscard]] const Way& way(Place from, Place to) const;
  void add(Place from, Place to, double bytes, double sign);
  void add_messages(std::size_t rank, double sign);

  Partners partners_;
  std::vector<std::size_t> position_;  ///< by place
  std::size_t count_ = 0;              ///< of usable places
  std::vector<Way> ways_;              ///< by pair of positions
  std::vector<double> busy_;           ///< seconds, by link and then by port
  std::size_t links_ = 0;
  std::vector<std::optional<Place>> place_of_;  ///< by rank
  std::vector<std::size_t> order_;              ///< of ranks
  std::vector<double> least_{0.0};              ///< after each rank
  double most_busy_ = 0;
};

// Which groups of places may change places without any prediction noticing.

/// Two groups of usable places. If whatever is on `first[i]` and on `second[i]` changes places, for all i at once,
/// neither the predicted time of any traffic changes nor its hop-bytes.
struct AlikeGroups {
  std::vector<Place> first;
  std::vector<Place> second;
};

/// All such pairs among the GPUs of a board, the boards of a switch, the switches of a socket and so on. It looks at
/// all routes for each pair of groups: for small machines.
[[nodiscard]] std::vector<AlikeGroups> alike_groups(const MapProblem& problem);

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
