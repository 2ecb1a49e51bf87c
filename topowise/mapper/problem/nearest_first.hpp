// SPDX-License-Identifier: BSD-3-Clause
// The vertices nearest to a given one, in order: Dijkstra's algorithm with a ring of buckets (Dial 1969), because
// lengths are small whole numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace topowise {

struct HalfEdge {
  std::uint32_t to = 0;
  std::uint32_t length = 1;  ///< 1 to kLongestEdge
};
constexpr std::uint32_t kLongestEdge = 4095;

/// Every edge stands in the rows of both its ends.
struct LengthGraph {
  std::vector<std::uint32_t> first{0};  ///< half edges of vertex v: [first[v], first[v+1])
  std::vector<HalfEdge> halves;
};

class NearestFirst {
 public:
  /// For graphs with at most so many vertices.
  explicit NearestFirst(std::size_t vertices)
      : buckets_(kLongestEdge + 1, kNone), distance_(vertices, kNone), position_(vertices, kNone), last_(vertices) {}

  /// Reaches vertices from `start` on until `enough(distance of the next)` or there are no more.
  template <class Enough>
  void run(const LengthGraph& graph, std::uint32_t start, const Enough& enough);

  [[nodiscard]] std::span<const std::uint32_t> order() const { return order_; }
  /// The position of a vertex in order(); above every other if the vertex was not reached.
  [[nodiscard]] std::uint32_t position(std::uint32_t vertex) const { return position_[vertex]; }
  [[nodiscard]] std::uint32_t distance(std::uint32_t vertex) const { return distance_[vertex]; }

  struct Step {
    std::uint32_t from = 0;
    std::uint32_t half = 0;  ///< index in the graph
  };
  /// The last step of a shortest path to a vertex that was reached and is not the start.
  [[nodiscard]] const Step& last_step(std::uint32_t vertex) const { return last_[vertex]; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Candidate {  // older, longer ways to a vertex stay in their buckets and are passed over
    std::uint32_t vertex, next;
  };

  void add(std::uint32_t vertex, std::uint32_t distance) {
    if (distance_[vertex] == kNone) seen_.push_back(vertex);
    distance_[vertex] = distance;
    std::uint32_t& bucket = buckets_[distance & kLongestEdge];
    candidates_.push_back({vertex, bucket});
    bucket = static_cast<std::uint32_t>(candidates_.size() - 1);
  }

  void forget() {
    for (const std::uint32_t vertex : seen_) distance_[vertex] = position_[vertex] = kNone;
    seen_.clear();
    order_.clear();
    candidates_.clear();
    if (stopped_) std::ranges::fill(buckets_, kNone);
    stopped_ = false;
  }

  std::vector<std::uint32_t> buckets_;  ///< by distance modulo their number: the first of a list of candidates
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> position_;
  std::vector<Step> last_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> seen_;
  bool stopped_ = false;  ///< the last run ended with candidates left
};

template <class Enough>
void NearestFirst::run(const LengthGraph& graph, std::uint32_t start, const Enough& enough) {
  forget();
  add(start, 0);
  std::size_t waiting = 1;
  for (std::uint32_t distance = 0; waiting > 0; ++distance) {
    std::uint32_t& bucket = buckets_[distance & kLongestEdge];
    while (bucket != kNone) {
      const std::uint32_t vertex = candidates_[bucket].vertex;
      bucket = candidates_[bucket].next;
      --waiting;
      if (position_[vertex] != kNone) continue;
      if (enough(distance)) {
        stopped_ = true;
        return;
      }
      position_[vertex] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(vertex);
      for (std::uint32_t r = graph.first[vertex]; r < graph.first[vertex + 1]; ++r) {
        const HalfEdge& half = graph.halves[r];
        if (distance + half.length >= distance_[half.to]) continue;
        add(half.to, distance + half.length);
        last_[half.to] = {vertex, r};
        ++waiting;
      }
    }
  }
}

}  // namespace topowise
