// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/among_gpus.hpp>

#include <topowise/collective/plan/leaders.hpp>

namespace topowise::collective {

Plan one_shot(const Layout& layout) {
  Leaders leaders("one-shot", layout);
  for (int gpu = 0; gpu < leaders.count(); ++gpu) {
    leaders.all_others(gpu, Flag::complete, 1);  // waits until the others have read what lies there
    leaders.take_inputs(gpu);
    leaders.add(gpu, synchronize_step());
    leaders.add(gpu, signal_step(Flag::copied));
    leaders.all_others(gpu, Flag::copied);
    leaders.add(gpu, reduce_step(leaders.outputs(gpu), leaders.sums()));
    leaders.end(gpu);
  }
  return leaders.plan();
}

Plan two_shot(const Layout& layout) {
  Leaders leaders("two-shot", layout);
  const int count = leaders.count();
  for (int gpu = 0; gpu < count; ++gpu) {
    leaders.all_others(gpu, Flag::complete, 1);
    leaders.take_inputs(gpu);
    leaders.add(gpu, synchronize_step());
    leaders.add(gpu, signal_step(Flag::copied));
    leaders.all_others(gpu, Flag::copied);
    leaders.add(gpu, reduce_step({leaders.sum(gpu)}, leaders.sums(), {gpu, count}));
    leaders.add(gpu, synchronize_step());
    leaders.add(gpu, signal_step(Flag::reduced));
    for (int distance = 0; distance < count; ++distance) {
      const int other = (gpu + distance) % count;  // each GPU begins with another one
      if (other != gpu) leaders.add(gpu, wait_step(leaders.rank(other), Flag::reduced));
      leaders.add(gpu, reduce_step(leaders.outputs(gpu), {leaders.sum(other)}, {other, count}));
    }
    leaders.end(gpu);
  }
  return leaders.plan();
}

}  // namespace topowise::collective
