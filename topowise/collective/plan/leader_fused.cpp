// SPDX-License-Identifier: BSD-3-Clause
// One process reads every input and writes every output in one kernel (where there are shares, in one for each). An
// allreduce moves 2 N m bytes, and no algorithm that reads N vectors and writes N can move less. The other processes
// run nothing on the GPU, so it never changes from one process to another, which is what limits ranks that share a GPU
// without MPS.
//
// An allreduce across nodes goes through scratch memory and the host between reading and writing.
#include <topowise/collective/plan/algorithms.hpp>

namespace topowise::collective {
namespace {

/// What rank 0 does on its GPU.
std::vector<Step> reductions(const Plan& plan, const std::vector<Region>& inputs, const std::vector<Region>& outputs) {
  const bool shares = shares_inputs(plan.collective) || shares_outputs(plan.collective);
  if (!shares) return {reduce_step(outputs, inputs)};
  std::vector<Step> steps;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (shares_inputs(plan.collective))
      steps.push_back(reduce_step(outputs, {inputs[at]}, {rank, plan.ranks}));
    else
      steps.push_back(reduce_step({outputs[at]}, inputs, {rank, plan.ranks}));
  }
  return steps;
}

std::vector<Step> across_nodes(const std::vector<Region>& inputs, const std::vector<Region>& outputs) {
  const Region scratch{Store::scratch, 0};
  const Region staging{Store::staging};
  return {reduce_step({scratch}, inputs), copy_step(staging, scratch), synchronize_step(),
          across_step(staging),           copy_step(scratch, staging), reduce_step(outputs, {scratch})};
}

}  // namespace

Plan leader_fused(Collective collective, const Layout& layout, int root) {
  Plan plan = plan_with_agreement("leader-fused", layout.ranks());
  plan.collective = collective;
  plan.root = root;
  plan.nodes = layout.nodes;
  std::vector<Region> inputs;
  std::vector<Region> outputs;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    if (has_input(collective, root, rank)) inputs.push_back({Store::input, rank});
    if (has_output(collective, root, rank)) outputs.push_back({Store::output, rank});
    if (rank > 0) plan.steps[static_cast<std::size_t>(rank)] = {wait_step(0, Flag::complete)};
  }
  if (outputs.empty()) {  // a broadcast to nobody
    plan.steps[0] = {synchronize_step()};
    return plan;
  }
  plan.steps[0] = plan.nodes > 1 ? across_nodes(inputs, outputs) : reductions(plan, inputs, outputs);
  if (plan.nodes > 1) {
    plan.scratch_parts[0] = 1;
    plan.staging_parts = 1;
  }
  plan.steps[0].push_back(synchronize_step());
  plan.steps[0].push_back(signal_step(Flag::complete));
  return plan;
}

}  // namespace topowise::collective
