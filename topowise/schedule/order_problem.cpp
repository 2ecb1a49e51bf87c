// SPDX-License-Identifier: BSD-3-Clause
// A set of active messages is one number in a mixed radix, with one digit a queue. Small numbers index a table
// directly, large ones go through a hash table. Rows are made when they are first needed.
//
// The table is what bounds the speed of everything above it, so it must be small: the fifty thousand sets of a 3D halo
// of eight GPUs hold only 82 different speeds. A row is therefore a list of 16-bit numbers of speeds, one a queue; rows
// and speeds together stay in the second-level cache.
#include <topowise/schedule/order_problem.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <topowise/base/error.hpp>
#include <topowise/predict/congestion/tolerance.hpp>

namespace topowise {
namespace {

constexpr std::uint64_t kLargestDense = std::uint64_t{1} << 23;  ///< entries: 16 MB
constexpr std::size_t kLanes = 4;
constexpr std::size_t kMostNumbers = std::numeric_limits<ItemNumber>::max();  ///< one number stands for "nothing left"
constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kMostImages = 64;                   ///< more images cost more time than they save
constexpr std::size_t kMostCodes = std::size_t{1} << 26;  ///< 128 MB of rows; beyond that all rows are made anew
constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15ULL;
/// Rates that differ by less than this share of the unit are one speed, because the difference is rounding.
constexpr double kRateGrain = 1e-12;

OrderItem& item_of(OrderQueue& queue, CongestionModel::Flow flow, double bytes) {
  for (OrderItem& item : queue.items) {
    if (item.flow == flow && item.bytes == bytes) return item;
  }
  return queue.items.emplace_back(OrderItem{flow, bytes, {}});
}

}  // namespace

OrderProblem::OrderProblem(CongestionModel& model, const Exchange& exchange, const Mapping& mapping) : model_(model) {
  if (exchange.ranks() > mapping.ranks()) {
    throw bad_input(
        fmt::format("the exchange names rank {}, the mapping has {} ranks", exchange.ranks() - 1, mapping.ranks()));
  }
  make_queues(exchange, mapping);
  number_sets();
}

void OrderProblem::make_queues(const Exchange& exchange, const Mapping& mapping) {
  std::map<std::uint32_t, std::size_t> queue_of_port;
  for (std::uint32_t m = 0; m < exchange.communications().size(); ++m) {
    const Communication& message = exchange.communications()[m];
    if (message.start != exchange.communications().front().start) {
      throw bad_input(fmt::format("communication {} starts at {}, others do not: their order is given by their start",
                                  m, to_string(message.start)),
                      "topowise predict plays messages in the order of their start");
    }
    const Place from = mapping[message.source];
    const Place to = mapping[message.destination];
    if (from == to || message.bytes.value() == 0) continue;  // such a message takes no time
    const CongestionModel::Flow flow = model_.flow(from, to);
    const auto [entry, is_new] = queue_of_port.try_emplace(model_.port(flow), queues_.size());
    if (is_new) {
      if (queues_.size() == kMostNumbers)
        throw bad_input(fmt::format("the messages leave by more than {} ports", kMostNumbers));
      queues_.push_back({from, {}, 0});
      given_.emplace_back();
    }
    OrderQueue& queue = queues_[entry->second];
    OrderItem& item = item_of(queue, flow, message.bytes.value());
    item.messages.push_back(m);
    ++queue.message_count;
    ++message_count_;
    if (queue.items.size() > kMostNumbers) {
      throw bad_input(fmt::format("'{}' sends more than {} kinds of messages", model_.topology().vertex_of(from).name,
                                  kMostNumbers));
    }
    given_[entry->second].push_back(static_cast<ItemNumber>(&item - queue.items.data()));
  }
}

void OrderProblem::number_sets() {
  stride_ = std::max<std::size_t>(1, (queues_.size() + kLanes - 1) / kLanes) * kLanes;
  std::uint64_t keys = 1;
  for (const OrderQueue& queue : queues_) {
    place_value_.push_back(keys);
    const std::uint64_t radix = queue.items.size() + 1;
    if (keys > std::numeric_limits<std::uint64_t>::max() / radix) exact_keys_ = false;
    keys *= radix;
  }
  if (!exact_keys_) {  // an odd multiplier spreads the digits over the whole word
    for (std::size_t q = 0; q < place_value_.size(); ++q) place_value_[q] = (2 * q + 1) * kSpread;
  }
  is_dense_ = exact_keys_ && keys * stride_ <= kLargestDense;
  if (is_dense_) {  // a key is the offset of its row
    for (std::uint64_t& place_value : place_value_) place_value *= stride_;
    rows_.assign(keys * stride_, kMissing);
  } else {
    hashed_.resize(kFirstSlots);
  }
}

double OrderProblem::order_count() const {
  double log_count = 0;
  for (const OrderQueue& queue : queues_) {
    log_count += std::lgamma(static_cast<double>(queue.message_count) + 1);
    for (const OrderItem& item : queue.items) log_count -= std::lgamma(static_cast<double>(item.messages.size()) + 1);
  }
  const double count = std::exp(log_count);
  return count < 1e15 ? std::round(count) : count;
}

OrderProblem::ActiveItems OrderProblem::nothing_active() const {
  ActiveItems active;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    active.items.push_back(static_cast<ItemNumber>(queues_[q].items.size()));
    active.key += digit(q, queues_[q].items.size());
  }
  return active;
}

