// SPDX-License-Identifier: BSD-3-Clause
// The host of a GPU is the nearest vertex that has memory or is a way into it: the host bridge above it, else its NUMA
// domain or package. A staged copy takes the links of PCIe and of the host alone. NVLink and xGMI from GPU to GPU take
// no part, but those that join a GPU to its processor (POWER9, GH200) do.
#include <topowise/graph/staged_routes.hpp>

#include <algorithm>
#include <optional>

namespace topowise {
namespace {

bool is_host(VertexKind kind) {
  return kind == VertexKind::root_complex || kind == VertexKind::numa_domain || kind == VertexKind::package;
}

bool is_device(VertexKind kind) {
  return kind == VertexKind::gpu || kind == VertexKind::nic || kind == VertexKind::nvswitch;
}

/// The shortest ways from one vertex by the links of the host. Devices forward nothing. Of equally short ways the links
/// with smaller numbers win.
class HostWays {
 public:
  HostWays(const TopologyParts& parts, VertexId from) : parts_(&parts), from_(from), reached_{from} {
    for (std::size_t next = 0; next < reached_.size(); ++next) {
      const VertexId at = reached_[next];
      if (at != from && is_device(kind_of(at))) continue;
      for (const LinkId id : parts.routing->links_from(at)) {
        const Link& link = parts.links[id.index()];
        if (link.to != from && is_usable(link) && by_.emplace(link.to, id).second) reached_.push_back(link.to);
      }
    }
  }

  /// The nearest host; nothing if none is reached.
  [[nodiscard]] std::optional<VertexId> host() const {
    const auto found = std::ranges::find_if(reached_, [&](VertexId id) { return is_host(kind_of(id)); });
    return found == reached_.end() ? std::nullopt : std::optional(*found);
  }

  /// The links to a vertex, in order; empty if it is not reached.
  [[nodiscard]] std::vector<LinkId> to(VertexId at) const {
    std::vector<LinkId> way;
    while (at != from_ && by_.contains(at)) {
      way.push_back(by_.at(at));
      at = parts_->links[way.back().index()].from;
    }
    std::ranges::reverse(way);
    return way;
  }

 private:
  [[nodiscard]] VertexKind kind_of(VertexId id) const { return parts_->vertices[id.index()].kind; }

  [[nodiscard]] bool is_usable(const Link& link) const {
    if (link.kind == LinkKind::network || link.kind == LinkKind::abstract) return false;
    return !is_bond(link.kind) || !is_device(kind_of(link.from)) || !is_device(kind_of(link.to));
  }

  const TopologyParts* parts_;
  VertexId from_;
  std::vector<VertexId> reached_;  ///< nearest first
  std::map<VertexId, LinkId> by_;  ///< the last link of the way to a vertex
};

}  // namespace

std::map<std::pair<Place, Place>, std::vector<LinkId>> staged_routes(const TopologyParts& parts) {
  std::map<Place, std::vector<Place>> destinations;
  for (const auto& [a, b] : parts.without_peer_access) {
    destinations[a].push_back(b);
    destinations[b].push_back(a);
  }
  std::map<std::pair<Place, Place>, std::vector<LinkId>> routes;
  for (const auto& [a, others] : destinations) {
    const HostWays ways(parts, parts.places[a.index()].vertex);
    const std::optional<VertexId> host = ways.host();
    if (!host) continue;
    const HostWays onward(parts, *host);
    for (const Place b : others) {
      const std::vector<LinkId> rest = onward.to(parts.places[b.index()].vertex);
      if (rest.empty()) continue;
      std::vector<LinkId> way = ways.to(*host);
      way.insert(way.end(), rest.begin(), rest.end());
      routes.emplace(std::pair(a, b), std::move(way));
    }
  }
  return routes;
}

}  // namespace topowise
