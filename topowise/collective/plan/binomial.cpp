// SPDX-License-Identifier: BSD-3-Clause
// Faraji and Afsahi (2014), section 3.2: a binomial tree whose ranks reduce into their receive buffers; then rank 0's
// result is copied by all. (9 N - 5) m bytes, and half the ranks have scratch memory.
//
// In the paper a rank copies into its parent's buffer as soon as it is at that level of the tree, though the parent
// may still read there what it got at the level before, or others the result of the call before. Here the parent says
// for each level that it is ready, and rank 0 does so when all have taken the last result. The order of operands is
// that of the ranks, but grouped by the tree: sums of floating-point numbers may differ from the other algorithms' in
// the last digits.
#include <topowise/collective/plan/algorithms.hpp>

namespace topowise::collective {
namespace {

Region output(int rank) {
  return {Store::output, rank};
}
Region scratch(int rank) {
  return {Store::scratch, rank};
}

/// Whether a parent must say that its scratch may be overwritten. It need not at the first level, because whoever read
/// it has ended the repetition before. Only rank 0 must there, as the others may still take the result.
bool says_ready(int parent, int level, int ranks) {
  return level > 0 || (parent == 0 && ranks > 2);
}

/// What `rank` gets from its child at a level of the tree.
void receive(std::vector<Step>& steps, int rank, int level, int ranks) {
  if (says_ready(rank, level, ranks)) {
    // Nobody waits for rank 1 here: it writes first, but only after it has taken the result itself.
    for (int other = 2; level == 0 && other < ranks; ++other) steps.push_back(wait_step(other, Flag::taken, 0, 1));
    if (level > 0) steps.push_back(synchronize_step());  // the scratch of the level before has been read
    steps.push_back(signal_step(Flag::ready, level));
  }
  steps.push_back(wait_step(rank + (1 << level), Flag::copied, level));
  steps.push_back(reduce_step({output(rank)}, {output(rank), scratch(rank)}));
}

void send(std::vector<Step>& steps, int rank, int level, int ranks) {
  const int parent = rank - (1 << level);
  if (says_ready(parent, level, ranks)) steps.push_back(wait_step(parent, Flag::ready, level));
  steps.push_back(copy_step(scratch(parent), output(rank)));
  steps.push_back(synchronize_step());
  steps.push_back(signal_step(Flag::copied, level));
  steps.push_back(wait_step(0, Flag::complete));
  steps.push_back(copy_step(output(rank), scratch(0)));
  steps.push_back(synchronize_step());
  steps.push_back(signal_step(Flag::taken));
}

void publish(std::vector<Step>& steps, int ranks) {
  if (ranks > 1) steps.push_back(copy_step(scratch(0), output(0)));
  steps.push_back(synchronize_step());
  if (ranks > 1) steps.push_back(signal_step(Flag::complete));
}

}  // namespace

Plan binomial(const Layout& layout) {
  const int ranks = layout.ranks();
  Plan plan = plan_with_agreement("binomial", ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Step>& steps = plan.steps[static_cast<std::size_t>(rank)];
    steps.push_back(copy_step(output(rank), {Store::input, rank}));
    int level = 0;
    for (; (1 << level) < ranks && (rank & (1 << level)) == 0; ++level) {
      if (rank + (1 << level) >= ranks) continue;
      receive(steps, rank, level, ranks);
      plan.scratch_parts[static_cast<std::size_t>(rank)] = 1;
    }
    if (rank == 0)
      publish(steps, ranks);
    else
      send(steps, rank, level, ranks);
  }
  return plan;
}

}  // namespace topowise::collective
