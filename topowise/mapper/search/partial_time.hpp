// SPDX-License-Identifier: BSD-3-Clause
// A time that no mapping beats in which some ranks are where they are.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

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

}  // namespace topowise
