// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/leaders.hpp>

namespace topowise::collective {

Leaders::Leaders(std::string_view algorithm, const Layout& layout)
    : ranks_(ranks_by_gpu(layout)), plan_(plan_with_agreement(algorithm, layout.ranks())) {
  use_parts(1);
}

void Leaders::use_parts(int parts) {
  for (int gpu = 0; gpu < count(); ++gpu) plan_.scratch_parts[static_cast<std::size_t>(rank(gpu))] = parts;
}

std::vector<Region> Leaders::sums() const {
  std::vector<Region> all;
  for (int gpu = 0; gpu < count(); ++gpu) all.push_back(sum(gpu));
  return all;
}

std::vector<Region> Leaders::buffers(int gpu, Store store) const {
  std::vector<Region> all;
  for (const int rank : ranks_[static_cast<std::size_t>(gpu)]) all.push_back({store, rank});
  return all;
}

void Leaders::all_others(int gpu, Flag flag, int age) {
  for (int other = 0; other < count(); ++other)
    if (other != gpu) add(gpu, wait_step(rank(other), flag, 0, age));
}

void Leaders::end(int gpu) {
  add(gpu, synchronize_step());
  add(gpu, signal_step(Flag::complete));
  for (const int rank : ranks_[static_cast<std::size_t>(gpu)])
    if (rank != this->rank(gpu))
      plan_.steps[static_cast<std::size_t>(rank)] = {wait_step(this->rank(gpu), Flag::complete)};
}

}  // namespace topowise::collective
