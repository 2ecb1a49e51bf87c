// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {
namespace {

std::string name_of(const Region& region, int rank) {
  switch (region.store) {
    case Store::input:
      return region.owner == rank ? "input" : fmt::format("input of rank {}", region.owner);
    case Store::output:
      return region.owner == rank ? "output" : fmt::format("output of rank {}", region.owner);
    case Store::scratch:
      return region.owner == rank ? fmt::format("scratch {}", region.part)
                                  : fmt::format("scratch {} of rank {}", region.part, region.owner);
    case Store::staging:
      break;
  }
  return fmt::format("staging {}", region.part);
}

/// Names of regions. More than three differ in one number only, so two are named: "input .. input of rank 15".
std::string names_of(const std::vector<Region>& regions, int rank) {
  if (regions.size() <= 3) {
    std::string text;
    for (const Region& region : regions) text += (text.empty() ? "" : ", ") + name_of(region, rank);
    return text;
  }
  return fmt::format("{} .. {}", name_of(regions.front(), rank), name_of(regions.back(), rank));
}

std::string flag_of(const Step& step) {
  std::string text(to_string(step.flag));
  if (step.level > 0) text += fmt::format(" (level {})", step.level);
  if (step.age > 0) text += " in the repetition before";
  return text;
}

}  // namespace

std::string_view to_string(Flag flag) {
  constexpr std::array<std::string_view, kFlags> kNames{"arrived", "agreed",   "ready", "copied",
                                                        "reduced", "complete", "taken"};
  return kNames[static_cast<std::size_t>(flag)];
}

std::string describe(const Step& step, int rank) {
  switch (step.action) {
    case Action::copy:
    case Action::reduce:
      return fmt::format("{} {} -> {}{}", step.action == Action::copy || step.from.size() == 1 ? "copy" : "reduce",
                         names_of(step.from, rank), names_of(step.to, rank),
                         step.slice.of > 1 ? fmt::format(", part {} of {}", step.slice.index + 1, step.slice.of) : "");
    case Action::across:
      return fmt::format("reduce {} across nodes", names_of(step.to, rank));
    case Action::synchronize:
      return "until this has happened";
    case Action::signal:
      return fmt::format("say: {}", flag_of(step));
    case Action::wait:
      return fmt::format("until rank {} says: {}", step.peer, flag_of(step));
    case Action::record:
      return fmt::format("record event {}", step.peer);
    case Action::await:
      break;
  }
  return fmt::format("behind event {}", step.peer);
}

std::string describe(const Plan& plan) {
  const Movement moved = movement(plan);
  const bool allreduce = plan.collective == Collective::allreduce;
  std::string text =
      fmt::format("{}{}, {} ranks: moves {} m in GPU memory", plan.algorithm,
                  allreduce ? "" : fmt::format(" ({})", to_string(plan.collective)), plan.ranks, moved.gpu);
  if (moved.host > 0) text += fmt::format(", {} m in host memory, {} m between the two", moved.host, moved.bus);
  text += '\n';
  for (int rank = 0; rank < plan.ranks; ++rank) {
    text += fmt::format("rank {}\n", rank);
    for (const auto* steps : {&plan.agreement, &plan.steps}) {
      for (const Step& step : (*steps)[static_cast<std::size_t>(rank)])
        text += fmt::format("  {}{}\n", describe(step, rank), steps == &plan.agreement ? "   (once a call)" : "");
    }
  }
  return text;
}

}  // namespace topowise::collective
