// SPDX-License-Identifier: BSD-3-Clause
// What plans among several GPUs have in common: one leading rank per GPU, and what comes before and after the leaders'
// work.
#pragma once

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

class Leaders {
 public:
  Leaders(std::string_view algorithm, const Layout& layout);

  [[nodiscard]] int count() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] int rank(int gpu) const { return ranks_[static_cast<std::size_t>(gpu)].front(); }
  /// Scratch memory of a leader. Part 0 begins as the sum of its GPU's inputs.
  [[nodiscard]] Region scratch(int gpu, int part) const { return {Store::scratch, rank(gpu), part}; }
  [[nodiscard]] Region sum(int gpu) const { return scratch(gpu, 0); }
  [[nodiscard]] std::vector<Region> sums() const;
  [[nodiscard]] std::vector<Region> outputs(int gpu) const { return buffers(gpu, Store::output); }

  void add(int gpu, Step step) { steps(gpu).push_back(std::move(step)); }
  void all_others(int gpu, Flag flag, int age = 0);
  void take_inputs(int gpu) { add(gpu, reduce_step({sum(gpu)}, buffers(gpu, Store::input))); }
  /// Waits until the outputs are written. The other ranks of the GPU wait for the leader.
  void end(int gpu);
  void use_parts(int parts);

  [[nodiscard]] Plan plan() && { return std::move(plan_); }
  [[nodiscard]] Plan plan() const& { return plan_; }

 private:
  [[nodiscard]] std::vector<Region> buffers(int gpu, Store store) const;
  [[nodiscard]] std::vector<Step>& steps(int gpu) { return plan_.steps[static_cast<std::size_t>(rank(gpu))]; }

  std::vector<std::vector<int>> ranks_;
  Plan plan_;
};

}  // namespace topowise::collective
