// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/distributed/guest_graph.hpp>

#include <algorithm>

namespace topowise::distributed {
namespace {

using multilevel::Arc;
using multilevel::GuestVertex;

/// An element of a row, with the number of the row's rank.
struct Half {
  std::uint32_t from;
  std::uint32_t to;
  double bytes;
};

}  // namespace

GuestGraph::GuestGraph(const Team& team, std::size_t ranks, std::span<const TrafficEntry> entries)
    : ranks_(ranks),
      processes_(static_cast<std::size_t>(team.size())),
      own_(piece_of(ranks, static_cast<std::size_t>(team.rank()), processes_)) {
  std::vector<Half> halves;
  std::vector<std::vector<Half>> outgoing(processes_);
  for (const TrafficEntry& entry : entries) {
    if (entry.source == entry.destination || !(entry.bytes.value() > 0)) continue;
    const auto from = static_cast<std::uint32_t>(entry.source.index());
    const auto to = static_cast<std::uint32_t>(entry.destination.index());
    halves.push_back({from, to, entry.bytes.value()});
    const Half back{to, from, entry.bytes.value()};
    if (own_.contains(to))
      halves.push_back(back);
    else
      outgoing[static_cast<std::size_t>(owner_of(to))].push_back(back);
  }
  for (const std::vector<Half>& part : team.exchange(outgoing)) halves.insert(halves.end(), part.begin(), part.end());
  outgoing.clear();
  std::ranges::stable_sort(halves, {}, [](const Half& half) { return std::pair(half.from, half.to); });

  first_.assign(own_.size() + 1, 0);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const bool repeated = i > 0 && halves[i].from == halves[i - 1].from && halves[i].to == halves[i - 1].to;
    if (repeated) {
      arcs_.back().weight += halves[i].bytes;
    } else {
      arcs_.push_back(
          {static_cast<GuestVertex>(halves[i].to), halves[i].bytes});  // the number of a rank, until ghosts are known
      ++first_[halves[i].from - own_.first + 1];
    }
  }
  for (std::size_t v = 0; v < own_.size(); ++v) first_[v + 1] += first_[v];
  find_ghosts(team);
  for (Arc& arc : arcs_) arc.to = local_of(static_cast<std::size_t>(arc.to));
}

void GuestGraph::find_ghosts(const Team& team) {
  for (const Arc& arc : arcs_) {
    if (!own_.contains(static_cast<std::size_t>(arc.to))) ghosts_.push_back(static_cast<std::uint32_t>(arc.to));
  }
  std::ranges::sort(ghosts_);
  ghosts_.erase(std::unique(ghosts_.begin(), ghosts_.end()), ghosts_.end());
  std::vector<std::vector<std::uint32_t>> wanted_of(processes_);
  for (const std::uint32_t ghost : ghosts_) wanted_of[static_cast<std::size_t>(owner_of(ghost))].push_back(ghost);
  wanted_ = team.exchange(wanted_of);
  for (std::vector<std::uint32_t>& part : wanted_) {
    for (std::uint32_t& rank : part) rank -= static_cast<std::uint32_t>(own_.first);
  }
}

std::span<const Arc> GuestGraph::arcs_of(GuestVertex own_vertex) const {
  const auto v = static_cast<std::size_t>(own_vertex);
  return std::span(arcs_).subspan(static_cast<std::size_t>(first_[v]),
                                  static_cast<std::size_t>(first_[v + 1] - first_[v]));
}

GuestVertex GuestGraph::local_of(std::size_t rank) const {
  if (own_.contains(rank)) return static_cast<GuestVertex>(rank - own_.first);
  const auto found = std::ranges::lower_bound(ghosts_, static_cast<std::uint32_t>(rank));
  return own_size() + static_cast<GuestVertex>(found - ghosts_.begin());
}

int GuestGraph::owner_of(std::size_t rank) const {
  // The inverse of piece_of(), whose rounding may put the border one piece further.
  std::size_t piece = rank * processes_ / ranks_;
  while (rank >= piece_of(ranks_, piece, processes_).end) ++piece;
  while (rank < piece_of(ranks_, piece, processes_).first) --piece;
  return static_cast<int>(piece);
}

}  // namespace topowise::distributed
