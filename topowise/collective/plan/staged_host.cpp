// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/staged_host.hpp>

namespace topowise::collective {

Plan staged_host(int ranks) {
  Plan plan = plan_with_agreement("staged-host", ranks);
  plan.staging_parts = ranks + 1;
  const Region result{Store::staging, 0, ranks};
  std::vector<Region> parts;
  for (int rank = 0; rank < ranks; ++rank) parts.push_back({Store::staging, 0, rank});
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Step>& steps = plan.steps[static_cast<std::size_t>(rank)];
    const auto all_others_have = [&](Flag flag) {
      for (int other = 0; other < ranks; ++other)
        if (other != rank) steps.push_back(wait_step(other, flag));
    };
    steps.push_back(copy_step(parts[static_cast<std::size_t>(rank)], {Store::input, rank}));
    steps.push_back(synchronize_step());
    if (ranks > 1) steps.push_back(signal_step(Flag::copied));
    all_others_have(Flag::copied);
    steps.push_back(reduce_step({result}, parts, {rank, ranks}));
    if (ranks > 1) steps.push_back(signal_step(Flag::reduced));
    all_others_have(Flag::reduced);
    steps.push_back(copy_step({Store::output, rank}, result));
    steps.push_back(synchronize_step());
  }
  return plan;
}

}  // namespace topowise::collective
