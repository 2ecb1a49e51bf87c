// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/plan.hpp>

#include <algorithm>

namespace topowise::collective {

bool Plan::in_one_piece() const {
  return staging_parts == 0 && std::ranges::all_of(scratch_parts, [](int parts) { return parts == 0; });
}

Plan plan_with_agreement(std::string_view algorithm, int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  Plan plan{.algorithm = algorithm, .ranks = ranks};
  plan.agreement.resize(count);
  plan.steps.resize(count);
  plan.scratch_parts.assign(count, 0);
  for (int rank = 1; rank < ranks; ++rank) {
    plan.agreement[static_cast<std::size_t>(rank)] = {signal_step(Flag::arrived), wait_step(0, Flag::agreed)};
    plan.agreement[0].push_back(wait_step(rank, Flag::arrived));
  }
  if (ranks > 1) plan.agreement[0].push_back(signal_step(Flag::agreed));
  return plan;
}

Step copy_step(Region to, Region from) {
  return {.action = Action::copy, .to = {to}, .from = {from}};
}

Step reduce_step(std::vector<Region> to, std::vector<Region> from, Slice slice) {
  return {.action = Action::reduce, .to = std::move(to), .from = std::move(from), .slice = slice};
}

Step synchronize_step() {
  return {.action = Action::synchronize};
}

Step signal_step(Flag flag, int level) {
  return {.action = Action::signal, .flag = flag, .level = level};
}

Step wait_step(int peer, Flag flag, int level, int age) {
  return {.action = Action::wait, .flag = flag, .level = level, .peer = peer, .age = age};
}

Movement movement(const Plan& plan) {
  // In units of m / ranks, as slices are of ranks at most.
  Movement total;
  for (const std::vector<Step>& steps : plan.steps) {
    for (const Step& step : steps) {
      const std::int64_t share = plan.ranks / step.slice.of;
      bool host = false;
      bool gpu = false;
      for (const std::vector<Region>* regions : {&step.to, &step.from}) {
        for (const Region& region : *regions) {
          const bool staging = region.store == Store::staging;
          (staging ? total.host : total.gpu) += share;
          host = host || staging;
          gpu = gpu || !staging;
        }
      }
      if (host && gpu) total.bus += share;
    }
  }
  return {total.gpu / plan.ranks, total.host / plan.ranks, total.bus / plan.ranks};
}

std::vector<std::set<int>> reached_ranks(const Plan& plan) {
  std::vector<std::set<int>> reached(plan.steps.size());
  for (std::size_t rank = 0; rank < reached.size(); ++rank) {
    for (const Step& step : plan.steps[rank]) {
      for (const std::vector<Region>* regions : {&step.to, &step.from}) {
        for (const Region& region : *regions) {
          if (region.store != Store::staging && region.owner != static_cast<int>(rank))
            reached[rank].insert(region.owner);
        }
      }
    }
  }
  return reached;
}

}  // namespace topowise::collective
