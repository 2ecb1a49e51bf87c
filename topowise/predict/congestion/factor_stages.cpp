// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/factor_stages.hpp>

#include <algorithm>
#include <iterator>

namespace topowise {

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

}  // namespace topowise
