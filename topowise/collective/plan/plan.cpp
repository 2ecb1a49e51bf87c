// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/plan.hpp>

#include <algorithm>
#include <array>
#include <numeric>

namespace topowise::collective {
namespace {

constexpr std::array<std::string_view, kCollectives> kNames{"allreduce", "reduce", "broadcast", "allgather",
                                                            "reduce_scatter"};

/// Calls `see(region, step)` for every region of a rank's steps.
template <class See>
void for_each_region(const std::vector<Step>& steps, See see) {
  for (const Step& step : steps) {
    for (const std::vector<Region>* regions : {&step.to, &step.from})
      for (const Region& region : *regions) see(region, step);
  }
}

template <class Counts>
std::vector<std::set<int>> others(const Plan& plan, Counts counts) {
  std::vector<std::set<int>> all(plan.steps.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for_each_region(plan.steps[rank], [&](const Region& region, const Step&) {
      if (region.owner != static_cast<int>(rank) && counts(region.store)) all[rank].insert(region.owner);
    });
  }
  return all;
}

}  // namespace

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

bool has_input(Collective collective, int root, int rank) {
  return collective != Collective::broadcast || rank == root;
}

bool has_output(Collective collective, int root, int rank) {
  if (collective == Collective::reduce) return rank == root;
  return collective != Collective::broadcast || rank != root;
}

Step copy_step(Region to, Region from, Slice slice) {
  return {.action = Action::copy, .to = {to}, .from = {from}, .slice = slice};
}

Step across_step(Region region) {
  return {.action = Action::across, .to = {region}, .from = {region}};
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
  std::int64_t unit = 1;  // how many of the smallest pieces make a vector
  for (const std::vector<Step>& steps : plan.steps)
    for (const Step& step : steps) unit = std::lcm(unit, std::int64_t{step.slice.of});
  Movement total;
  for (const std::vector<Step>& steps : plan.steps) {
    for (const Step& step : steps) {
      const std::int64_t share = unit / step.slice.of;
      bool host = false;
      bool gpu = false;
      for_each_region({step}, [&](const Region& region, const Step&) {
        const bool staging = region.store == Store::staging;
        (staging ? total.host : total.gpu) += share;
        host = host || staging;
        gpu = gpu || !staging;
      });
      if (host && gpu) total.bus += share;
    }
  }
  return {total.gpu / unit, total.host / unit, total.bus / unit};
}

std::vector<std::set<int>> reached_ranks(const Plan& plan) {
  return others(plan, [](Store store) { return store != Store::staging; });
}

std::vector<std::set<int>> ranks_with_opened_buffers(const Plan& plan) {
  return others(plan, [](Store store) { return store == Store::input || store == Store::output; });
}

bool reduces_on_gpu(const Plan& plan, int rank) {
  return std::ranges::any_of(plan.steps[static_cast<std::size_t>(rank)], [](const Step& step) {
    return step.action == Action::reduce && step.to.front().store != Store::staging;
  });
}

int working_ranks(const Plan& plan) {
  return static_cast<int>(std::ranges::count_if(plan.steps, [](const std::vector<Step>& steps) {
    return std::ranges::any_of(
        steps, [](const Step& step) { return step.action == Action::copy || step.action == Action::reduce; });
  }));
}

std::string_view to_string(Collective collective) {
  return kNames[static_cast<std::size_t>(collective)];
}

std::optional<Collective> find_collective(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Collective>(found - kNames.begin());
}

Layout layout_in_turn(int ranks, int gpus, int islands) {
  Layout layout;
  const int used = std::min(ranks, gpus);
  for (int rank = 0; rank < ranks; ++rank) layout.gpu.push_back(rank % used);
  for (int gpu = 0; gpu < used; ++gpu) layout.island.push_back(gpu * std::min(islands, used) / used);
  return layout;
}

std::vector<std::vector<int>> ranks_by_gpu(const Layout& layout) {
  std::vector<std::vector<int>> ranks(layout.island.size());
  for (int rank = 0; rank < layout.ranks(); ++rank)
    ranks[static_cast<std::size_t>(layout.gpu[static_cast<std::size_t>(rank)])].push_back(rank);
  return ranks;
}

}  // namespace topowise::collective
