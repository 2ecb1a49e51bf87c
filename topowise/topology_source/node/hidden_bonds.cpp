// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/hidden_bonds.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace topowise {
namespace {

bool joins_gpus(const Link& link) {
  return link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi;
}

}  // namespace

bool bonds_are_hidden(const Topology& topology) {
  const bool said = std::ranges::any_of(topology.warnings(), [](const std::string& warning) {
    return warning.find(kBondsNotShown) != std::string::npos || warning.find(kFarEndNotShown) != std::string::npos;
  });
  return said && std::ranges::none_of(topology.links(), joins_gpus);
}

void UnbondedGpus::add(int vendor, int device, int sm, bool unknown_counts) {
  constexpr std::array kWithNvlink{60, 70, 80, 90, 100, 103};
  const std::optional<GpuModel> model = gpu_model(vendor, device);
  if (model && !model->bond) return;
  if (!model && sm > 0 && std::ranges::find(kWithNvlink, sm) == kWithNvlink.end()) return;
  if (!model && sm <= 0 && !unknown_counts) return;
  ++count_;
  if (model)
    ++models_[std::string(model->name)];
  else if (sm > 0)
    ++models_[fmt::format("sm_{}", sm)];
}

void UnbondedGpus::report(TopologyBuilder& builder, const std::string& where, std::string_view why) const {
  if (count_ < 2) return;
  std::vector<std::string> names;
  for (const auto& [name, count] : models_) names.push_back(name);
  const std::string gpus = names.empty() ? "" : fmt::format(" GPUs of this kind ({}) have it.", fmt::join(names, ", "));
  builder.assume(std::string(kNoOtherBonds));
  builder.warn(fmt::format(
      "{} {}: {}.{} Unknown is not absent: join a source that does, FILE+OTHER, for example nvidia-smi topo "
      "-m, amd-smi topology or a preset",
      where, kBondsNotShown, why, gpus));
}

}  // namespace topowise
