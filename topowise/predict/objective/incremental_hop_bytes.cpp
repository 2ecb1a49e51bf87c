// SPDX-License-Identifier: BSD-3-Clause
// A change of one or two ranks concerns only the terms with their partners, so a gain takes O(partners).
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/predict/objective/incremental.hpp>
#include <topowise/predict/objective/mapped_traffic.hpp>

namespace topowise {
namespace {

class IncrementalHopBytes final : public IncrementalCost {
 public:
  IncrementalHopBytes(const Traffic& traffic, const Partners& partners, const Topology& topology,
                      const Mapping& mapping, Metric metric)
      : IncrementalCost(mapping),
        partners_(partners),
        topology_(topology),
        metric_(metric),
        cost_(hop_bytes(traffic, topology, mapping, metric)) {}

  double cost() const override { return cost_; }

  double swap_gain(Rank a, Rank b) override {
    const Place pa = place_of(a);
    const Place pb = place_of(b);
    if (pa == pb) return 0;
    return leave_and_enter(a, pa, pb, b) + leave_and_enter(b, pb, pa, a) + mutual(a, b, pa, pb);
  }

  double move_gain(Rank rank, Place to) override { return leave_and_enter(rank, place_of(rank), to, rank); }

  void swap(Rank a, Rank b) override {
    cost_ -= swap_gain(a, b);
    std::swap(place_of_[a.index()], place_of_[b.index()]);
  }

  void move(Rank rank, Place to) override {
    cost_ -= move_gain(rank, to);
    place_of_[rank.index()] = to;
  }

 private:
  [[nodiscard]] double pair_cost(Place a, Place b) const { return topology_.pair_cost(metric_, a, b); }

  /// What `rank` saves by going from one place to another while all others stay; `except` is left out.
  [[nodiscard]] double leave_and_enter(Rank rank, Place from, Place to, Rank except) const {
    double gain = 0;
    for (const Partner& partner : partners_.of(rank)) {
      if (partner.rank == except) continue;
      const Place other = place_of(partner.rank);
      if (partner.sent > 0) gain += partner.sent * (pair_cost(from, other) - pair_cost(to, other));
      if (partner.received > 0) gain += partner.received * (pair_cost(other, from) - pair_cost(other, to));
    }
    return gain;
  }

  /// The change of what two ranks send each other when they exchange places: it then runs the opposite way.
  [[nodiscard]] double mutual(Rank a, Rank b, Place pa, Place pb) const {
    for (const Partner& partner : partners_.of(a)) {
      if (partner.rank == b) return (partner.sent - partner.received) * (pair_cost(pa, pb) - pair_cost(pb, pa));
    }
    return 0;
  }

  const Partners& partners_;
  Topology topology_;
  Metric metric_;
  double cost_;
};

}  // namespace

std::unique_ptr<IncrementalCost> incremental_hop_bytes(const Traffic& traffic, const Partners& partners,
                                                       const Topology& topology, const Mapping& mapping,
                                                       Metric metric) {
  check_mapped(traffic, topology, mapping);
  return std::make_unique<IncrementalHopBytes>(traffic, partners, topology, mapping, metric);
}

}  // namespace topowise
