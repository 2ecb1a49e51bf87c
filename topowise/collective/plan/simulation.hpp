// SPDX-License-Identifier: BSD-3-Clause
// Runs a plan on numbers, one small event at a time, in a random order. Each rank has a program and behind it a GPU
// stream, which does what was begun element by element and as late as it likes. So any two accesses that the flags
// leave unordered happen in the wrong order in some run.
#pragma once

#include <cstdint>
#include <string>

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

struct SimulationOptions {
  int repetitions = 3;  ///< of the plan
  int pieces = 1;       ///< repetitions of one call: the first begins with the agreement
  std::uint64_t seed = 1;
};

/// What went wrong: "rank 2, repetition 1: wrong result", "all wait: rank 0 until rank 1 says: copied". Empty if all
/// ranks ended every call with what the collective promises them, of sums. Each rank overwrites its buffers when its
/// call has ended, as a program may.
[[nodiscard]] std::string simulate(const Plan& plan, const SimulationOptions& options);

/// The first thing that goes wrong in `runs` simulations, with one and with several pieces; empty if nothing does.
[[nodiscard]] std::string simulate_many(const Plan& plan, int runs, std::uint64_t seed = 1);

}  // namespace topowise::collective
