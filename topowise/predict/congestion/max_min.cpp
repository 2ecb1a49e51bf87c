// SPDX-License-Identifier: BSD-3-Clause
// Progressive filling (D. Bertsekas, R. Gallager, "Data Networks", section 6.5.2): all rates grow alike; a message
// stops when a link of its route is full or its own limit is reached.
//
// The next stop is the smallest of the links' equal shares and the messages' limits. A heap holds them; because a
// link's share never falls while messages stop below it, an entry that has become too small is put back with its new
// value instead of being searched for.
#include <topowise/predict/congestion/max_min.hpp>

#include <algorithm>

namespace topowise {

MaxMin::MaxMin(std::vector<double> capacities) : capacities_(std::move(capacities)), links_(capacities_.size()) {}

std::uint32_t MaxMin::add(std::vector<std::uint32_t> links) {
  paths_.push_back(std::move(links));
  return static_cast<std::uint32_t>(paths_.size() - 1);
}

void MaxMin::push(Candidate candidate) {
  candidates_.push_back(candidate);
  std::ranges::push_heap(candidates_, std::greater<>());
}

void MaxMin::place(std::span<const Message> messages) {
  used_.clear();
  users_.clear();
  candidates_.clear();
  path_of_.clear();
  settled_.assign(messages.size(), false);
  for (std::uint32_t m = 0; m < messages.size(); ++m) {
    path_of_.push_back(messages[m].path);
    for (const std::uint32_t id : paths_[messages[m].path]) {
      Link& link = links_[id];
      if (link.unsettled == 0) {
        used_.push_back(id);
        link.left = capacities_[id];
      }
      ++link.unsettled;
      users_.push_back({m, link.head});
      link.head = static_cast<std::int32_t>(users_.size() - 1);
    }
    push({messages[m].limit, static_cast<std::uint32_t>(capacities_.size()) + m});
  }
  for (const std::uint32_t id : used_) push({links_[id].share(), id});
}

void MaxMin::settle(std::size_t message, double rate, std::span<double> result) {
  if (settled_[message]) return;
  settled_[message] = true;
  result[message] = rate;
  for (const std::uint32_t id : paths_[path_of_[message]]) {
    links_[id].left = std::max(0.0, links_[id].left - rate);
    --links_[id].unsettled;
  }
}

void MaxMin::rates(std::span<const Message> messages, std::span<double> result) {
  place(messages);
  while (!candidates_.empty()) {
    std::ranges::pop_heap(candidates_, std::greater<>());
    const Candidate next = candidates_.back();
    candidates_.pop_back();
    if (next.item >= capacities_.size()) {
      settle(next.item - capacities_.size(), next.rate, result);
      continue;
    }
    const Link& link = links_[next.item];
    if (link.unsettled == 0) continue;
    if (link.share() > next.rate) {
      push({link.share(), next.item});
      continue;
    }
    for (std::int32_t user = link.head; user >= 0; user = users_[static_cast<std::size_t>(user)].next)
      settle(users_[static_cast<std::size_t>(user)].message, next.rate, result);
  }
  for (const std::uint32_t id : used_) links_[id].head = -1;
}

}  // namespace topowise
