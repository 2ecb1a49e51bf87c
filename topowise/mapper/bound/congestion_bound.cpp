// SPDX-License-Identifier: BSD-3-Clause
// Takes the best of three bounds. First, what a rank sends to ranks that cannot all stand on its own place leaves
// through the links of the place's vertex, and what arrives comes by them. Second, what cannot stay in a rank's node,
// socket, ... leaves its place only by those links that lead out of that node, socket, ... (exit_bound). Third, what
// must cross between nodes, sockets, ... crosses the links around them (link_cut_bound).
#include <topowise/mapper/bound/congestion_bound.hpp>

#include <algorithm>
#include <vector>

#include <topowise/mapper/bound/exit_bound.hpp>
#include <topowise/mapper/bound/link_cut_bound.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/injection.hpp>

namespace topowise {
namespace {

double injection_bound(const MapProblem& problem, const Partners& partners, std::span<const double> rates) {
  const Topology& topology = problem.topology;
  double widest_out = 0;
  double widest_in = 0;
  std::size_t most = 1;
  std::vector<double> in(topology.vertices().size(), 0.0);
  for (std::size_t l = 0; l < rates.size(); ++l) in[topology.links()[l].to.index()] += rates[l];
  std::vector<int> on_vertex(topology.vertices().size(), 0);
  for (const PlaceCapacity& each : place_capacities(problem)) {
    const VertexId vertex = topology.place(each.place).vertex;
    if (++on_vertex[vertex.index()] > 1) return 0;  // places of one vertex reach each other without a link
    double out = 0;
    for (const LinkId link : topology.links_from(vertex)) out += rates[link.index()];
    widest_out = std::max(widest_out, out);
    widest_in = std::max(widest_in, in[vertex.index()]);
    most = std::max(most, each.capacity);
  }
  return injection_time(partners, most - 1, BytesPerSecond(widest_out), BytesPerSecond(widest_in)).value();
}

}  // namespace

double congestion_bound(const MapProblem& problem, const Partners& partners) {
  std::vector<double> rates;
  for (const Link& link : problem.topology.links()) rates.push_back(link.bandwidth.value());
  return congestion_bound(problem, partners, rates);
}

double congestion_bound(const MapProblem& problem, const Partners& partners, std::span<const double> rates) {
  return std::max({injection_bound(problem, partners, rates), link_cut_bound(problem, partners, rates),
                   exit_bound(problem, partners, rates)});
}

}  // namespace topowise
