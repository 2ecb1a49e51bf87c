// SPDX-License-Identifier: BSD-3-Clause
// Source: M. Martinasso, G. Kwasniewski, S. R. Alam, T. C. Schulthess, T. Hoefler, "A PCIe congestion-aware performance
// model for densely populated accelerator servers", SC'16, Algorithm 1. docs/models/pcie-congestion.md says which
// reading of it this is, and where it goes beyond the paper.
//
// Every message walks along the links of its path. After each link it has a factor rho: the share of the reference
// bandwidth that is left to it there. At its source rho is 1 (step A, which sends one message a source at a time, is
// the caller's).
//
//   B  Up-links, leaves first. If the messages that want to cross a link add up to more than it carries, all of them
//      shrink by the same factor (equations 5 and 6; the paper's super communications cancel out).
//   C  Down-links, root first. Messages that arrive by the same link are a group. n groups share the port, and a group
//      gets 1/n at most. A group that holds a message through the root complex gets tau less, and the other groups get
//      that tau (equation 7). Leaving the root complex costs tau itself.
//   D  A message that must wait at a port makes those wait that are behind it in a queue: a message that shares a
//      link with it gets no more than its factor at that later port (equation 8). What the blocked messages leave
//      unused goes to the others, at the ports where they had met (equation 9).
//   E  No link carries more than its capacity: what equation 9 gives is cut where a link would carry more (this step
//      is ours; it never happens on the topologies of the paper).
//
// The links are numbered in the order of the visits, so B and C are one ascending pass over the links in use. A hop is
// one message on one link; the hop before it is the same message one link earlier. The users of a link are a list of
// hops, which becomes an array when the link is visited. Most links have a single user and take a short cut.
#include <topowise/predict/congestion/pcie_congestion.hpp>

#include <algorithm>
#include <bit>

#include <topowise/predict/congestion/tolerance.hpp>

