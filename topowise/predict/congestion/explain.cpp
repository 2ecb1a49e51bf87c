// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/explain.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include <topowise/predict/congestion/congestion_model.hpp>
#include <topowise/predict/congestion/tolerance.hpp>

namespace topowise {
namespace {

constexpr std::array<std::string_view, 6> kRules{"none",         "upstream",     "downstream",
                                                 "root complex", "head of line", "fair share"};

/// One stretch of one active flow. Its position in the list is its number in the stages of the factors.
struct Stretch {
  std::size_t flow = 0;  ///< position in the active set
  std::uint32_t path = 0;
};

class Explanation {
 public:
  Explanation(CongestionModel& model, std::span<const CongestionModel::Flow> active) : model_(model), active_(active) {
    for (std::size_t i = 0; i < active.size(); ++i) {
      for (const std::uint32_t path : model.stretches(active[i])) stretches_.push_back({i, path});
    }
    std::vector<std::uint32_t> paths;
    for (const Stretch& stretch : stretches_) paths.push_back(stretch.path);
    rates_.resize(active.size());
    model.rates(active, rates_);
    factors_.resize(paths.size());
    model.pcie().factors(paths, factors_);
    stages_ = model.pcie().stages();
  }

  [[nodiscard]] Slowdown of(std::size_t flow) const {
    Slowdown found;
    found.share = rates_[flow] / model_.rate_alone(active_[flow]);
    if (found.share >= 1 - kTolerance) return found;
    for (std::size_t c = 0; c < stretches_.size(); ++c) {
      const bool decides =
          stretches_[c].flow == flow && factors_[c] * model_.unit().value() <= rates_[flow] * (1 + kTolerance);
      if (!decides) continue;
      if (stages_.blocked[c] < after(c) - kTolerance) {
        head_of_line(c, found);
      } else {
        own_port(c, found);
      }
      return found;
    }
    fair_share(flow, found);
    return found;
  }

 private:
  [[nodiscard]] double after(std::size_t c) const { return stages_.rho[stages_.first[c + 1] - 1]; }
  [[nodiscard]] std::span<const std::uint32_t> links(std::size_t c) const {
    return model_.pcie().links(stretches_[c].path);
  }
  [[nodiscard]] double rho(std::size_t c, std::size_t hop) const { return stages_.rho[stages_.first[c] + 1 + hop]; }
  [[nodiscard]] bool conflict(std::size_t c, std::size_t hop) const {
    return stages_.conflict[stages_.first[c] + 1 + hop] != 0;
  }

  /// Finds a stretch with which `c` shares a link, and which gets the factor of `c` or less at a later port.
  void head_of_line(std::size_t c, Slowdown& found) const {
    for (const std::uint32_t link : links(c)) {
      for (std::size_t b = 0; b < stretches_.size(); ++b) {
        const auto shared = std::ranges::find(links(b), link);
        if (shared == links(b).end()) continue;
        for (auto hop = static_cast<std::size_t>(shared - links(b).begin()) + 1; hop < links(b).size(); ++hop) {
          if (!conflict(b, hop) || rho(b, hop) > stages_.blocked[c] + kTolerance) continue;
          found.rule = SlowdownRule::head_of_line;
          found.port = model_.pcie().tree().name(links(b)[hop]);
          if (stretches_[b].flow != stretches_[c].flow) found.other = stretches_[b].flow;
          return;
        }
      }
    }
  }

