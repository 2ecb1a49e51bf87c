// SPDX-License-Identifier: BSD-3-Clause
// A weighted sum changes by the weighted sum of the changes.
#include <topowise/predict/objective/incremental.hpp>

namespace topowise {
namespace {

class IncrementalMix final : public IncrementalCost {
 public:
  IncrementalMix(const ObjectiveMix& mix, const Mapping& mapping, std::unique_ptr<IncrementalCost> hop_bytes,
                 std::unique_ptr<IncrementalCost> congestion)
      : IncrementalCost(mapping),
        hop_weight_(mix.hop_share / mix.hop_bytes),
        congestion_weight_((1 - mix.hop_share) / mix.congestion),
        hop_bytes_(std::move(hop_bytes)),
        congestion_(std::move(congestion)) {}

  double cost() const override { return hop_weight_ * hop_bytes_->cost() + congestion_weight_ * congestion_->cost(); }

  double swap_gain(Rank a, Rank b) override {
    return hop_weight_ * hop_bytes_->swap_gain(a, b) + congestion_weight_ * congestion_->swap_gain(a, b);
  }

  double move_gain(Rank rank, Place to) override {
    return hop_weight_ * hop_bytes_->move_gain(rank, to) + congestion_weight_ * congestion_->move_gain(rank, to);
  }

  void swap(Rank a, Rank b) override {
    hop_bytes_->swap(a, b);
    congestion_->swap(a, b);
    std::swap(place_of_[a.index()], place_of_[b.index()]);
  }

  void move(Rank rank, Place to) override {
    hop_bytes_->move(rank, to);
    congestion_->move(rank, to);
    place_of_[rank.index()] = to;
  }

 private:
  double hop_weight_, congestion_weight_;
  std::unique_ptr<IncrementalCost> hop_bytes_, congestion_;
};

}  // namespace

std::unique_ptr<IncrementalCost> incremental_mix(const ObjectiveMix& mix, const Traffic& traffic,
                                                 const Partners& partners, const Topology& topology,
                                                 const Mapping& mapping, Metric metric, double smoothing) {
  return std::make_unique<IncrementalMix>(mix, mapping,
                                          incremental_hop_bytes(traffic, partners, topology, mapping, metric),
                                          incremental_congestion(traffic, partners, topology, mapping, smoothing));
}

std::unique_ptr<IncrementalCost> incremental_cost(Objective objective, const Traffic& traffic, const Partners& partners,
                                                  const Topology& topology, const Mapping& mapping, Metric metric,
                                                  const ObjectiveMix& mix, double smoothing) {
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"  // an objective that is forgotten must not be searched by another one's gains
  switch (objective) {
    case Objective::mix:
      return incremental_mix(mix, traffic, partners, topology, mapping, metric, smoothing);
    case Objective::max_congestion:
      return incremental_congestion(traffic, partners, topology, mapping, smoothing);
    case Objective::hop_bytes:
    case Objective::predicted_time:  // has a search of its own, which begins with what is near
      break;
  }
#pragma GCC diagnostic pop
  return incremental_hop_bytes(traffic, partners, topology, mapping, metric);
}

}  // namespace topowise
