// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/nearest_nics.hpp>

#include <algorithm>
#include <map>

#include <topowise/graph/route.hpp>

namespace topowise {
namespace {

void add(NearestNics& nearest, std::size_t nic, PathClass path) {
  if (!nearest.nics.empty() && nearest.path < path) return;
  if (nearest.nics.empty() || path < nearest.path) nearest = {path, {}};
  nearest.nics.push_back(nic);
}

/// Parts of the machine that stay connected without the network, each found from one of its vertices: a compute node,
/// or a rack that NVLink joins.
class Neighbourhoods {
 public:
  explicit Neighbourhoods(const Topology& topology) : topology_(topology), seen_(topology.vertices().size(), false) {}

  /// The vertices connected with `start`, ascending; none if they were returned before.
  std::vector<VertexId> around(VertexId start) {
    std::vector<VertexId> reached;
    const auto reach = [&](VertexId vertex) {
      if (seen_[vertex.index()]) return;
      seen_[vertex.index()] = true;
      reached.push_back(vertex);
    };
    reach(start);
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const LinkId link : topology_.links_from(reached[next])) {
        if (topology_.link(link).kind != LinkKind::network) reach(topology_.link(link).to);
      }
    }
    std::ranges::sort(reached);
    return reached;
  }

 private:
  const Topology& topology_;
  std::vector<bool> seen_;
};

/// Some vertices of a machine, numbered anew, with the links among them.
struct Extract {
  std::vector<Vertex> vertices;
  std::vector<Link> links;

  Extract(const Topology& topology, std::span<const VertexId> members) {
    const auto number_of = [&](VertexId vertex) -> std::optional<VertexId> {
      const auto found = std::ranges::lower_bound(members, vertex);
      if (found == members.end() || *found != vertex) return std::nullopt;
      return VertexId(static_cast<std::size_t>(found - members.begin()));
    };
    for (std::size_t v = 0; v < members.size(); ++v) {
      const Vertex& vertex = topology.vertex(members[v]);
      vertices.push_back({.kind = vertex.kind, .parent = vertex.parent ? number_of(*vertex.parent) : std::nullopt});
      for (const LinkId id : topology.links_from(members[v])) {
        const Link& link = topology.link(id);
        if (const std::optional<VertexId> to = number_of(link.to))
          links.push_back({.from = VertexId(v), .to = *to, .kind = link.kind, .width = link.width});
      }
    }
  }
};

/// The vertices of a list that are among `members`: their positions in the list, and their numbers in `members`.
struct Found {
  std::vector<std::size_t> positions;
  std::vector<VertexId> numbers;

  Found(const std::multimap<VertexId, std::size_t>& position_of, std::span<const VertexId> members) {
    for (std::size_t v = 0; v < members.size(); ++v) {
      const auto [begin, end] = position_of.equal_range(members[v]);
      for (auto each = begin; each != end; ++each) {
        positions.push_back(each->second);
        numbers.emplace_back(v);
      }
    }
  }
};

}  // namespace

std::vector<NearestNics> nearest_nics(const Topology& topology, std::span<const Place> places,
                                      std::span<const VertexId> candidates) {
  std::vector<NearestNics> result(places.size());
  if (candidates.empty()) return result;
  std::multimap<VertexId, std::size_t> place_at;
  std::multimap<VertexId, std::size_t> candidate_at;
  for (std::size_t p = 0; p < places.size(); ++p) place_at.emplace(topology.place(places[p]).vertex, p);
  for (std::size_t c = 0; c < candidates.size(); ++c) candidate_at.emplace(candidates[c], c);
  Neighbourhoods neighbourhoods(topology);
  for (const auto& [start, first] : place_at) {
    const std::vector<VertexId> members = neighbourhoods.around(start);
    const Found here(place_at, members);
    const Found nics(candidate_at, members);
    if (nics.positions.empty()) continue;
    const Extract part(topology, members);
    std::vector<VertexId> endpoints = here.numbers;
    endpoints.insert(endpoints.end(), nics.numbers.begin(), nics.numbers.end());
    const Routing routing(part.vertices, part.links, endpoints);
    for (std::size_t p = 0; p < here.positions.size(); ++p) {
      for (std::size_t c = 0; c < nics.positions.size(); ++c) {
        const std::vector<LinkId> route = routing.route(p, here.positions.size() + c);
        if (!route.empty())
          add(result[here.positions[p]], nics.positions[c], classify(part.vertices, part.links, route));
      }
    }
  }
  for (NearestNics& nearest : result) std::ranges::sort(nearest.nics);
  return result;
}

std::vector<VertexId> nics_of(const Topology& topology) {
  std::vector<VertexId> nics;
  for (std::size_t v = 0; v < topology.vertices().size(); ++v) {
    if (topology.vertices()[v].kind == VertexKind::nic) nics.emplace_back(v);
  }
  return nics;
}

std::vector<VertexId> nics_without_network(const Topology& topology, std::span<const Place> places) {
  Neighbourhoods neighbourhoods(topology);
  std::vector<VertexId> nics;
  for (const Place place : places) {
    for (const VertexId vertex : neighbourhoods.around(topology.place(place).vertex)) {
      if (topology.vertex(vertex).kind == VertexKind::nic) nics.push_back(vertex);
    }
  }
  std::ranges::sort(nics);
  return nics;
}

}  // namespace topowise
