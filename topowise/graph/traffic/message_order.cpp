// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/message_order.hpp>

#include <algorithm>
#include <vector>

namespace topowise {
namespace {

/// The turn of a message among those of its source.
std::size_t turn(const Communication& message, MessageOrder order, std::size_t ranks) {
  const std::size_t from = message.source.index();
  const std::size_t to = message.destination.index();
  switch (order) {
    case MessageOrder::rotation:
      return (to + ranks - from) % ranks;
    case MessageOrder::pairs:
      return to ^ from;
    case MessageOrder::destination:
      return to;
    case MessageOrder::given:
      break;
  }
  return 0;
}

}  // namespace

Exchange in_message_order(const Exchange& exchange, MessageOrder order) {
  std::vector<Communication> messages(exchange.communications().begin(), exchange.communications().end());
  std::vector<std::vector<std::size_t>> places(exchange.ranks());
  for (std::size_t i = 0; i < messages.size(); ++i) places[messages[i].source.index()].push_back(i);
  const auto before = [&](const Communication& one, const Communication& other) {
    if (one.start != other.start) return one.start < other.start;
    return turn(one, order, exchange.ranks()) < turn(other, order, exchange.ranks());
  };
  for (const std::vector<std::size_t>& own : places) {
    std::vector<Communication> sorted;
    for (const std::size_t place : own) sorted.push_back(messages[place]);
    std::ranges::stable_sort(sorted, before);
    for (std::size_t i = 0; i < own.size(); ++i) messages[own[i]] = sorted[i];
  }
  return Exchange(std::move(messages));
}

}  // namespace topowise
