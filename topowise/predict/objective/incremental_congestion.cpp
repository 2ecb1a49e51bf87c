// SPDX-License-Identifier: BSD-3-Clause
// Every link keeps its bytes. A change takes the bytes of the ranks' old routes off the links and adds those of the new
// routes. A gain makes the change and takes it back: it restores the old loads exactly, so errors of rounding do not
// add up.
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
        seconds_(topology.links().size()) {
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
  struct Old {
    std::size_t link;
    double bytes;
  };

  template <class Change, class Restore>
  double tried(Change change, Restore restore) {
    const double before = cost();
    const double squares_before = squares_;
    old_.clear();
    keep_old_ = true;
    change();
    keep_old_ = false;
    const double after = cost();
    restore();
    for (std::size_t i = old_.size(); i > 0; --i) set_bytes(old_[i - 1].link, old_[i - 1].bytes);
    squares_ = squares_before;
    return before - after;
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
    routes_.for_each_link(from, to, [&](LinkId link) {
      if (keep_old_) old_.push_back({link.index(), bytes_[link.index()]});
      set_bytes(link.index(), bytes_[link.index()] + bytes);
    });
  }

  void set_bytes(std::size_t link, double bytes) {
    const double before = seconds_[link];
    const double bandwidth = topology_.link(LinkId(link)).bandwidth.value();
    const double after = bytes > 0 ? bytes / bandwidth : 0.0;
    bytes_[link] = bytes;
    squares_ += after * after - before * before;
    seconds_.set(link, after);
  }

  const Partners& partners_;
  Topology topology_;
  RouteTable routes_;
  std::vector<double> bytes_;  ///< by link
  MaxTree seconds_;            ///< by link
  double squares_ = 0;         ///< sum of the links' seconds squared
  double square_weight_ = 0;
  std::vector<Old> old_;
  bool keep_old_ = false;
};

}  // namespace

std::unique_ptr<IncrementalCost> incremental_congestion(const Traffic& traffic, const Partners& partners,
                                                        const Topology& topology, const Mapping& mapping,
                                                        double smoothing) {
  check_mapped(traffic, topology, mapping);
  return std::make_unique<IncrementalCongestion>(traffic, partners, topology, mapping, smoothing);
}

}  // namespace topowise