std::uint16_t OrderProblem::code_of(double rate, double bytes) {
  if (rate <= kTolerance * model_.unit().value()) return 0;
  const auto grain = static_cast<std::int64_t>(std::llround(rate / model_.unit().value() / kRateGrain));
  const auto [entry, is_new] = code_of_.try_emplace({grain, bytes}, static_cast<std::uint16_t>(shares_.size()));
  if (is_new) {
    shares_.push_back(rate / bytes);
    inverses_.push_back(bytes / rate);
  }
  return entry->second;
}

void OrderProblem::make_row(const ActiveItems& active, std::size_t begin) {
  flows_.clear();
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (active.items[q] < queues_[q].items.size()) flows_.push_back(queues_[q].items[active.items[q]].flow);
  }
  rates_.resize(flows_.size());
  model_.rates(flows_, rates_);
  std::fill_n(rows_.begin() + static_cast<std::ptrdiff_t>(begin), stride_, std::uint16_t{0});
  std::size_t next = 0;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (active.items[q] == queues_[q].items.size()) continue;
    rows_[begin + q] = code_of(rates_[next++], queues_[q].items[active.items[q]].bytes);
  }
  ++sets_;
}

void OrderProblem::use_symmetries(std::span<const OrderSymmetry> symmetries) {
  images_.clear();
  if (!is_dense_) return;
  first_digit_.assign(1, 0);
  for (const OrderQueue& queue : queues_) first_digit_.push_back(first_digit_.back() + queue.items.size() + 1);
  for (const OrderSymmetry& symmetry : symmetries.first(std::min(kMostImages, symmetries.size()))) {
    Image image{symmetry.queue, {}};
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      for (const ItemNumber item : symmetry.item[q]) image.digits.push_back(digit(symmetry.queue[q], item));
      image.digits.push_back(digit(symmetry.queue[q], queues_[q].items.size()));
    }
    images_.push_back(std::move(image));
  }
}

void OrderProblem::copy_to_images(const ActiveItems& active) {
  const std::uint16_t* row = &rows_[active.key];
  for (const Image& image : images_) {
    std::uint64_t key = 0;
    for (std::size_t q = 0; q < queues_.size(); ++q) key += image.digits[first_digit_[q] + active.items[q]];
    std::uint16_t* copy = &rows_[key];
    if (copy[0] != kMissing) continue;
    std::fill_n(copy, stride_, std::uint16_t{0});
    for (std::size_t q = 0; q < queues_.size(); ++q) copy[image.queue[q]] = row[q];
  }
}

OrderProblem::ActiveItems OrderProblem::active_of(std::uint64_t key) const {
  ActiveItems active;
  active.key = key;
  for (std::size_t q = 0; q < queues_.size(); ++q)
    active.items.push_back(static_cast<ItemNumber>(key / place_value_[q] % (queues_[q].items.size() + 1)));
  return active;
}

void OrderProblem::forget_rows() {
  row_items_.clear();
  row_count_ = 0;
  shares_.resize(1);
  inverses_.resize(1);
  code_of_.clear();
  if (is_dense_) {
    std::ranges::fill(rows_, kMissing);
  } else {
    rows_.clear();
    hashed_.assign(kFirstSlots, Slot{});
  }
}

void OrderProblem::grow() {
  std::vector<Slot> old(hashed_.size() * 2);
  old.swap(hashed_);
  const std::size_t mask = hashed_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.row == 0) continue;
    std::size_t at = (slot.key * kSpread >> 20) & mask;
    while (hashed_[at].row != 0) at = (at + 1) & mask;
    hashed_[at] = slot;
  }
}

const std::uint16_t* OrderProblem::find_row(const ActiveItems& active) {
  if (shares_.size() + queues_.size() >= kMissing || (!is_dense_ && rows_.size() > kMostCodes)) forget_rows();
  if (!is_dense_) return &rows_[find_hashed(active) * stride_];
  if (rows_[active.key] == kMissing) {
    make_row(active, active.key);
    copy_to_images(active);
  }
  return &rows_[active.key];
}

std::size_t OrderProblem::find_hashed(const ActiveItems& active) {
  const auto same = [&](const Slot& slot) {
    if (slot.key != active.key) return false;
    return exact_keys_ || std::equal(active.items.begin(), active.items.end(),
                                     row_items_.begin() + static_cast<std::ptrdiff_t>((slot.row - 1) * queues_.size()));
  };
  const std::size_t mask = hashed_.size() - 1;
  std::size_t at = (active.key * kSpread >> 20) & mask;
  while (hashed_[at].row != 0) {
    if (same(hashed_[at])) return hashed_[at].row - 1;
    at = (at + 1) & mask;
  }
  const std::size_t row = row_count_++;
  rows_.resize(rows_.size() + stride_);
  make_row(active, row * stride_);
  if (!exact_keys_) row_items_.insert(row_items_.end(), active.items.begin(), active.items.end());
  hashed_[at] = {active.key, static_cast<std::uint32_t>(row + 1)};
  if (2 * row_count_ > hashed_.size()) grow();
  return row;
}

}  // namespace topowise
