// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/message_order.hpp>

#include <doctest/doctest.h>

using namespace topowise;

namespace {

Communication message(std::size_t from, std::size_t to, double start = 0) {
  return {Rank(from), Rank(to), Bytes(static_cast<double>(10 * from + to)), Seconds(start)};
}

/// Whom a rank sends to, in the order of the list.
std::vector<std::size_t> destinations(const Exchange& exchange, std::size_t rank) {
  std::vector<std::size_t> found;
  for (const Communication& each : exchange.communications())
    if (each.source.index() == rank) found.push_back(each.destination.index());
  return found;
}

}  // namespace

TEST_CASE("orders of messages that are ready at once") {
  const Exchange listed({message(2, 1), message(0, 3), message(2, 3), message(2, 0), message(0, 1)});
  using Ranks = std::vector<std::size_t>;
  CHECK(destinations(in_message_order(listed, MessageOrder::given), 2) == Ranks{1, 3, 0});
  CHECK(destinations(in_message_order(listed, MessageOrder::destination), 2) == Ranks{0, 1, 3});
  CHECK(destinations(in_message_order(listed, MessageOrder::rotation), 2) == Ranks{3, 0, 1});
  CHECK(destinations(in_message_order(listed, MessageOrder::pairs), 2) == Ranks{3, 0, 1});
  CHECK(destinations(in_message_order(listed, MessageOrder::pairs), 0) == Ranks{1, 3});
  const Exchange turned = in_message_order(listed, MessageOrder::destination);
  CHECK(turned.communications()[1] == message(0, 1));  // each source keeps its places in the list
  CHECK(turned.communications()[2].source == Rank(2));
}

TEST_CASE("what is ready later stays behind") {
  const Exchange listed({message(1, 0, 2), message(1, 2, 1), message(1, 3, 1)});
  CHECK(destinations(in_message_order(listed, MessageOrder::destination), 1) == std::vector<std::size_t>{2, 3, 0});
}
