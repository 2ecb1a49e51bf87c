// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/leader_fused.hpp>

namespace topowise::collective {

Plan leader_fused(int ranks) {
  Plan plan = plan_with_agreement("leader-fused", ranks);
  std::vector<Region> inputs;
  std::vector<Region> outputs;
  for (int rank = 0; rank < ranks; ++rank) {
    inputs.push_back({Store::input, rank});
    outputs.push_back({Store::output, rank});
    if (rank > 0) plan.steps[static_cast<std::size_t>(rank)] = {wait_step(0, Flag::complete)};
  }
  plan.steps[0] = {reduce_step(outputs, inputs), synchronize_step(), signal_step(Flag::complete)};
  return plan;
}

}  // namespace topowise::collective
