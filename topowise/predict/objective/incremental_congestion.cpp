// SPDX-License-Identifier: BSD-3-Clause
// Every link keeps its bytes. A change takes the bytes of the ranks' old routes off the links and adds those of the new
// routes. A gain adds up what each link would get and leaves the loads alone, so errors of rounding do not add up. Most
// gains touch none of the fullest links; only the others have to ask which link would be the fullest then.
#include <algorithm>
#include <vector>

#include <topowise/predict/objective/incremental.hpp>
#include <topowise/predict/objective/link_load.hpp>
#include <topowise/predict/objective/mapped_traffic.hpp>

namespace topowise {
namespace {

// The largest of many numbers that change one at a time.

/// A tournament tree: every inner node holds the larger of its two children. set() takes O(log n), largest() O(1).
class MaxTree {
 public:
  explicit MaxTree(std::size_t size) : leaves_(std::max<std::size_t>(size, 1)), node_(2 * leaves_, 0.0) {}

  [[nodiscard]] double operator[](std::size_t i) const { return node_[leaves_ + i]; }
  [[nodiscard]] double largest() const { return node_[1]; }

  void set(std::size_t i, double value) {
    std::size_t at = leaves_ + i;
    node_[at] = value;
    for (at /= 2; at > 0; at /= 2) {
      const double winner = std::max(node_[2 * at], node_[2 * at + 1]);
      if (node_[at] == winner) return;
      node_[at] = winner;
    }
  }

 private:
  std::size_t leaves_;
  std::vector<double> node_;
};

/// Routes between places, which are kept once they were asked for.
class RouteTable {
 public:
  explicit RouteTable(const Topology& topology) : topology_(topology), places_(topology.place_count()) {
    if (places_ <= kLargestKept) kept_.resize(places_ * places_);
  }

  template <class Visit>
  void for_each_link(Place from, Place to, Visit visit) {
    if (from == to) return;
    if (kept_.empty()) {
      for (const LinkId link : topology_.route(from, to)) visit(link);
      return;
    }
    std::vector<LinkId>& route = kept_[from.index() * places_ + to.index()];
    if (route.empty()) route = topology_.route(from, to);
    for (const LinkId link : route) visit(link);
  }

 private:
  static constexpr std::size_t kLargestKept = 512;
  const Topology& topology_;
  std::size_t places_;
  std::vector<std::vector<LinkId>> kept_;
};

class IncrementalCongestion final : public IncrementalCost {
 public:
  IncrementalCongestion(const Traffic& traffic, const Partners& partners, const Topology& topology,
                        const Mapping& mapping, double smoothing)
      : IncrementalCost(mapping),
        partners_(partners),
        topology_(topology),
        routes_(topology_),
        bytes_(topology.links().size(), 0.0),
        more_(topology.links().size(), 0.0),
        is_touched_(topology.links().size(), false),
        seconds_(topology.links().size()) {
    for (const Link& link : topology.links()) bandwidth_.push_back(link.bandwidth.value());
    const std::vector<Bytes> load = link_load(traffic, topology, mapping);
    const double at_start = max_congestion(topology, load).seconds.value();
    for (std::size_t l = 0; l < load.size(); ++l) set_bytes(l, load[l].value());
    // Division by the congestion at the start turns squares of seconds into seconds. It stays fixed.
    if (at_start > 0) square_weight_ = smoothing / (at_start * static_cast<double>(load.size()));
  }

  double cost() const override { return seconds_.largest() + square_weight_ * squares_; }

  double swap_gain(Rank a, Rank b) override {
    return tried([&] { swap(a, b); }, [&] { std::swap(place_of_[a.index()], place_of_[b.index()]); });
  }

  double move_gain(Rank rank, Place to) override {
    const Place from = place_of(rank);
    return tried([&] { move(rank, to); }, [&] { place_of_[rank.index()] = from; });
  }

  void swap(Rank a, Rank b) override {
    if (place_of(a) == place_of(b)) return;
    add_traffic_of(a, -1.0, a);
    add_traffic_of(b, -1.0, a);
    std::swap(place_of_[a.index()], place_of_[b.index()]);
    add_traffic_of(a, 1.0, a);
    add_traffic_of(b, 1.0, a);
  }

