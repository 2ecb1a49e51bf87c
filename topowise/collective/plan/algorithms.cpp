// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/algorithms.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>

namespace topowise::collective {
namespace {

/// The plan of an algorithm that only does allreduce.
template <Plan (*function)(const Layout&)>
Plan allreduce_only(Collective /*collective*/, const Layout& layout, int /*root*/) {
  return function(layout);
}

/// A plan among GPUs. Where one GPU has all ranks, leader-fused takes its place.
template <Plan (*function)(const Layout&)>
Plan among_gpus(Collective collective, const Layout& layout, int root) {
  Plan plan = function(layout);
  if (layout.gpus() > 1) return plan;
  Plan fused = leader_fused(collective, layout, root);
  fused.algorithm = plan.algorithm;
  return fused;
}

constexpr std::array<CollectiveAlgorithm, 7> kAlgorithms{{
    {"staged-host", "through memory of the host that the ranks share", false, true, true, staged_host},
    {"shared-buffer", "through a buffer on the first rank's GPU (Faraji and Afsahi, 3.1)", true, false, false,
     allreduce_only<shared_buffer>},
    {"binomial", "up a binomial tree of GPU buffers (Faraji and Afsahi, 3.2)", true, false, false,
     allreduce_only<binomial>},
    {"leader-fused", "one kernel reads all inputs and writes all outputs", true, true, true, leader_fused},
    {"one-shot", "each GPU reads the sums of all GPUs", true, false, false, among_gpus<one_shot>},
    {"two-shot", "each GPU reduces its share of the elements, then takes all shares", true, false, false,
     among_gpus<two_shot>},
    {"ring", "around a ring of GPUs, island by island", true, false, false, among_gpus<ring>},
}};

}  // namespace

std::span<const CollectiveAlgorithm> algorithms() {
  return kAlgorithms;
}

std::optional<std::size_t> known_algorithm(std::string_view name) {
  const auto found = std::ranges::find(kAlgorithms, name, &CollectiveAlgorithm::name);
  if (found == kAlgorithms.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kAlgorithms.begin());
}

std::size_t find_algorithm(std::string_view name) {
  if (const std::optional<std::size_t> known = known_algorithm(name)) return *known;
  const std::vector<std::string> names = names_of(kAlgorithms);
  throw usage_error(unknown_name("algorithm", name, names));
}

}  // namespace topowise::collective
