// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/congestion_model.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>

namespace topowise {
namespace {

constexpr std::uint32_t kNoLink = PcieLinks::kNone;

bool is_paper_only(CongestionModelName name) {
  return name == CongestionModelName::pcie_sc16;
}

std::vector<double> link_limits(const std::vector<double>& bandwidths, const PcieLinks& pcie) {
  std::vector<double> limits = bandwidths;
  for (std::size_t l = 0; l < limits.size(); ++l) {
    if (pcie.leaves_root_complex[l]) limits[l] *= 1.0 - pcie.tree.link(pcie.tree_link[l]).tau;
  }
  return limits;
}

double widest(const std::vector<double>& bandwidths) {
  return bandwidths.empty() ? kPaperBandwidth.value() : *std::ranges::max_element(bandwidths);
}

}  // namespace

CongestionModel::CongestionModel(const Topology& topology, CongestionModelName name,
                                 const CongestionParameters& parameters)
    : topology_(topology),
      name_(name),
      bandwidths_(link_bandwidths(topology, parameters)),
      pcie_links_(topowise::pcie_links(topology, bandwidths_, parameters, is_paper_only(name))),
      pcie_(pcie_links_.tree,
            name == CongestionModelName::pcie_filled ? FreedBandwidth::filled : FreedBandwidth::paper),
      max_min_(link_limits(bandwidths_, pcie_links_)),
      unit_(pcie_links_.unit > 0 ? pcie_links_.unit : widest(bandwidths_)) {
  limit_of_link_ = link_limits(bandwidths_, pcie_links_);
  // Under the paper's rules a message alone loses tau at a root complex, but several messages may fill the link: what
  // one of them cannot use goes to the others (equation 9). So the limit of such a link is its whole bandwidth.
  for (std::size_t l = 0; l < limit_of_link_.size(); ++l)
    if (follows_paper(LinkId(l))) limit_of_link_[l] = bandwidths_[l];
}

bool CongestionModel::follows_paper(LinkId link) const {
  return name_ != CongestionModelName::max_min && pcie_links_.tree_link[link.index()] != kNoLink;
}

CongestionModel::Flow CongestionModel::flow(Place from, Place to) {
  const auto [entry, is_new] = flow_of_.try_emplace({from, to}, static_cast<Flow>(flows_.size()));
  if (!is_new) return entry->second;
  try {
    flows_.push_back(make_flow(from, to));
  } catch (...) {
    flow_of_.erase(entry);
    throw;
  }
  const FlowParts& made = flows_.back();
  only_pcie_ &=
      !made.has_foreign && made.stretches.size() == 1 && made.limit == std::numeric_limits<double>::infinity();
  const Flow id = entry->second;
  rates(std::span(&id, 1), std::span(&flows_.back().alone, 1));
  return id;
}

CongestionModel::FlowParts CongestionModel::make_flow(Place from, Place to) {
  FlowParts flow;
  flow.from = from;
  flow.to = to;
  const std::vector<LinkId> route = topology_.route(from, to);
  const bool measured = topology_.has_pair_matrix(Metric::bandwidth) && topology_.bandwidth(from, to).value() > 0;
  if (measured && !is_paper_only(name_)) flow.limit = topology_.bandwidth(from, to).value();
  if (route.empty() && flow.limit == std::numeric_limits<double>::infinity()) {
    throw bad_input(fmt::format("nothing connects '{}' and '{}' of '{}'", topology_.vertex_of(from).name,
                                topology_.vertex_of(to).name, topology_.name()));
  }
  std::vector<std::uint32_t> foreign;
  for (std::size_t at = 0; at < route.size();) {
    flow.links.push_back(static_cast<std::uint32_t>(route[at].index()));
    if (!follows_paper(route[at])) {
      if (is_paper_only(name_)) {
        const Link& link = topology_.link(route[at]);
        throw bad_input(fmt::format("the {} link from '{}' to '{}' is not part of a PCIe tree", to_string(link.kind),
                                    topology_.vertex(link.from).name, topology_.vertex(link.to).name),
                        "--model auto");
      }
      foreign.push_back(flow.links.back());
      ++at;
      continue;
    }
    // A stretch goes up and then down, the shortest way. A link up after that begins a new stretch: the route has left
    // the tree through a device. So does a link down that turns back on the wire by which data has come up: copies
    // without peer access go through the host, past a switch that both GPUs are on.
    const std::size_t begin = at++;
    const auto tree_link = [&](std::size_t i) { return pcie_links_.tree_link[route[i].index()]; };
    const auto turns_back = [&](std::size_t i) {
      return topology_.link(route[i]).to == topology_.link(route[i - 1]).from;
    };
    while (at < route.size() && follows_paper(route[at]) && tree_link(at) > tree_link(at - 1) && !turns_back(at)) {
      flow.links.push_back(static_cast<std::uint32_t>(route[at++].index()));
    }
    add_stretch(flow, route, begin, at);
  }
  flow.has_foreign = !foreign.empty();
  flow.foreign = max_min_.add(std::move(foreign));
  const std::uint32_t first = flow.links.empty() ? kNoLink : flow.links.front();
  flow.port = ports_.try_emplace({from, first}, static_cast<std::uint32_t>(ports_.size())).first->second;
  if (!is_paper_only(name_)) flow.latency = topology_.latency(from, to);
  return flow;
}

void CongestionModel::add_stretch(FlowParts& flow, std::span<const LinkId> route, std::size_t begin, std::size_t end) {
  const auto from = static_cast<std::uint32_t>(topology_.link(route[begin]).from.index());
  const auto to = static_cast<std::uint32_t>(topology_.link(route[end - 1]).to.index());
  flow.stretches.push_back(pcie_.add(from, to));
}

void CongestionModel::rates(std::span<const Flow> active, std::span<double> result) {
  if (!only_pcie_) {
    mixed_rates(active, result);
    return;
  }
  active_stretches_.resize(active.size());
  for (std::size_t i = 0; i < active.size(); ++i) active_stretches_[i] = flows_[active[i]].stretches.front();
  pcie_.factors(active_stretches_, result);
  for (std::size_t i = 0; i < active.size(); ++i) result[i] *= unit_;
}

void CongestionModel::mixed_rates(std::span<const Flow> active, std::span<double> result) {
  active_stretches_.clear();
  for (const Flow flow : active) {
    const std::vector<std::uint32_t>& stretches = flows_[flow].stretches;
    active_stretches_.insert(active_stretches_.end(), stretches.begin(), stretches.end());
  }
  factors_.resize(active_stretches_.size());
  pcie_.factors(active_stretches_, factors_);
  messages_.clear();
  std::size_t stretch = 0;
  bool any_foreign = false;
  for (const Flow id : active) {
    const FlowParts& flow = flows_[id];
    double limit = flow.limit;
    for (std::size_t i = 0; i < flow.stretches.size(); ++i) limit = std::min(limit, factors_[stretch++] * unit_);
    messages_.push_back({flow.foreign, limit});
    any_foreign |= flow.has_foreign;
  }
  if (any_foreign) {
    max_min_.rates(messages_, result);
    return;
  }
  for (std::size_t i = 0; i < active.size(); ++i) result[i] = messages_[i].limit;
}

}  // namespace topowise
