// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/node_team.hpp>

#include <new>

#include <topowise/interpose/allreduce/allreduce_settings.hpp>
#include <topowise/interpose/allreduce/calls.hpp>
#include <topowise/interpose/allreduce/predefined.hpp>
#include <topowise/interpose/base/print_stderr.hpp>

namespace topowise::interpose::allreduce {
namespace {

int gather(void* context, const void* mine, void* all, std::size_t bytes) {
  const Word byte = mpi()->family.type_byte;
  const int count = static_cast<int>(bytes);
  return calls()->Allgather(mine, count, byte, all, count, byte, static_cast<const Team*>(context)->comm);
}

int lead(void* context, bool leads) {
  auto& team = *static_cast<Team*>(context);
  Word made = 0;
  int rank = 0;
  if (const int status = mpi()->Comm_rank(team.comm, &rank); status != 0) return status;
  if (const int status = calls()->Comm_split(team.comm, leads ? 1 : 0, rank, &made); status != 0) return status;
  team.leaders = mpi()->family.handle_at(&made);
  team.leads = leads;
  return 0;
}

int bitwise_and(void* context, void* words, std::size_t bytes) {
  const Mpi& m = *mpi();
  return calls()->Allreduce(m.family.in_place, words, static_cast<int>(bytes), m.family.type_byte,
                            operation_handle(m, "band"), static_cast<const Team*>(context)->leaders);
}

int reduce_across(void* context, void* vector, std::uint64_t count) {
  const auto& team = *static_cast<const Team*>(context);
  return calls()->Allreduce(mpi()->family.in_place, vector, static_cast<int>(count), team.type, team.operation,
                            team.leaders);
}

/// Starts a request that never completes. MPI libraries go on with everything where the program tests such a request,
/// and here it always may: it is in a call of MPI's. Generalized requests need no communicator and no partner.
void start_unending(Team& team) {
  const auto query = [](void*, void* /*status*/) { return 0; };
  const auto leave = [](void*) { return 0; };
  const auto cancel = [](void*, int /*complete*/) { return 0; };
  Word made = 0;
  if (calls()->Grequest_start(query, leave, cancel, nullptr, &made) == 0)
    team.unending = mpi()->family.handle_at(&made);
}

void progress(void* context) {
  auto& team = *static_cast<Team*>(context);
  int complete = 0;
  if (team.unending != 0) calls()->Test(&team.unending, &complete, mpi()->family.status_ignore);
}

/// Whether there are processes of another job, which may not have this library.
bool has_outsiders(const MemberList& members) {
  for (std::int32_t index = 0; index < members.size(); ++index)
    if (members[index] == kOutside) return true;
  return false;
}

void open(const Communicator& communicator, Team& team) {
  const Mpi& m = *mpi();
  if (communicator.inter || has_outsiders(communicator.members)) return;
  team.comm = communicator.handle;
  plugin_interface::Meeting meeting{.algorithm = settings().algorithm,
                                    .gather = gather,
                                    .across = {lead, bitwise_and, reduce_across},
                                    .progress = progress,
                                    .context = &team};
  if (m.Comm_rank(team.comm, &meeting.rank) != 0 || m.Comm_size(team.comm, &meeting.size) != 0) return;
  plugin_interface::Message message{};
  team.ranks = reducer()->open(&meeting, &message, &team.alone);
  if (team.ranks != nullptr && meeting.size > 1) {
    team.pass = reducer()->pass;
    start_unending(team);
  }
  if (team.alone)
    print_stderr(-1, "%s of %d ranks: %s; the others may wait for this rank", answered, meeting.size, message.data());
  else if (team.ranks == nullptr && meeting.rank == 0 && settings().report)
    print_stderr(-1, "%s of %d ranks stays the MPI library's: %s", answered, meeting.size, message.data());
}

}  // namespace

Team::~Team() {
  if (ranks != nullptr) reducer()->close(ranks);
  if (leaders != 0) calls()->Comm_free(&leaders);
  if (unending == 0) return;
  calls()->Grequest_complete(unending);
  calls()->Wait(&unending, mpi()->family.status_ignore);
}

Team* node_team(Communicator& communicator) noexcept try {
  if (Attachment* known = communicator.attached(AttachedBy::allreduce)) return static_cast<Team*>(known);
  auto fresh = std::make_unique<Team>();
  open(communicator, *fresh);
  return &static_cast<Team&>(communicator.attach(AttachedBy::allreduce, std::move(fresh)));
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace topowise::interpose::allreduce
