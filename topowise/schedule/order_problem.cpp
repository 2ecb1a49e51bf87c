// SPDX-License-Identifier: BSD-3-Clause
// A set of active messages is one number in a mixed radix, a digit a queue. Small numbers index a table directly, large
// ones go through a hash table. Rows are made when they are first needed.
#include <topowise/schedule/order_problem.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <topowise/base/error.hpp>
#include <topowise/predict/tolerance.hpp>

namespace topowise {
namespace {

constexpr std::uint64_t kLargestDense = std::uint64_t{1} << 20;
constexpr std::size_t kLanes = 4;

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
  std::map<std::uint32_t, std::size_t> queue_of_port;
  for (std::uint32_t m = 0; m < exchange.communications().size(); ++m) {
    const Communication& message = exchange.communications()[m];
    if (message.start != exchange.communications().front().start)
      throw bad_input(fmt::format("communication {} starts at {}, others do not: their order is given by their start", m,
                                  to_string(message.start)),
                      "topowise predict plays messages in the order of their start");
    const Place from = mapping[message.source];
    const Place to = mapping[message.destination];
    if (from == to || message.bytes.value() == 0) continue;  // takes no time
    const CongestionModel::Flow flow = model.flow(from, to);
    const auto [entry, is_new] = queue_of_port.try_emplace(model.port(flow), queues_.size());
    if (is_new) {
      queues_.push_back({from, {}, 0});
      given_.emplace_back();
    }
    OrderQueue& queue = queues_[entry->second];
    OrderItem& item = item_of(queue, flow, message.bytes.value());
    item.messages.push_back(m);
    ++queue.message_count;
    ++message_count_;
    if (queue.items.size() > 255)
      throw bad_input(fmt::format("'{}' sends more than 255 kinds of messages",
                                  model.topology().vertex_of(from).name));
    given_[entry->second].push_back(static_cast<std::uint8_t>(&item - queue.items.data()));
  }
  stride_ = (queues_.size() + kLanes - 1) / kLanes * kLanes;
  std::uint64_t keys = 1;
  for (const OrderQueue& queue : queues_) {
    place_value_.push_back(keys);
    const std::uint64_t radix = queue.items.size() + 1;
    if (keys > std::numeric_limits<std::uint64_t>::max() / radix) exact_keys_ = false;
    keys *= radix;
  }
  if (!exact_keys_) {  // odd multipliers spread the digits over the whole word
    for (std::uint64_t& value : place_value_)
      value = (static_cast<std::uint64_t>(&value - place_value_.data()) * 2 + 1) * 0x9e3779b97f4a7c15ULL;
  }
  if (exact_keys_ && keys <= kLargestDense) {
    dense_.assign(keys, 0);
  } else {
    hashed_.resize(1024);
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
    active.items.push_back(static_cast<std::uint8_t>(queues_[q].items.size()));
    active.key += digit(q, queues_[q].items.size());
  }
  return active;
}

std::span<const double> OrderProblem::row(const ActiveItems& active) {
  std::size_t row = 0;
  if (!dense_.empty()) {
    if (dense_[active.key] == 0) dense_[active.key] = static_cast<std::uint32_t>(make_row(active) + 1);
    row = dense_[active.key] - 1;
  } else {
    row = find_hashed(active);
  }
  return std::span(rows_).subspan(row * 2 * stride_, 2 * stride_);
}

std::size_t OrderProblem::make_row(const ActiveItems& active) {
  flows_.clear();
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (active.items[q] < queues_[q].items.size()) flows_.push_back(queues_[q].items[active.items[q]].flow);
  }
  rates_.resize(flows_.size());
  model_.rates(flows_, rates_);
  const std::size_t begin = rows_.size();
  rows_.resize(begin + stride_, 0.0);
  rows_.resize(begin + 2 * stride_, kNever);
  std::size_t next = 0;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (active.items[q] == queues_[q].items.size()) continue;
    const double rate = rates_[next++];
    if (rate <= kTolerance * model_.unit().value()) continue;
    const double bytes = queues_[q].items[active.items[q]].bytes;
    rows_[begin + q] = rate / bytes;
    rows_[begin + stride_ + q] = bytes / rate;
  }
  if (!exact_keys_) row_items_.insert(row_items_.end(), active.items.begin(), active.items.end());
  return sets_++;
}

void OrderProblem::grow() {
  std::vector<Slot> old(hashed_.size() * 2);
  old.swap(hashed_);
  const std::size_t mask = hashed_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.row == 0) continue;
    std::size_t at = (slot.key * 0x9e3779b97f4a7c15ULL >> 20) & mask;
    while (hashed_[at].row != 0) at = (at + 1) & mask;
    hashed_[at] = slot;
  }
}

std::size_t OrderProblem::find_hashed(const ActiveItems& active) {
  const auto same = [&](const Slot& slot) {
    if (slot.key != active.key) return false;
    return exact_keys_ || std::equal(active.items.begin(), active.items.end(),
                                     row_items_.begin() + static_cast<std::ptrdiff_t>((slot.row - 1) * queues_.size()));
  };
  const std::size_t mask = hashed_.size() - 1;
  std::size_t at = (active.key * 0x9e3779b97f4a7c15ULL >> 20) & mask;
  while (hashed_[at].row != 0) {
    if (same(hashed_[at])) return hashed_[at].row - 1;
    at = (at + 1) & mask;
  }
  const std::size_t row = make_row(active);
  hashed_[at] = {active.key, static_cast<std::uint32_t>(row + 1)};
  if (2 * sets_ > hashed_.size()) grow();
  return row;
}

}  // namespace topowise
