// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/csr_graph.hpp>

#include <algorithm>
#include <numeric>

namespace topowise::multilevel {
namespace {

/// Who sends to each rank, in rows like Traffic's own, but by destination.
struct Received {
  std::vector<std::size_t> first;
  std::vector<Arc> arcs;
};

Received received(const Traffic& traffic) {
  Received rows{std::vector<std::size_t>(traffic.ranks() + 1, 0), {}};
  for (const TrafficEntry& entry : traffic.entries()) ++rows.first[entry.destination.index() + 1];
  std::partial_sum(rows.first.begin(), rows.first.end(), rows.first.begin());
  rows.arcs.resize(traffic.entries().size());
  std::vector<std::size_t> next(rows.first.begin(), rows.first.end() - 1);
  for (const TrafficEntry& entry : traffic.entries())
    rows.arcs[next[entry.destination.index()]++] = {static_cast<GuestVertex>(entry.source.index()),
                                                    entry.bytes.value()};
  return rows;
}

}  // namespace

std::int64_t Graph::total_load() const {
  return std::accumulate(load.begin(), load.end(), std::int64_t{0});
}

int Graph::largest_load() const {
  return load.empty() ? 0 : *std::ranges::max_element(load);
}

Graph symmetric_graph(const Traffic& traffic, std::span<const int> loads) {
  const Received in = received(traffic);
  Graph graph;
  loads.empty() ? graph.load.assign(traffic.ranks(), 1) : graph.load.assign(loads.begin(), loads.end());
  graph.first.reserve(traffic.ranks() + 1);
  graph.arcs.reserve(traffic.entries().size());
  for (std::size_t rank = 0; rank < traffic.ranks(); ++rank) {
    const auto append = [&](GuestVertex to, double bytes) {
      if (bytes > 0 && to != static_cast<GuestVertex>(rank)) graph.arcs.push_back({to, bytes});
    };
    const TrafficEntries sent = traffic.sent_by(Rank(rank));
    auto out = sent.begin();
    for (std::size_t i = in.first[rank]; i < in.first[rank + 1]; ++i) {  // both rows are sorted: merge
      const Arc& arc = in.arcs[i];
      for (; out != sent.end() && static_cast<GuestVertex>(out->destination.index()) < arc.to; ++out)
        append(static_cast<GuestVertex>(out->destination.index()), out->bytes.value());
      const bool both = out != sent.end() && static_cast<GuestVertex>(out->destination.index()) == arc.to;
      append(arc.to, arc.weight + (both ? out->bytes.value() : 0.0));
      if (both) ++out;
    }
    for (; out != sent.end(); ++out) append(static_cast<GuestVertex>(out->destination.index()), out->bytes.value());
    graph.first.push_back(static_cast<std::int64_t>(graph.arcs.size()));
  }
  return graph;
}

std::vector<GuestVertex> breadth_first_order(const Graph& graph) {
  std::vector<GuestVertex> order;
  order.reserve(static_cast<std::size_t>(graph.size()));
  std::vector<bool> seen(static_cast<std::size_t>(graph.size()), false);
  const auto append = [&](GuestVertex v) {
    if (seen[static_cast<std::size_t>(v)]) return;
    seen[static_cast<std::size_t>(v)] = true;
    order.push_back(v);
  };
  std::size_t next = 0;
  for (GuestVertex start = 0; start < graph.size(); ++start) {
    for (append(start); next < order.size(); ++next) {
      for (const Arc& arc : graph.arcs_of(order[next])) append(arc.to);
    }
  }
  return order;
}

Graph renumbered(const Graph& graph, std::span<const GuestVertex> order) {
  std::vector<GuestVertex> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    number[static_cast<std::size_t>(order[i])] = static_cast<GuestVertex>(i);
  Graph result;
  result.load.reserve(order.size());
  result.first.reserve(order.size() + 1);
  result.arcs.reserve(graph.arcs.size());
  for (const GuestVertex v : order) {
    for (const Arc& arc : graph.arcs_of(v))
      result.arcs.push_back({number[static_cast<std::size_t>(arc.to)], arc.weight});
    result.first.push_back(static_cast<std::int64_t>(result.arcs.size()));
    result.load.push_back(graph.load[static_cast<std::size_t>(v)]);
  }
  return result;
}

std::vector<Subgraph> split(const Graph& graph, std::span<const int> block_of, int blocks) {
  std::vector<Subgraph> parts(static_cast<std::size_t>(blocks));
  std::vector<GuestVertex> number(block_of.size());
  for (std::size_t v = 0; v < block_of.size(); ++v) {
    Subgraph& part = parts[static_cast<std::size_t>(block_of[v])];
    number[v] = static_cast<GuestVertex>(part.origin.size());
    part.origin.push_back(static_cast<GuestVertex>(v));
    part.graph.load.push_back(graph.load[v]);
  }
  for (Subgraph& part : parts) {
    for (const GuestVertex v : part.origin) {
      for (const Arc& arc : graph.arcs_of(v)) {
        if (block_of[static_cast<std::size_t>(arc.to)] == block_of[static_cast<std::size_t>(v)])
          part.graph.arcs.push_back({number[static_cast<std::size_t>(arc.to)], arc.weight});
      }
      part.graph.first.push_back(static_cast<std::int64_t>(part.graph.arcs.size()));
    }
  }
  return parts;
}

}  // namespace topowise::multilevel
