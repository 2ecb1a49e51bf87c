// SPDX-License-Identifier: BSD-3-Clause
// An exchange whose order is open: queues of messages, and the rates of every set that can be on the wires.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>

namespace topowise {

using QueueNumber = std::uint16_t;
using ItemNumber = std::uint16_t;  ///< number of an item within its queue

/// Messages of one queue that are alike: the same flow and size. The order among them does not matter.
struct OrderItem {
  CongestionModel::Flow flow = 0;
  double bytes = 0;
  std::vector<std::uint32_t> messages;  ///< indices in the exchange
};

/// The messages that leave one port, one at a time.
struct OrderQueue {
  Place source;
  std::vector<OrderItem> items;
  std::size_t message_count = 0;
};

/// The order of every queue, as the numbers of its items; one entry a message.
using Order = std::vector<std::vector<ItemNumber>>;

/// A permutation of the queues and of their items under which every route becomes a route of equal links.
struct OrderSymmetry {
  std::vector<QueueNumber> queue;             ///< image of each queue
  std::vector<std::vector<ItemNumber>> item;  ///< by queue: images of its items, in the image queue
};

/// Queues of messages whose order is to be found. Latencies are left out, because they add the same to every order. Not
/// to be shared between threads.
class OrderProblem {
 public:
  /// Throws Error(bad_input) for messages that start at different times, for more than 65,535 queues or kinds of
  /// messages of a queue, and what CongestionModel::flow() throws.
  OrderProblem(CongestionModel& model, const Exchange& exchange, const Mapping& mapping);

  [[nodiscard]] const CongestionModel& model() const { return model_; }
  [[nodiscard]] std::span<const OrderQueue> queues() const { return queues_; }
  [[nodiscard]] std::size_t message_count() const { return message_count_; }
  /// Number of different orders; infinite if it does not fit a double.
  [[nodiscard]] double order_count() const;
  /// The order of the exchange as it was given.
  [[nodiscard]] const Order& given() const { return given_; }

  /// The messages on the wires: for each queue the item that it sends, or its number of items if it has nothing left.
  /// `key` says the same as one number; the caller keeps it up to date.
  struct ActiveItems {
    std::uint64_t key = 0;
    std::vector<ItemNumber> items;
  };
  [[nodiscard]] std::uint64_t digit(std::size_t queue, std::size_t item) const { return place_value_[queue] * item; }
  [[nodiscard]] ActiveItems nothing_active() const;
  void set_active(ActiveItems& active, std::size_t queue, ItemNumber item) const {
    active.key += digit(queue, item) - digit(queue, active.items[queue]);
    active.items[queue] = item;
  }

  /// Makes each computation of a set also give the rows of its images, where is_dense().
  void use_symmetries(std::span<const OrderSymmetry> symmetries);

  static constexpr double kNever = 1e300;
  /// Speeds of queues, by number of the speed: the share of its message that a queue sends in a second, and the inverse
  /// of that, which is kNever for speed 0.
  struct Speeds {
    const double* share = nullptr;
    const double* inverse = nullptr;
  };
  /// The number of its speed in speeds(), for each of stride() queues. A queue that sends nothing has speed number 0,
  /// which is a speed of 0, and so has each entry after the last queue. Valid until the next call.
  [[nodiscard]] const std::uint16_t* row(const ActiveItems& active) {
    if (is_dense_) {
      const std::uint16_t* row = &rows_[active.key];
      if (row[0] != kMissing) return row;
    }
    return find_row(active);
  }
  /// The same where is_dense(), because a set is its key then.
  [[nodiscard]] const std::uint16_t* row(std::uint64_t key) {
    const std::uint16_t* row = &rows_[key];
    return row[0] != kMissing ? row : find_row(active_of(key));
  }
  /// Announces that this set may be needed soon, where is_dense().
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&rows_[key]); }
  [[nodiscard]] bool is_dense() const { return is_dense_; }
  /// The speeds, valid until the next call of row().
  [[nodiscard]] Speeds speeds() const { return {shares_.data(), inverses_.data()}; }
  /// A multiple of 4 above 0 that is not below the number of queues.
  [[nodiscard]] std::size_t stride() const { return stride_; }
  /// Active sets computed so far.
  [[nodiscard]] std::size_t sets() const { return sets_; }

 private:
  void make_queues(const Exchange& exchange, const Mapping& mapping);
  void number_sets();
  [[nodiscard]] ActiveItems active_of(std::uint64_t key) const;
  const std::uint16_t* find_row(const ActiveItems& active);
  std::size_t find_hashed(const ActiveItems& active);
  void make_row(const ActiveItems& active, std::size_t begin);
  void copy_to_images(const ActiveItems& active);
  std::uint16_t code_of(double rate, double bytes);
  void grow();
  void forget_rows();

  CongestionModel& model_;
  std::vector<OrderQueue> queues_;
  std::size_t message_count_ = 0;
  Order given_;
  std::size_t stride_ = 0;
  std::vector<std::uint64_t> place_value_;
  bool exact_keys_ = true;  ///< the key tells two sets apart; else it is only a hash
  bool is_dense_ = false;   ///< rows_ has a row for every key; rows that were not needed yet begin with kMissing
  static constexpr std::uint16_t kMissing = 0xffff;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t row = 0;  ///< number of the row + 1; 0: free
  };
  std::vector<Slot> hashed_;
  std::vector<std::uint16_t> rows_;
  std::vector<ItemNumber> row_items_;  ///< by row: its set, where keys are not exact
  std::size_t row_count_ = 0;
  std::vector<double> shares_{0.0};  ///< by speed
  std::vector<double> inverses_{kNever};
  std::map<std::pair<std::int64_t, double>, std::uint16_t> code_of_;  ///< by rate in units of kRateGrain, and bytes
  std::size_t sets_ = 0;
  struct Image {
    std::vector<QueueNumber> queue;     ///< image of each queue
    std::vector<std::uint64_t> digits;  ///< by queue and item, idle included: what the item's image adds to the key
  };
  std::vector<Image> images_;
  std::vector<std::size_t> first_digit_;  ///< by queue: its first index in Image::digits
  std::vector<CongestionModel::Flow> flows_;
  std::vector<double> rates_;
};

}  // namespace topowise
