// SPDX-License-Identifier: BSD-3-Clause
// A depth-first walk over the decisions of an exchange. A decision is due when a message ends: which one does its queue
// send next? What comes before a decision is played once for all orders that agree so far. That is why most orders cost
// about two time steps, although each has some twenty.
#include <topowise/schedule/enumerate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/schedule/playback.hpp>
#include <topowise/schedule/symmetry.hpp>

namespace topowise {
namespace {

constexpr double kMostOrders = 1e12;
constexpr std::size_t kStepsBetweenCalls = std::size_t{1} << 20;

class Walk {
 public:
  Walk(OrderProblem& problem, const EnumerationWatch& watch)
      : problem_(problem), watch_(watch), active_(problem.nothing_active()) {
    left_.resize((problem.message_count() + 2) * problem.stride(), 1.0);
    rest_.item.resize(problem.queues().size());
    rest_.count.resize(problem.queues().size());
    for (const OrderQueue& queue : problem.queues()) {
      kinds_.push_back(queue.items.size());
      open_choices_ += queue.items.size() > 1;
      first_.push_back(unsent_.size());
      for (const OrderItem& item : queue.items) unsent_.push_back(static_cast<std::uint32_t>(item.messages.size()));
      order_.emplace_back();
      to_send_.push_back(queue.message_count);
    }
    result_.total = problem.order_count();
  }

  Enumeration run() && {
    const std::vector<OrderSymmetry> symmetries = find_symmetries(problem_);
    problem_.use_symmetries(symmetries);
    if (first_move_count(problem_) <= kMostFirstMoves) {
      result_.symmetries = symmetries.size();
      for (const FirstMove& move : first_moves(problem_, symmetries)) {
        weight_ = move.weight;
        for (std::size_t q = 0; q < move.items.size(); ++q) begin(q, move.items[q]);
        play(0, 0.0, problem_.queues().size());
        for (std::size_t q = move.items.size(); q-- > 0;) take_back(q, move.items[q]);
        if (!result_.complete) break;
      }
    } else {
      choose(0, all_queues(), 0.0, problem_.queues().size());
    }
    result_.evaluated = result_.times.count();
    result_.sets = problem_.sets();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::uint64_t all_queues() const {
    return problem_.queues().size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << problem_.queues().size()) - 1;
  }
  [[nodiscard]] double* left(std::size_t depth) { return left_.data() + depth * problem_.stride(); }

  void begin(std::size_t queue, ItemNumber item) {
    if (--unsent_[first_[queue] + item] == 0) open_choices_ -= --kinds_[queue] == 1;
    --to_send_[queue];
    order_[queue].push_back(item);
    problem_.set_active(active_, queue, item);
  }
  void take_back(std::size_t queue, ItemNumber item) {
    if (++unsent_[first_[queue] + item] == 1) open_choices_ += ++kinds_[queue] == 2;
    ++to_send_[queue];
    order_[queue].pop_back();
    problem_.set_active(active_, queue, static_cast<ItemNumber>(problem_.queues()[queue].items.size()));
  }

  /// Plays on to the next end, when every queue knows what it sends. `running` queues are not done.
  void play(std::size_t depth, double time, std::size_t running) {
    if (result_.steps >= next_call_) call_watch();
    if (!result_.complete) return;
    if (open_choices_ == 0) {
      play_rest(depth, time);
      return;
    }
    ++result_.steps;
    double* after = left(depth + 1);
    const std::uint16_t* row = problem_.row(active_);
    time += step_to_next_end(row, problem_.speeds(), left(depth), after, problem_.stride());
    check_moves(time);
    choose(depth + 1, ended_queues(after, problem_.stride()), time, running);
  }

  /// Plays on to the last end, when no choice is open any more.
  void play_rest(std::size_t depth, double time) {
    for (std::size_t q = 0; q < rest_.item.size(); ++q) {
      rest_.count[q] = static_cast<std::uint32_t>(to_send_[q]);
      if (to_send_[q] > 0) rest_.item[q] = remaining_item(q);
    }
    std::copy_n(left(depth), problem_.stride(), left(depth + 1));
    const ForcedEnd end = play_forced(problem_, active_, left(depth + 1), rest_);
    result_.steps += end.steps;
    check_moves(end.seconds);
    finish(time + end.seconds);
  }

  [[nodiscard]] ItemNumber remaining_item(std::size_t queue) const {
    ItemNumber item = 0;
    while (unsent_[first_[queue] + item] == 0) ++item;
    return item;
  }

  static void check_moves(double seconds) {
    if (seconds >= OrderProblem::kNever) {
      throw bad_input("an order exists in which messages wait for each other for ever", "--tau with a smaller value");
    }
  }

  /// Tries everything that the first queue of `open` can send next; for each it does the same with the other queues.
  void choose(std::size_t depth, std::uint64_t open, double time, std::size_t running) {
    if (open == 0) {
      play(depth, time, running);
      return;
    }
    const auto queue = static_cast<std::size_t>(std::countr_zero(open));
    const std::uint64_t rest = open & (open - 1);
    const ItemNumber before = active_.items[queue];
    double& left_of_queue = left(depth)[queue];
    const double left_before = left_of_queue;
    left_of_queue = 1.0;
    const std::size_t items = problem_.queues()[queue].items.size();
    if (to_send_[queue] == 0) {
      problem_.set_active(active_, queue, static_cast<ItemNumber>(items));
      choose(depth, rest, time, running - 1);
    } else {
      for (ItemNumber item = 0; item < items; ++item) {
        if (unsent_[first_[queue] + item] == 0) continue;
        begin(queue, item);
        choose(depth, rest, time, running);
        take_back(queue, item);
      }
    }
    problem_.set_active(active_, queue, before);
    left_of_queue = left_before;
  }

