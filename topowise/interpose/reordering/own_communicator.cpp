// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/own_communicator.hpp>

#include <topowise/interpose/reordering/calls.hpp>

namespace topowise::interpose::reordering {
namespace {

struct Own {
  bool open = false;
  Word comm = 0;
};
Own& own() {
  static constinit Own the_one;
  return the_one;
}

}  // namespace

void open_own_communicator(const Mpi& m) noexcept {
  own().open = calls()->Comm_dup(m.family.comm_world, &own().comm) == 0;
}

void close_own_communicator() noexcept {
  if (own().open) calls()->Comm_free(&own().comm);
  own().open = false;
}

bool has_own_communicator() noexcept {
  return own().open;
}

Word own_communicator(const Mpi& m) noexcept {
  return m.family.handle_at(&own().comm);
}

}  // namespace topowise::interpose::reordering
