// SPDX-License-Identifier: BSD-3-Clause
// Allreduce among several GPUs of a node. On each GPU one rank leads: it reduces the inputs of its GPU into its scratch
// memory, the leaders reduce among themselves, and each writes the result to all outputs of its GPU. So memory that is
// reached from another GPU is always the leaders' own, and programs' buffers are only opened on their own GPU. With N
// ranks on G GPUs:
//
//   one-shot   Each leader reads all leaders' vectors: one exchange, G (G + 1) m bytes; for short vectors.
//   two-shot   Each leader reduces its share of the elements, then each takes all shares: two exchanges,
//              (3 G + 1) m bytes; for GPUs of which any two have a wire (Patarasuk and Yuan 2009: no allreduce sends
//              less than 2 (G-1)/G m a GPU).
//   ring       As two-shot, but each leader only writes to its neighbour, so that each GPU has one stream in and one
//              out. Where many pairs share wires, as behind PCIe's root complex, any other pattern collapses.
//
// All of them move 2 N m bytes more, to read the inputs and write the outputs. They are for two GPUs or more.
// Every element is reduced in one place or in one order, so all ranks have the same bits.
#include <topowise/collective/plan/algorithms.hpp>

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