namespace topowise {

PcieCongestion::PcieCongestion(PcieTree tree, FreedBandwidth freed)
    : tree_(std::move(tree)),
      freed_(freed),
      head_(tree_.link_count(), -1),
      group_of_(tree_.link_count() + tree_.vertices().size(), -1),
      extra_(tree_.link_count(), 0.0),
      touched_((tree_.link_count() + 63) / 64, 0) {
  shared_.reserve(tree_.link_count());
}

std::uint32_t PcieCongestion::add(const PciePath& path) {
  const auto begin = static_cast<std::uint32_t>(path_links_.size());
  path_links_.insert(path_links_.end(), path.links.begin(), path.links.end());
  const auto first_word = static_cast<std::uint32_t>(touches_.size());
  for (const std::uint32_t id : path.links) {
    if (touches_.size() == first_word || touches_.back().word != id / 64) touches_.push_back({id / 64, 0});
    touches_.back().bits |= std::uint64_t{1} << (id % 64);
  }
  paths_.push_back({begin, static_cast<std::uint32_t>(path_links_.size()), first_word,
                    static_cast<std::uint32_t>(touches_.size()), path.arrival, path.through_root_complex, path.entry,
                    path.ceiling});
  return static_cast<std::uint32_t>(paths_.size() - 1);
}

std::span<const std::uint32_t> PcieCongestion::links(std::uint32_t path) const {
  return std::span(path_links_).subspan(paths_[path].begin, paths_[path].end - paths_[path].begin);
}

void PcieCongestion::factors(std::span<const std::uint32_t> paths, std::span<double> result) {
  place(paths);
  arbitrate();
  if (any_conflict_ && block_heads()) {
    if (freed_ == FreedBandwidth::paper) {
      share_freed();
      guard_capacity();
    }
  }
  if (freed_ == FreedBandwidth::filled) fill();
  std::copy_n(final_.begin(), count_, result.begin());
}

PcieCongestion::Stages PcieCongestion::stages() const {
  const std::size_t hops = first_.empty() ? 0 : first_[count_];
  return {std::span(first_).first(count_ + 1), std::span(rho_).first(hops), std::span(blocked_).first(count_),
          std::span(final_).first(count_), std::span(conflict_).first(hops)};
}

void PcieCongestion::place(std::span<const std::uint32_t> paths) {
  count_ = paths.size();
  std::size_t hops = count_;
  for (const std::uint32_t path : paths) hops += paths_[path].end - paths_[path].begin;
  if (hops > rho_.size()) {
    for (auto* values : {&rho_, &tail_}) values->resize(hops);
    for (auto* values : {&link_, &message_, &users_}) values->resize(hops);
    next_.resize(hops);
    conflict_.resize(hops);
  }
  if (count_ + 1 > first_.size()) {
    first_.resize(count_ + 1);
    path_.resize(count_);
    for (auto* values : {&blocked_, &final_, &scale_}) values->resize(count_);
    held_.resize(count_);
  }
  std::uint32_t hop = 0;
  for (std::uint32_t c = 0; c < count_; ++c) {
    const Path& path = paths_[paths[c]];
    path_[c] = &path;
    first_[c] = hop;
    rho_[hop] = path.entry;
    link_[hop] = path.arrival;
    conflict_[hop] = 0;
    ++hop;
    for (std::uint32_t at = path.begin; at < path.end; ++at, ++hop) {
      const std::uint32_t id = path_links_[at];
      link_[hop] = id;
      message_[hop] = c;
      next_[hop] = head_[id];
      head_[id] = static_cast<std::int32_t>(hop);
      conflict_[hop] = 0;
    }
    for (std::uint32_t at = path.first_touch; at < path.end_touch; ++at)
      touched_[touches_[at].word] |= touches_[at].bits;
  }
  first_[count_] = hop;
}

/// Turns the list of users of a link into an array, because every later step walks along the users.
std::span<const std::uint32_t> PcieCongestion::share(std::uint32_t id) {
  const std::uint32_t begin = shared_.empty() ? 0 : shared_.back().end;
  std::uint32_t end = begin;
  for (std::int32_t hop = head_[id]; hop >= 0; hop = next_[hop]) users_[end++] = static_cast<std::uint32_t>(hop);
  head_[id] = -1;
  shared_.push_back({id, begin, end});
  return users(shared_.back());
}

void PcieCongestion::arbitrate() {
  shared_.clear();
  any_conflict_ = false;
  for (std::size_t word = 0; word < touched_.size(); ++word) {
    for (std::uint64_t bits = touched_[word]; bits != 0; bits &= bits - 1) {
      const auto id = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      const PcieTree::Link& link = tree_.link(id);
      const auto hop = static_cast<std::uint32_t>(head_[id]);
      if (next_[hop] < 0) {
        head_[id] = -1;
        arbitrate_alone(link, hop);
        continue;
      }
      const std::span<const std::uint32_t> users = share(id);
      if (link.downward) {
        arbitrate_down(link, users);
      } else {
        arbitrate_up(link, users);
      }
    }
    touched_[word] = 0;
  }
  for (std::size_t c = 0; c < count_; ++c) {
    blocked_[c] = rho_[first_[c + 1] - 1];
    final_[c] = blocked_[c];
  }
}

void PcieCongestion::arbitrate_alone(const PcieTree::Link& link, std::uint32_t hop) {
  rho_[hop] = std::min(rho_[hop - 1], link.leaves_root_complex ? link.capacity * (1.0 - link.tau) : link.capacity);
}

void PcieCongestion::arbitrate_up(const PcieTree::Link& link, std::span<const std::uint32_t> users) {
  double wanted = 0;
  for (const std::uint32_t hop : users) wanted += rho_[hop - 1];
  const bool conflict = wanted > link.capacity + kTolerance;
  const double scale = conflict ? link.capacity / wanted : 1.0;
  for (const std::uint32_t hop : users) {
    rho_[hop] = rho_[hop - 1] * scale;
    conflict_[hop] = conflict;
  }
  any_conflict_ |= conflict;
}

void PcieCongestion::arbitrate_down(const PcieTree::Link& link, std::span<const std::uint32_t> users) {
  collect_groups(users);
  limit_groups(link);
  // A single group can overflow a link only if the link is narrower than the one by which the group arrives.
  const bool conflict = groups_.size() > 1 || groups_.front().in > link.capacity + kTolerance;
  for (const std::uint32_t hop : users) {
    rho_[hop] = rho_[hop - 1] * groups_[static_cast<std::size_t>(group_of_[link_[hop - 1]])].scale;
    conflict_[hop] = conflict;
  }
  any_conflict_ |= conflict;
  for (const Group& group : groups_) group_of_[group.arrival] = -1;
}

void PcieCongestion::collect_groups(std::span<const std::uint32_t> users) {
  groups_.clear();
  for (const std::uint32_t hop : users) {
    const std::uint32_t arrival = link_[hop - 1];
    if (group_of_[arrival] < 0) {
      group_of_[arrival] = static_cast<std::int32_t>(groups_.size());
      groups_.push_back({arrival, false, 0.0, 1.0});
    }
    Group& group = groups_[static_cast<std::size_t>(group_of_[arrival])];
    group.in += rho_[hop - 1];
    group.behind_root_complex |= path_[message_[hop]]->through_root_complex;
  }
}

/// Equation 7, read for more than two groups, too.
void PcieCongestion::limit_groups(const PcieTree::Link& link) {
  const auto n = static_cast<double>(groups_.size());
  const auto behind = static_cast<double>(std::ranges::count(groups_, true, &Group::behind_root_complex));
  const double fair = 1.0 / n;
  double limit_behind = fair;
  double limit_other = fair;
  if (link.leaves_root_complex) {
    limit_behind = (1.0 - link.tau) * fair;
  } else if (behind > 0 && behind < n) {
    const double loss = std::min(link.tau, fair);
    limit_behind = fair - loss;
    limit_other = fair + loss * behind / (n - behind);
  }
  for (Group& group : groups_) {
    const double limit = link.capacity * (group.behind_root_complex ? limit_behind : limit_other);
    group.scale = group.in > limit ? limit / group.in : 1.0;
  }
}

}  // namespace topowise