  void move(Rank rank, Place to) override {
    if (place_of(rank) == to) return;
    add_traffic_of(rank, -1.0, rank);
    place_of_[rank.index()] = to;
    add_traffic_of(rank, 1.0, rank);
  }

 private:
  /// What `change` would gain; `restore` takes it back from the places of ranks.
  template <class Change, class Restore>
  double tried(Change change, Restore restore) {
    is_trial_ = true;
    change();
    is_trial_ = false;
    restore();
    const double fullest = seconds_.largest();
    double most = 0;
    double squares = squares_;
    bool is_fullest = false;
    for (const std::size_t link : touched_) {
      const double before = seconds_[link];
      more_[link] = seconds_for(link, bytes_[link] + more_[link]);
      squares += more_[link] * more_[link] - before * before;
      most = std::max(most, more_[link]);
      is_fullest = is_fullest || before == fullest;
    }
    if (is_fullest && most < fullest)
      most = fullest_with_touched();
    else
      most = std::max(most, fullest);
    for (const std::size_t link : touched_) {
      more_[link] = 0;
      is_touched_[link] = false;
    }
    touched_.clear();
    return fullest - most + square_weight_ * (squares_ - squares);
  }

  /// The seconds of the fullest link if those that are touched had the seconds in `more_`.
  double fullest_with_touched() {
    old_.clear();
    for (const std::size_t link : touched_) {
      old_.push_back(seconds_[link]);
      seconds_.set(link, more_[link]);
    }
    const double fullest = seconds_.largest();
    for (std::size_t i = 0; i < touched_.size(); ++i) seconds_.set(touched_[i], old_[i]);
    return fullest;
  }

  /// `except` is the partner whose traffic with `rank` is left out, so that it is not counted twice if both move.
  void add_traffic_of(Rank rank, double sign, Rank except) {
    const Place here = place_of(rank);
    for (const Partner& partner : partners_.of(rank)) {
      if (partner.rank == except) continue;
      const Place there = place_of(partner.rank);
      if (partner.sent > 0) add(here, there, sign * partner.sent);
      if (partner.received > 0) add(there, here, sign * partner.received);
    }
  }

  void add(Place from, Place to, double bytes) {
    routes_.for_each_link(from, to, [&](LinkId id) {
      const std::size_t link = id.index();
      if (!is_trial_) return set_bytes(link, bytes_[link] + bytes);
      if (!is_touched_[link]) touched_.push_back(link);
      is_touched_[link] = true;
      more_[link] += bytes;
    });
  }

  [[nodiscard]] double seconds_for(std::size_t link, double bytes) const {
    return bytes > 0 ? bytes / bandwidth_[link] : 0.0;
  }

  void set_bytes(std::size_t link, double bytes) {
    const double before = seconds_[link];
    const double after = seconds_for(link, bytes);
    bytes_[link] = bytes;
    squares_ += after * after - before * before;
    seconds_.set(link, after);
  }

  const Partners& partners_;
  Topology topology_;
  RouteTable routes_;
  std::vector<double> bandwidth_;  ///< by link, as all of these
  std::vector<double> bytes_;
  std::vector<double> more_;  ///< of a trial: the bytes that are added, then the seconds
  std::vector<char> is_touched_;
  MaxTree seconds_;
  std::vector<std::size_t> touched_;  ///< links of a trial
  std::vector<double> old_;           ///< seconds of these
  double squares_ = 0;                ///< sum of the links' seconds squared
  double square_weight_ = 0;
  bool is_trial_ = false;
};

}  // namespace

std::unique_ptr<IncrementalCost> incremental_congestion(const Traffic& traffic, const Partners& partners,
                                                        const Topology& topology, const Mapping& mapping,
                                                        double smoothing) {
  check_mapped(traffic, topology, mapping);
  return std::make_unique<IncrementalCongestion>(traffic, partners, topology, mapping, smoothing);
}

}  // namespace topowise