  /// Finds the last port where `c` lost something to others.
  void own_port(std::size_t c, Slowdown& found) const {
    std::size_t hop = links(c).size();
    while (hop-- > 0) {
      const double before = stages_.rho[stages_.first[c] + hop];
      const bool alone = std::ranges::none_of(stretches_, [&](const Stretch& other) {
        return other.path != stretches_[c].path && uses(other, links(c)[hop]);
      });
      if (rho(c, hop) < before - kTolerance && !alone) break;
      if (hop == 0) return;
    }
    const std::uint32_t id = links(c)[hop];
    const PcieTree::Link& link = model_.pcie().tree().link(id);
    found.port = model_.pcie().tree().name(id);
    found.rule = link.downward ? SlowdownRule::downstream : SlowdownRule::upstream;
    for (const Stretch& other : stretches_) {
      if (!uses(other, id)) continue;
      const std::span<const std::uint32_t> path = model_.pcie().links(other.path);
      const bool from_root =
          std::ranges::any_of(path, [&](std::uint32_t l) { return model_.pcie().tree().link(l).leaves_root_complex; });
      if (link.downward && from_root && link.tau > 0) found.rule = SlowdownRule::root_complex;
      if (other.flow != stretches_[c].flow && !found.other) found.other = other.flow;
    }
  }

  [[nodiscard]] bool uses(const Stretch& stretch, std::uint32_t link) const {
    return std::ranges::find(model_.pcie().links(stretch.path), link) != model_.pcie().links(stretch.path).end();
  }

  void fair_share(std::size_t flow, Slowdown& found) const {
    double fullest = 0;
    for (const std::uint32_t link : model_.links(active_[flow])) {
      if (model_.follows_paper(LinkId(link))) continue;
      double load = 0;
      std::optional<std::size_t> other;
      for (std::size_t i = 0; i < active_.size(); ++i) {
        const std::span<const std::uint32_t> route = model_.links(active_[i]);
        if (std::ranges::find(route, link) == route.end()) continue;
        load += rates_[i];
        if (i != flow && !other) other = i;
      }
      if (!other || load / model_.link_limit(link) <= fullest) continue;
      fullest = load / model_.link_limit(link);
      const Link& in_topology = model_.topology().link(LinkId(link));
      found.rule = SlowdownRule::fair_share;
      found.port = fmt::format("{} -> {}", model_.topology().vertex(in_topology.from).name,
                               model_.topology().vertex(in_topology.to).name);
      found.other = other;
    }
  }

  CongestionModel& model_;
  std::span<const CongestionModel::Flow> active_;
  std::vector<Stretch> stretches_;
  std::vector<double> rates_;
  std::vector<double> factors_;
  PcieCongestion::Stages stages_;
};

}  // namespace

std::vector<std::optional<FactorStages>> factor_stages(CongestionModel& model,
                                                       std::span<const CongestionModel::Flow> active) {
  std::vector<std::optional<FactorStages>> found(active.size());
  if (model.name() == CongestionModelName::max_min) return found;
  std::vector<std::uint32_t> paths;
  std::vector<std::size_t> first_path;
  for (const CongestionModel::Flow flow : active) {
    first_path.push_back(paths.size());
    std::ranges::copy(model.stretches(flow), std::back_inserter(paths));
  }
  if (paths.empty()) return found;
  std::vector<double> factors(paths.size());
  PcieCongestion& pcie = model.pcie();
  pcie.factors(paths, factors);
  const PcieCongestion::Stages stages = pcie.stages();
  for (std::size_t i = 0; i < active.size(); ++i) {
    const std::size_t c = first_path[i];
    const bool is_one_stretch =
        model.stretches(active[i]).size() == 1 && model.links(active[i]).size() == pcie.links(paths[c]).size();
    if (!is_one_stretch) continue;
    const std::span<const std::uint32_t> links = pcie.links(paths[c]);
    FactorStages& of = found[i].emplace();
    of.source = of.upstream = stages.rho[stages.first[c]];
    for (std::size_t hop = 0; hop < links.size(); ++hop) {
      of.downstream = stages.rho[stages.first[c] + 1 + hop];
      if (!pcie.tree().link(links[hop]).downward) of.upstream = of.downstream;
    }
    of.head_of_line = stages.blocked[c];
    of.freed = factors[c];
  }
  return found;
}

std::string_view to_string(SlowdownRule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

std::vector<Slowdown> explain(CongestionModel& model, std::span<const CongestionModel::Flow> active) {
  const Explanation explanation(model, active);
  std::vector<Slowdown> found;
  for (std::size_t i = 0; i < active.size(); ++i) found.push_back(explanation.of(i));
  return found;
}

}  // namespace topowise
