// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/exchange.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <topowise/base/error.hpp>

namespace topowise {

Exchange::Exchange(std::vector<Communication> communications) : communications_(std::move(communications)) {
  for (std::size_t i = 0; i < communications_.size(); ++i) {
    const Communication& message = communications_[i];
    if (message.source == message.destination)
      throw bad_input(fmt::format("communication {}: rank {} sends to itself", i, message.source.index()));
    for (const auto& [name, value] :
         {std::pair("size", message.bytes.value()), std::pair("start", message.start.value())}) {
      if (!std::isfinite(value) || value < 0)
        throw bad_input(fmt::format("communication {}: the {} is '{}'", i, name, value));
    }
    ranks_ = std::max({ranks_, message.source.index() + 1, message.destination.index() + 1});
  }
}

Exchange one_message_a_pair(const Traffic& traffic) {
  std::vector<Communication> messages;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.source != entry.destination && entry.bytes.value() > 0)
      messages.push_back({entry.source, entry.destination, entry.bytes, Seconds()});
  }
  return Exchange(std::move(messages));
}

}  // namespace topowise
