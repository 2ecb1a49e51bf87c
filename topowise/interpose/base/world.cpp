// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/world.hpp>

#include <algorithm>

#include <topowise/interpose/base/world_order.hpp>

namespace topowise::interpose {

Models& models() {
  static Models& all = *new Models;  // never destroyed: threads may outlive the program's static objects
  return all;
}

bool Models::world_is_active() const {
  const std::scoped_lock lock(mutex_);
  return world_active_;
}

std::optional<Word> Models::live_session() const {
  const std::scoped_lock lock(mutex_);
  return sessions_.empty() ? std::nullopt : std::optional(sessions_.front());
}

bool Models::look(const Mpi& m) {
  int initialized = 0;
  int finalized = 0;
  if (m.Initialized(&initialized) != 0 || m.Finalized(&finalized) != 0) return false;
  const std::scoped_lock lock(mutex_);
  world_active_ = initialized != 0 && finalized == 0 && !world_ended_;
  return world_active_ || !sessions_.empty();
}

void Models::begin_world() {
  const std::scoped_lock lock(mutex_);
  world_active_ = !world_ended_;
}

void Models::open_session(Word session) {
  const std::scoped_lock lock(mutex_);
  if (std::find(sessions_.begin(), sessions_.end(), session) == sessions_.end()) sessions_.push_back(session);
}

bool Models::end_world() {
  const std::scoped_lock lock(mutex_);
  world_active_ = false;
  world_ended_ = true;
  return sessions_.empty();
}

bool Models::close_session(Word session) {
  const std::scoped_lock lock(mutex_);
  std::erase(sessions_, session);
  return sessions_.empty() && !world_active_;
}

bool get_world(const Mpi& m, Group& group) {
  if (models().world_is_active()) return group.accept(m.Comm_group(in_order(m.family.comm_world), group.out()));
  const std::optional<Word> session = models().live_session();
  if (!session || m.Group_from_session_pset == nullptr) return false;
  return group.accept(m.Group_from_session_pset(*session, "mpi://WORLD", group.out()));
}

std::optional<World> world() {
  const Mpi& m = *mpi();
  World world{};
  if (models().world_is_active()) {
    const Word all = in_order(m.family.comm_world);
    if (m.Comm_rank(all, &world.rank) != 0 || m.Comm_size(all, &world.size) != 0) return {};
    return world;
  }
  Group group(m);
  if (!get_world(m, group) || m.Group_rank(group.word(), &world.rank) != 0 ||
      m.Group_size(group.word(), &world.size) != 0)
    return {};
  return world;
}

}  // namespace topowise::interpose
