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
#pragma once

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

[[nodiscard]] Plan one_shot(const Layout& layout);
[[nodiscard]] Plan two_shot(const Layout& layout);
/// If the islands are of equal size: a ring in each, and rings across the islands through GPUs with the same place in
/// theirs, so that only 1/s of the vector leaves an island of s GPUs. Else one ring through all GPUs, island by island.
[[nodiscard]] Plan ring(const Layout& layout);

}  // namespace topowise::collective
