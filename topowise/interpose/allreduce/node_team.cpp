// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/node_team.hpp>

#include <new>

#include <topowise/interpose/allreduce/calls.hpp>
#include <topowise/interpose/allreduce/settings.hpp>
#include <topowise/interpose/base/complain.hpp>

namespace topowise::interpose::allreduce {
namespace {

struct Team final : Attachment {
  void* ranks = nullptr;
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() override {
    if (ranks != nullptr) reducer()->close(ranks);
  }
};

int gather(void* context, const void* mine, void* all, std::size_t bytes) {
  const Word comm = *static_cast<const Word*>(context);
  const Word byte = mpi()->family.type_byte;
  const int count = static_cast<int>(bytes);
  return calls()->Allgather(mine, count, byte, all, count, byte, comm);
}

/// Processes of another job, which may not have this library.
bool has_outsiders(const MemberList& members) {
  for (std::int32_t index = 0; index < members.size(); ++index)
    if (members[index] == kOutside) return true;
  return false;
}

void* open(const Communicator& communicator) {
  const Mpi& m = *mpi();
  if (communicator.inter || has_outsiders(communicator.members)) return nullptr;
  Word comm = communicator.handle;
  door::Meeting meeting{.algorithm = settings().algorithm, .gather = gather, .context = &comm};
  if (m.Comm_rank(comm, &meeting.rank) != 0 || m.Comm_size(comm, &meeting.size) != 0) return nullptr;
  door::Message message{};
  void* ranks = reducer()->open(&meeting, &message);
  if (ranks == nullptr && meeting.rank == 0 && settings().report)
    complain(-1, "MPI_Allreduce of %d ranks stays the MPI library's: %s", meeting.size, message.data());
  return ranks;
}

}  // namespace

void* node_team(Communicator& communicator) noexcept try {
  if (const Attachment* known = communicator.attached(AttachedBy::allreduce))
    return static_cast<const Team*>(known)->ranks;
  auto fresh = std::make_unique<Team>();
  fresh->ranks = open(communicator);
  return static_cast<Team&>(communicator.attach(AttachedBy::allreduce, std::move(fresh))).ranks;
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace topowise::interpose::allreduce
