// SPDX-License-Identifier: BSD-3-Clause
// The congestion models see only routes, and which links they share. So a permutation of the messages is a symmetry if
// it comes from a one-to-one map of links to links of the same properties, which takes every route, link by link, to
// the route of the image. The search maps one item after the other, and gives up a branch as soon as a link would need
// two images.
#include <topowise/schedule/symmetry.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace topowise {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::size_t kMostItems = 512;
constexpr std::size_t kMostSymmetries = 10'000;
constexpr std::size_t kMostTrials = 1'000'000;

class Search {
 public:
  explicit Search(const OrderProblem& problem) : problem_(problem), model_(problem.model()) {
    for (std::uint32_t q = 0; q < problem.queues().size(); ++q) {
      for (std::uint32_t i = 0; i < problem.queues()[q].items.size(); ++i) items_.push_back({q, i});
    }
    link_image_.assign(model_.link_count(), kNone);
    link_taken_.assign(model_.link_count(), false);
    queue_image_.assign(problem.queues().size(), kNone);
    queue_taken_.assign(problem.queues().size(), false);
    image_.assign(items_.size(), kNone);
    taken_.assign(items_.size(), false);
  }

  /// All symmetries; nothing if the search was given up.
  std::vector<OrderSymmetry> run() {
    if (items_.size() > kMostItems) return {};
    descend(0);
    return gave_up_ ? std::vector<OrderSymmetry>{} : std::move(found_);
  }

 private:
  struct ItemId {
    std::uint32_t queue = 0, item = 0;
  };

  [[nodiscard]] const OrderItem& item(std::size_t flat) const {
    return problem_.queues()[items_[flat].queue].items[items_[flat].item];
  }

  [[nodiscard]] auto properties(std::uint32_t link) const {
    const std::uint32_t in_tree = model_.pcie_links().tree_link[link];
    const bool paper = model_.follows_paper(LinkId(link));
    const PcieTree::Link in = paper ? model_.pcie_links().tree.link(in_tree) : PcieTree::Link{};
    return std::tuple(paper, model_.link_limit(link), in.capacity, in.tau, in.leaves_root_complex, in.downward);
  }

  [[nodiscard]] bool alike(std::size_t a, std::size_t b) const {
    const OrderItem& one = item(a);
    const OrderItem& other = item(b);
    const OrderQueue& queue_a = problem_.queues()[items_[a].queue];
    const OrderQueue& queue_b = problem_.queues()[items_[b].queue];
    return one.bytes == other.bytes && one.messages.size() == other.messages.size() &&
           queue_a.message_count == queue_b.message_count && queue_a.items.size() == queue_b.items.size() &&
           model_.links(one.flow).size() == model_.links(other.flow).size() &&
           model_.rate_alone(one.flow) == model_.rate_alone(other.flow);
  }

