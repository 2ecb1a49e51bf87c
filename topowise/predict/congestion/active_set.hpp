// SPDX-License-Identifier: BSD-3-Clause
// Which flow is on which link now, and which flows can feel a change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/predict/congestion/congestion_model.hpp>

namespace topowise {

/// The flows that are on the wires, at most one a port. Flows that share a link, directly or in a chain of others, are
/// a *component*; one component does not feel what happens in another.
class ActiveSet {
 public:
  explicit ActiveSet(const CongestionModel& model);

  /// Both mark the links of the flow as changed.
  void insert(std::uint32_t port, CongestionModel::Flow flow);
  void erase(std::uint32_t port);

  [[nodiscard]] bool active(std::uint32_t port) const { return flow_[port] != kNone; }
  [[nodiscard]] CongestionModel::Flow flow(std::uint32_t port) const { return flow_[port]; }

  /// Calls `visit(ports)` for every component with a changed link, ports ascending. Afterwards nothing counts as
  /// changed.
  template <class Visit>
  void for_each_changed(Visit visit) {
    ++round_;
    for (const std::uint32_t link : changed_) {
      if (seen_[link] == round_) continue;
      collect(link);
      if (!component_.empty()) visit(std::span<const std::uint32_t>(component_));
    }
    for (const std::uint32_t port : alone_) {
      if (flow_[port] != kNone) visit(std::span<const std::uint32_t>(&port, 1));
    }
    changed_.clear();
    alone_.clear();
  }

 private:
  static constexpr CongestionModel::Flow kNone = 0xffffffff;
  static constexpr std::int32_t kEnd = -1;
  struct Entry {
    std::int32_t previous = kEnd;
    std::int32_t next = kEnd;
  };
  void collect(std::uint32_t link);
  [[nodiscard]] std::size_t entry_of(std::uint32_t port, std::size_t hop) const { return port * longest_ + hop; }

  const CongestionModel& model_;
  std::size_t longest_ = 0;                  ///< links of the longest route
  std::vector<CongestionModel::Flow> flow_;  ///< by port
  std::vector<Entry> entries_;               ///< by port and hop: lists of the users of each link
  std::vector<std::int32_t> head_;           ///< by link: the first entry of its list
  std::vector<std::uint32_t> seen_;          ///< by link: the round in which it was last collected
  std::vector<std::uint32_t> taken_;         ///< by port: the round in which it was last collected
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint32_t> alone_;  ///< changed ports whose flow has no link
  std::vector<std::uint32_t> component_;
  std::uint32_t round_ = 0;
};

}  // namespace topowise
