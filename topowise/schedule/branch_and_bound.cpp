// SPDX-License-Identifier: BSD-3-Clause
// Depth-first branch and bound over the decisions of an exchange. A decision is due when messages end: what do their
// queues send next? Every answer is played to the next end, and bounded by the time so far plus the work that remains
// (remaining_work.hpp). Answers with the smallest bound are followed first; those that cannot beat the best order known
// are dropped. The first decision is for all queues at once. Of its answers only one of each class is tried: first
// moves that the symmetries of the exchange carry into each other are one class.
#include <topowise/schedule/branch_and_bound.hpp>

#include <algorithm>
#include <bit>
#include <limits>

#include <topowise/schedule/playback.hpp>
#include <topowise/schedule/remaining_work.hpp>
#include <topowise/schedule/symmetry.hpp>

namespace topowise {
namespace {

/// An order that is better by less than this share is not looked for, because the difference is rounding.
constexpr double kWorthwhile = 1e-10;
constexpr std::uint64_t kStepsBetweenCalls = 4096;

class Search {
 public:
  Search(OrderProblem& problem, const SearchLimits& limits)
      : problem_(problem), limits_(limits), active_(problem.nothing_active()), work_(problem) {
    rest_.item.resize(problem.queues().size());
    rest_.count.resize(problem.queues().size());
    order_.resize(problem.queues().size());
    for (const OrderQueue& queue : problem.queues()) {
      unsent_.emplace_back();
      for (const OrderItem& item : queue.items)
        unsent_.back().push_back(static_cast<std::uint32_t>(item.messages.size()));
      to_send_.push_back(queue.message_count);
    }
  }

  FoundOrder run(const Order& incumbent) && {
    best_.order = incumbent;
    best_.makespan = Seconds(play_order(problem_, incumbent));
    const std::vector<double> whole(problem_.stride(), 1.0);
    const double root = work_.bound(active_, whole.data());
    std::vector<Branch> branches;
    const std::vector<OrderSymmetry> symmetries = find_symmetries(problem_);
    problem_.use_symmetries(symmetries);
    for (const FirstMove& move : first_moves(problem_, symmetries)) {
      choices_.clear();
      for (std::size_t q = 0; q < move.items.size(); ++q)
        choices_.push_back({static_cast<QueueNumber>(q), move.items[q]});
      consider(branches, whole, 0.0);
    }
    follow(branches);
    best_.lower_bound = Seconds(std::max(root, std::min(best_.makespan.value(), open_bound_)));
    return std::move(best_);
  }

 private:
  struct Choice {
    QueueNumber queue = 0;
    ItemNumber item = 0;
  };
  /// One answer to a decision, played to the next end.
  struct Branch {
    double bound = 0;
    double time = 0;
    std::vector<Choice> choices;
    std::vector<double> left;
  };

  void apply(const std::vector<Choice>& choices) {
    for (const Choice& choice : choices) {
      --unsent_[choice.queue][choice.item];
      --to_send_[choice.queue];
      order_[choice.queue].push_back(choice.item);
      work_.begin(choice.queue, choice.item);
      problem_.set_active(active_, choice.queue, choice.item);
    }
  }
  void undo(const std::vector<Choice>& choices, std::span<const ItemNumber> before) {
    for (const Choice& choice : choices) {
      ++unsent_[choice.queue][choice.item];
      ++to_send_[choice.queue];
      order_[choice.queue].pop_back();
      work_.take_back(choice.queue, choice.item);
      problem_.set_active(active_, choice.queue, before[choice.queue]);
    }
  }
  [[nodiscard]] bool hopeless(double bound) const { return bound >= best_.makespan.value() * (1 - kWorthwhile); }

  /// Plays `choices_` to the next end, and keeps the branch if it can still give the best order.
  void consider(std::vector<Branch>& branches, const std::vector<double>& left, double time) {
    const std::vector<ItemNumber> before = active_.items;
    apply(choices_);
    Branch branch;
    branch.left.resize(problem_.stride());
    const std::uint16_t* row = problem_.row(active_);
    branch.time = time + step_to_next_end(row, problem_.speeds(), left.data(), branch.left.data(), problem_.stride());
    ++best_.steps;
    if (branch.time < OrderProblem::kNever) {
      branch.bound = branch.time + work_.bound(active_, branch.left.data());
      if (!hopeless(branch.bound)) {
        branch.choices = choices_;
        branches.push_back(std::move(branch));
      }
    }
    undo(choices_, before);
  }

