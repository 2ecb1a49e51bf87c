// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/active_set.hpp>

#include <algorithm>

namespace topowise {

ActiveSet::ActiveSet(const CongestionModel& model) : model_(model) {
  for (CongestionModel::Flow flow = 0; flow < model.flow_count(); ++flow)
    longest_ = std::max(longest_, model.links(flow).size());
  flow_.assign(model.port_count(), kNone);
  taken_.assign(model.port_count(), 0);
  entries_.resize(model.port_count() * longest_);
  head_.assign(model.link_count(), kEnd);
  seen_.assign(model.link_count(), 0);
}

void ActiveSet::insert(std::uint32_t port, CongestionModel::Flow flow) {
  flow_[port] = flow;
  const std::span<const std::uint32_t> links = model_.links(flow);
  for (std::size_t hop = 0; hop < links.size(); ++hop) {
    const std::size_t entry = entry_of(port, hop);
    std::int32_t& head = head_[links[hop]];
    entries_[entry] = {kEnd, head};
    if (head != kEnd) entries_[static_cast<std::size_t>(head)].previous = static_cast<std::int32_t>(entry);
    head = static_cast<std::int32_t>(entry);
  }
  if (links.empty()) {
    alone_.push_back(port);
  } else {
    changed_.push_back(links.front());
  }
}

void ActiveSet::erase(std::uint32_t port) {
  const std::span<const std::uint32_t> links = model_.links(flow_[port]);
  for (std::size_t hop = 0; hop < links.size(); ++hop) {
    const Entry entry = entries_[entry_of(port, hop)];
    if (entry.next != kEnd) entries_[static_cast<std::size_t>(entry.next)].previous = entry.previous;
    (entry.previous != kEnd ? entries_[static_cast<std::size_t>(entry.previous)].next : head_[links[hop]]) = entry.next;
    if (head_[links[hop]] != kEnd) changed_.push_back(links[hop]);
  }
  flow_[port] = kNone;
}

/// Collects the component that uses `link`, by a search over links and their users.
void ActiveSet::collect(std::uint32_t link) {
  component_.clear();
  const auto take_users = [this](std::uint32_t id) {
    seen_[id] = round_;
    for (std::int32_t entry = head_[id]; entry != kEnd; entry = entries_[static_cast<std::size_t>(entry)].next) {
      const auto port = static_cast<std::uint32_t>(static_cast<std::size_t>(entry) / longest_);
      if (taken_[port] == round_) continue;
      taken_[port] = round_;
      component_.push_back(port);
    }
  };
  take_users(link);
  for (std::size_t next = 0; next < component_.size(); ++next) {
    for (const std::uint32_t id : model_.links(flow_[component_[next]])) {
      if (seen_[id] != round_) take_users(id);
    }
  }
  std::ranges::sort(component_);
}

}  // namespace topowise
