// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/job_members.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <numeric>

#include <topowise/interpose/base/group.hpp>
#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/tally.hpp>

namespace topowise::interpose::reordering {
namespace {

struct Members {
  bool known = false;  ///< MPI has told all members
  bool others = false;
  int first = -1;  ///< the first member that is of this job
};

/// Looks at the members piece by piece, so that no process needs memory for all of them.
Members look(const Mpi& m, Word comm) {
  Members found;
  Group job(m);
  Group own(m);
  int size = 0;
  if (!get_world(m, job) || !own.accept(m.Comm_group(comm, own.out())) || m.Group_size(own.word(), &size) != 0)
    return found;
  std::array<int, 1024> ranks{};
  std::array<int, ranks.size()> in_job{};
  for (int begin = 0; begin < size; begin += static_cast<int>(ranks.size())) {
    const int count = std::min(size - begin, static_cast<int>(ranks.size()));
    std::iota(ranks.begin(), ranks.end(), begin);
    if (m.Group_translate_ranks(own.word(), count, ranks.data(), job.word(), in_job.data()) != 0) return found;
    for (int i = 0; i < count; ++i) {
      const bool other = in_job[static_cast<std::size_t>(i)] == kUndefined;
      found.others = found.others || other;
      if (!other && found.first < 0) found.first = begin + i;
    }
  }
  found.known = true;
  return found;
}

}  // namespace

bool all_of_this_job(const Mpi& m, Word comm, const CallSite& site) {
  if (!detail::merged.load(std::memory_order_relaxed)) return true;
  const Members members = look(m, comm);
  if (members.known && !members.others) return true;
  int rank = -1;
  if (m.Comm_rank(comm, &rank) == 0 && rank == members.first) {
    count(Outcome::left);
    try {
      say_once(about(site, "not all processes are of this job: left to MPI"));
    } catch (const std::bad_alloc&) {  // nobody learns of it, and the call goes to MPI in all processes
    }
  }
  return false;
}

}  // namespace topowise::interpose::reordering