  void follow(std::vector<Branch>& branches) {
    std::ranges::sort(branches, {}, &Branch::bound);
    for (Branch& branch : branches) {
      if (hopeless(branch.bound)) return;
      if (out_of_time()) {
        open_bound_ = std::min(open_bound_, branch.bound);
        return;
      }
      const std::vector<ItemNumber> before = active_.items;
      apply(branch.choices);
      decide(branch.left, branch.time);
      undo(branch.choices, before);
    }
  }

  /// Decides what the queues send next whose messages have just ended.
  void decide(std::vector<double>& left, double time) {
    std::vector<QueueNumber> open;
    const std::vector<ItemNumber> before = active_.items;
    for (std::uint64_t ended = ended_queues(left.data(), left.size()); ended != 0; ended &= ended - 1) {
      const auto q = static_cast<std::size_t>(std::countr_zero(ended));
      left[q] = 1.0;
      problem_.set_active(active_, q, static_cast<ItemNumber>(problem_.queues()[q].items.size()));
      if (to_send_[q] > 0) open.push_back(static_cast<QueueNumber>(q));
    }
    if (nothing_open()) {
      play_rest(open, left, time);
    } else {
      std::vector<Branch> branches;
      choices_.clear();
      choose(branches, open, 0, left, time);
      follow(branches);
    }
    for (std::size_t q = 0; q < before.size(); ++q) problem_.set_active(active_, q, before[q]);
  }

  void choose(std::vector<Branch>& branches, const std::vector<QueueNumber>& open, std::size_t at,
              const std::vector<double>& left, double time) {
    if (at == open.size()) {
      consider(branches, left, time);
      return;
    }
    const QueueNumber queue = open[at];
    for (std::size_t item = 0; item < unsent_[queue].size(); ++item) {
      if (unsent_[queue][item] == 0) continue;
      choices_.push_back({queue, static_cast<ItemNumber>(item)});
      choose(branches, open, at + 1, left, time);
      choices_.pop_back();
    }
  }

  [[nodiscard]] bool nothing_open() const {
    return std::ranges::all_of(
        unsent_, [](const auto& items) { return std::ranges::count_if(items, [](auto n) { return n > 0; }) < 2; });
  }

  [[nodiscard]] ItemNumber remaining_item(std::size_t queue) const {
    const auto found = std::ranges::find_if(unsent_[queue], [](auto n) { return n > 0; });
    return static_cast<ItemNumber>(found - unsent_[queue].begin());
  }

  void play_rest(const std::vector<QueueNumber>& open, std::vector<double>& left, double time) {
    for (std::size_t q = 0; q < to_send_.size(); ++q) {
      rest_.count[q] = static_cast<std::uint32_t>(to_send_[q]);
      if (to_send_[q] > 0) rest_.item[q] = remaining_item(q);
    }
    for (const QueueNumber q : open) {
      problem_.set_active(active_, q, rest_.item[q]);
      --rest_.count[q];
    }
    const ForcedEnd end = play_forced(problem_, active_, left.data(), rest_);
    best_.steps += end.steps;
    if (hopeless(time + end.seconds)) return;
    best_.makespan = Seconds(time + end.seconds);
    best_.order = order_;
    for (std::size_t q = 0; q < to_send_.size(); ++q)
      if (to_send_[q] > 0) best_.order[q].insert(best_.order[q].end(), to_send_[q], remaining_item(q));
  }

  bool out_of_time() {
    if (stopped_) return true;
    if (best_.steps >= next_call_) {
      next_call_ = best_.steps + kStepsBetweenCalls;
      stopped_ = best_.steps > limits_.steps || limits_.stop();
    }
    return stopped_;
  }

  OrderProblem& problem_;
  const SearchLimits& limits_;
  OrderProblem::ActiveItems active_;
  RemainingWork work_;
  std::vector<std::vector<std::uint32_t>> unsent_;  ///< by queue and item: messages that have not begun
  std::vector<std::size_t> to_send_;
  Order order_;
  std::vector<Choice> choices_;
  ForcedRest rest_;
  FoundOrder best_;
  double open_bound_ = std::numeric_limits<double>::infinity();
  std::uint64_t next_call_ = kStepsBetweenCalls;
  bool stopped_ = false;
};

}  // namespace

FoundOrder branch_and_bound(OrderProblem& problem, const Order& incumbent, const SearchLimits& limits) {
  return Search(problem, limits).run(incumbent);
}

}  // namespace topowise