  /// Extends the link map by the routes of the two items. Adds the links that it maps anew to `trail`.
  bool map_links(std::size_t a, std::size_t b, std::vector<std::uint32_t>& trail) {
    const std::span<const std::uint32_t> from = model_.links(item(a).flow);
    const std::span<const std::uint32_t> to = model_.links(item(b).flow);
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (link_image_[from[k]] == to[k]) continue;
      if (link_image_[from[k]] != kNone || link_taken_[to[k]] || properties(from[k]) != properties(to[k])) return false;
      link_image_[from[k]] = to[k];
      link_taken_[to[k]] = true;
      trail.push_back(from[k]);
    }
    return true;
  }

  void unmap_links(const std::vector<std::uint32_t>& trail) {
    for (const std::uint32_t link : trail) {
      link_taken_[link_image_[link]] = false;
      link_image_[link] = kNone;
    }
  }

  void descend(std::size_t a) {
    if (a == items_.size()) {
      if (found_.size() == kMostSymmetries)
        gave_up_ = true;
      else
        keep();
      return;
    }
    const std::uint32_t queue = items_[a].queue;
    for (std::size_t b = 0; b < items_.size() && !gave_up_; ++b) {
      const std::uint32_t target = items_[b].queue;
      const bool mapped = queue_image_[queue] != kNone;
      if (taken_[b] || (mapped ? queue_image_[queue] != target : queue_taken_[target]) || !alike(a, b)) continue;
      if (++trials_ > kMostTrials) gave_up_ = true;
      std::vector<std::uint32_t> trail;
      if (map_links(a, b, trail)) {
        queue_image_[queue] = target;
        queue_taken_[target] = true;
        taken_[b] = true;
        image_[a] = items_[b].item;
        descend(a + 1);
        taken_[b] = false;
        if (!mapped) {
          queue_image_[queue] = kNone;
          queue_taken_[target] = false;
        }
      }
      unmap_links(trail);
    }
  }

  void keep() {
    OrderSymmetry symmetry;
    symmetry.item.resize(queue_image_.size());
    for (const std::uint32_t image : queue_image_) symmetry.queue.push_back(static_cast<QueueNumber>(image));
    for (std::size_t a = 0; a < items_.size(); ++a)
      symmetry.item[items_[a].queue].push_back(static_cast<ItemNumber>(image_[a]));
    found_.push_back(std::move(symmetry));
  }

  const OrderProblem& problem_;
  const CongestionModel& model_;
  std::vector<ItemId> items_;
  std::vector<std::uint32_t> link_image_, queue_image_, image_;
  std::vector<bool> link_taken_, queue_taken_, taken_;
  std::vector<OrderSymmetry> found_;
  std::size_t trials_ = 0;
  bool gave_up_ = false;
};

OrderSymmetry identity(const OrderProblem& problem) {
  OrderSymmetry symmetry;
  symmetry.queue.resize(problem.queues().size());
  std::iota(symmetry.queue.begin(), symmetry.queue.end(), QueueNumber{0});
  for (const OrderQueue& queue : problem.queues()) {
    symmetry.item.emplace_back(queue.items.size());
    std::iota(symmetry.item.back().begin(), symmetry.item.back().end(), ItemNumber{0});
  }
  return symmetry;
}

}  // namespace

std::vector<OrderSymmetry> find_symmetries(const OrderProblem& problem) {
  std::vector<OrderSymmetry> found = Search(problem).run();
  if (found.empty()) found.push_back(identity(problem));
  return found;
}

double first_move_count(const OrderProblem& problem) {
  double count = 1;
  for (const OrderQueue& queue : problem.queues()) count *= static_cast<double>(queue.items.size());
  return count;
}

std::vector<FirstMove> first_moves(const OrderProblem& problem, const std::vector<OrderSymmetry>& symmetries) {
  const std::span<const OrderQueue> queues = problem.queues();
  const auto total = static_cast<std::uint32_t>(first_move_count(problem));
  std::vector<std::uint32_t> place(queues.size(), 1);
  for (std::size_t q = 1; q < queues.size(); ++q)
    place[q] = place[q - 1] * static_cast<std::uint32_t>(queues[q - 1].items.size());
  std::vector<FirstMove> found;
  std::vector<ItemNumber> digits(queues.size(), 0);
  for (std::uint32_t index = 0; index < total; ++index) {
    std::size_t fixed = 0;
    bool smallest = true;
    for (const OrderSymmetry& symmetry : symmetries) {
      std::uint32_t image = 0;
      for (std::size_t q = 0; q < digits.size(); ++q) image += place[symmetry.queue[q]] * symmetry.item[q][digits[q]];
      if (image < index) {
        smallest = false;
        break;
      }
      fixed += image == index;
    }
    if (smallest) found.push_back({digits, static_cast<double>(symmetries.size()) / static_cast<double>(fixed)});
    for (std::size_t q = 0; q < digits.size(); ++q) {
      if (++digits[q] < queues[q].items.size()) break;
      digits[q] = 0;
    }
  }
  return found;
}

}  // namespace topowise
