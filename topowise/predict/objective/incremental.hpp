// SPDX-License-Identifier: BSD-3-Clause
// The cost of a mapping that changes a little at a time.
#pragma once

#include <memory>
#include <vector>

#include <topowise/predict/objective/objective.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// Holds a mapping and its cost, and says what a change would gain without computing the whole cost again. A gain is
/// the cost before minus the cost after, so positive is better. The caller must respect the capacities.
class IncrementalCost {
 public:
  virtual ~IncrementalCost() = default;

  [[nodiscard]] virtual double cost() const = 0;
  /// The two ranks change places.
  [[nodiscard]] virtual double swap_gain(Rank a, Rank b) = 0;
  [[nodiscard]] virtual double move_gain(Rank rank, Place to) = 0;
  virtual void swap(Rank a, Rank b) = 0;
  virtual void move(Rank rank, Place to) = 0;

  [[nodiscard]] Place place_of(Rank rank) const { return place_of_[rank.index()]; }
  [[nodiscard]] Mapping mapping() const { return Mapping(place_of_); }

 protected:
  explicit IncrementalCost(const Mapping& mapping) : place_of_(mapping.places().begin(), mapping.places().end()) {}
  std::vector<Place> place_of_;
};

/// `partners` must outlive the result.
[[nodiscard]] std::unique_ptr<IncrementalCost> incremental_hop_bytes(const Traffic& traffic, const Partners& partners,
                                                                     const Topology& topology, const Mapping& mapping,
                                                                     Metric metric);

/// Like max congestion, but tells two mappings apart that agree in it. `cost()` is the seconds of the fullest link plus
/// `smoothing` times a second term: the mean of the squares of all links' seconds, over the max congestion of `mapping`
/// at the start. A `smoothing` of 0 is the plain objective; a small number leads a search off plateaus.
[[nodiscard]] std::unique_ptr<IncrementalCost> incremental_congestion(const Traffic& traffic, const Partners& partners,
                                                                      const Topology& topology, const Mapping& mapping,
                                                                      double smoothing = 0);

/// The weighted sum of the two; `smoothing` is that of the congestion.
[[nodiscard]] std::unique_ptr<IncrementalCost> incremental_mix(const ObjectiveMix& mix, const Traffic& traffic,
                                                               const Partners& partners, const Topology& topology,
                                                               const Mapping& mapping, Metric metric,
                                                               double smoothing = 0);

/// Makes the cost of any objective but predicted_time. Each objective uses those of the other parameters that it knows.
[[nodiscard]] std::unique_ptr<IncrementalCost> incremental_cost(Objective objective, const Traffic& traffic,
                                                                const Partners& partners, const Topology& topology,
                                                                const Mapping& mapping, Metric metric,
                                                                const ObjectiveMix& mix = {}, double smoothing = 0);

}  // namespace topowise