  [[nodiscard]] Order whole_order() const {
    Order order = order_;
    for (std::size_t q = 0; q < order.size(); ++q)
      if (to_send_[q] > 0) order[q].insert(order[q].end(), to_send_[q], remaining_item(q));
    return order;
  }

  void finish(double time) {
    result_.times.add(time, weight_);
    evaluated_ += weight_;
    if (result_.best_order.empty() || time < result_.best.value()) {
      result_.best = Seconds(time);
      result_.best_order = whole_order();
    }
    if (time > result_.worst.value()) {
      result_.worst = Seconds(time);
      result_.worst_order = whole_order();
    }
  }

  void call_watch() {
    next_call_ = result_.steps + kStepsBetweenCalls;
    if (watch_) result_.complete = watch_({evaluated_, result_.total, result_.best});
  }

  OrderProblem& problem_;
  const EnumerationWatch& watch_;
  OrderProblem::ActiveItems active_;
  std::vector<double> left_;        ///< by depth and queue: the share of the message that is left
  std::vector<std::size_t> first_;  ///< by queue: its first index in unsent_
  std::vector<std::uint32_t> unsent_;
  std::vector<std::size_t> to_send_;
  std::vector<std::size_t> kinds_;  ///< by queue: how many kinds of messages it has not begun
  std::size_t open_choices_ = 0;    ///< queues with more than one such kind
  ForcedRest rest_;
  std::size_t next_call_ = kStepsBetweenCalls;
  Order order_;  ///< the choices made so far
  double weight_ = 1;
  double evaluated_ = 0;
  Enumeration result_;
};

}  // namespace

double Distribution::count() const {
  double sum = 0;
  for (const Entry& entry : entries_) sum += entry.count;
  return sum;
}

void Distribution::compress() {
  std::ranges::sort(entries_, {}, &Entry::value);
  // The bits of positive doubles have the same order as the doubles.
  const auto cell = [this](double value) { return std::bit_cast<std::uint64_t>(value) >> dropped_bits_; };
  for (;; dropped_bits_ += 2) {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      if (cell(entries_[i].value) == cell(entries_[kept].value)) {
        entries_[kept].count += entries_[i].count;
      } else {
        entries_[++kept] = entries_[i];
      }
    }
    entries_.resize(kept + 1);
    if (entries_.size() <= kMost / 2) return;
  }
}

/// Sorts only the entries of one cell of a coarse histogram.
double Distribution::quantile(double share) const {
  if (entries_.empty()) return 0.0;
  const auto [low, high] = std::ranges::minmax(entries_, {}, &Entry::value);
  constexpr std::size_t kCells = 4096;
  const double scale = high.value > low.value ? (kCells - 1) / (high.value - low.value) : 0.0;
  const auto cell_of = [&, low = low.value](double value) { return static_cast<std::size_t>((value - low) * scale); };
  std::vector<double> cells(kCells, 0.0);
  for (const Entry& entry : entries_) cells[cell_of(entry.value)] += entry.count;
  const double wanted = share * count();
  double below = 0;
  std::size_t cell = 0;
  while (cell + 1 < kCells && below + cells[cell] < wanted) below += cells[cell++];
  std::vector<Entry> inside;
  std::ranges::copy_if(entries_, std::back_inserter(inside),
                       [&](const Entry& entry) { return cell_of(entry.value) == cell; });
  std::ranges::sort(inside, {}, &Entry::value);
  for (const Entry& entry : inside) {
    below += entry.count;
    if (below >= wanted) return entry.value;
  }
  return high.value;
}

std::vector<Distribution::Bin> Distribution::histogram(std::size_t bins) const {
  if (entries_.empty() || bins == 0) return {};
  const auto [smallest, largest] = std::ranges::minmax(entries_, {}, &Entry::value);
  const double low = smallest.value;
  const double width = (largest.value - low) / static_cast<double>(bins);
  std::vector<Bin> result;
  for (std::size_t i = 0; i < bins; ++i)
    result.push_back({low + width * static_cast<double>(i), low + width * static_cast<double>(i + 1), 0});
  for (const Entry& entry : entries_) {
    const auto bin = width > 0 ? static_cast<std::size_t>((entry.value - low) / width) : 0;
    result[std::min(bin, bins - 1)].count += entry.count;
  }
  return result;
}

Enumeration enumerate_orders(OrderProblem& problem, const EnumerationWatch& watch) {
  if (problem.order_count() > kMostOrders || problem.queues().size() > 64) {
    const double count = problem.order_count();
    const std::string orders = std::isfinite(count) ? fmt::format("{:.3g} orders", count) : "more than 10^308 orders";
    throw bad_input(orders + " are too many to try them all",
                    "without --enumerate the search looks for the best order only");
  }
  return Walk(problem, watch).run();
}

}  // namespace topowise
