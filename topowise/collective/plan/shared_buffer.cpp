// SPDX-License-Identifier: BSD-3-Clause
// Faraji and Afsahi, "GPU-Aware Intranode MPI_Allreduce" (EuroMPI/ASIA 2014), section 3.1: all copy into a buffer on
// rank 0's GPU, which reduces there, and all copy the result out. (5 N + 1) m bytes.
//
// Two things differ from the paper. It orders the copies by one event that all ranks record, and an event only
// remembers its latest record: here each rank waits for its own copy before it says so. And in the paper nothing keeps
// rank 0 from writing to the buffer in the next call while a slow rank still reads the result of this one: here it
// waits until all have taken it.
#include <topowise/collective/plan/algorithms.hpp>

namespace topowise::collective {
namespace {

Region part(int rank) {
  return {Store::scratch, 0, rank};
}

/// The steps of the other ranks: each copies its contribution in and the result out.
std::vector<Step> steps_of_others(int rank) {
  return {copy_step(part(rank), {Store::input, rank}),
          synchronize_step(),
          signal_step(Flag::copied),
          wait_step(0, Flag::complete),
          copy_step({Store::output, rank}, part(0)),
          synchronize_step(),
          signal_step(Flag::taken)};
}

}  // namespace

Plan shared_buffer(const Layout& layout) {
  const int ranks = layout.ranks();
  Plan plan = plan_with_agreement("shared-buffer", ranks);
  plan.scratch_parts[0] = ranks;
  std::vector<Step>& first = plan.steps[0];
  std::vector<Region> parts;
  for (int rank = 0; rank < ranks; ++rank) parts.push_back(part(rank));
  for (int rank = 1; rank < ranks; ++rank) first.push_back(wait_step(rank, Flag::taken, 0, 1));
  first.push_back(copy_step(part(0), {Store::input, 0}));
  for (int rank = 1; rank < ranks; ++rank) {
    plan.steps[static_cast<std::size_t>(rank)] = steps_of_others(rank);
    first.push_back(wait_step(rank, Flag::copied));
  }
  first.push_back(reduce_step({part(0)}, parts));
  if (ranks > 1) {
    first.push_back(synchronize_step());
    first.push_back(signal_step(Flag::complete));
  }
  first.push_back(copy_step({Store::output, 0}, part(0)));
  first.push_back(synchronize_step());
  return plan;
}

}  // namespace topowise::collective
