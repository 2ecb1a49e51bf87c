// SPDX-License-Identifier: BSD-3-Clause
// All processes take the new order or none does: tried in every order of their calls of MPI, up to a number of
// interruptions, with one thing that goes wrong in any of the calls. A process may have no memory left at any
// allocation, MPI may fail, and a process may die.
#include <topowise/interpose/reordering/create.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <tests/stand_in_mpi/scheduled.hpp>
#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/own_communicator.hpp>
#include <topowise/interpose/reordering/watch.hpp>
#include <topowise/launch/reorder_variables.hpp>

[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = topowise::stand_in::memory_ends() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace topowise::interpose;
using namespace topowise::interpose::reordering;
using topowise::fixtures::Choices;
using topowise::fixtures::Scheduler;
using topowise::stand_in::Fault;
using topowise::stand_in::Job;
using topowise::stand_in::kNull;
using topowise::stand_in::kWorld;
using topowise::stand_in::Rules;

namespace {

constexpr int kUnfinished = -1;
constexpr CallSite kSite{.function = "MPI_X_create", .address = nullptr};

struct Outcome {
  int status = kUnfinished;
  int made = 0;
};

/// What a rank of so many does; it returns MPI's status.
using Program = std::function<int(int rank, int size, int& made)>;

struct Result {
  std::size_t runs = 0;
  std::size_t moved = 0;   ///< runs in which all took the new order
  std::size_t stayed = 0;  ///< runs in which none did
  std::size_t faults = 0;  ///< runs in which something went wrong
  std::size_t saved = 0;   ///< of these: all ranks got a communicator all the same
  std::string wrong;       ///< the first run in which the ranks did not agree
};

/// What is wrong with the outcomes; empty if the ranks agree.
std::string find_wrong(const Job& job, std::span<const Outcome> outcomes) {
  if (!job.violation.empty()) return job.violation;
  const Rules& rules = job.rules;
  const bool mpi_failed = rules.fault == Fault::death || (rules.fault == Fault::error && !rules.fatal);
  const bool raised = rules.fault == Fault::no_memory && !rules.fatal;
  if (job.stuck && !(job.was_fault && (mpi_failed || raised))) return "ranks wait for ever";
  int made = kNull;
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank)
    if (outcomes[rank].status == 0 && !job.is_dead(rank) && outcomes[rank].made != kNull) made = outcomes[rank].made;
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    const Outcome& one = outcomes[rank];
    if (!job.was_fault && one.status != 0) return "a rank failed where nothing went wrong";
    if (one.status != 0 || job.is_dead(rank) || made == kNull) continue;
    const std::vector<int>& members = job.members(made);
    const bool is_member = std::ranges::find(members, static_cast<int>(rank)) != members.end();
    if (one.made != (is_member ? made : kNull)) return "some ranks took the new order, some did not";
  }
  return {};
}

/// One line of the product's for each run would hide the result.
class WithoutLines {
 public:
  WithoutLines() : kept_(::dup(STDERR_FILENO)) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDERR_FILENO);
    ::close(nowhere);
  }
  WithoutLines(const WithoutLines&) = delete;
  WithoutLines& operator=(const WithoutLines&) = delete;
  ~WithoutLines() {
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
  }

 private:
  int kept_;
};

void count(Result& counts, const Job& job, std::span<const Outcome> outcomes) {
  ++counts.runs;
  counts.faults += job.was_fault ? 1 : 0;
  const bool all = std::ranges::all_of(outcomes, [](const Outcome& one) { return one.status == 0; });
  counts.saved += all && job.was_fault ? 1 : 0;
  for (const Outcome& one : outcomes) {
    if (!all || one.made == kNull) continue;
    const std::vector<int>& members = job.members(one.made);
    ++(std::ranges::is_sorted(members) ? counts.stayed : counts.moved);
    break;
  }
  if (counts.wrong.empty()) counts.wrong = find_wrong(job, outcomes);
}

Result try_all(const Program& program, std::size_t size, int interruptions, const Rules& rules) {
  ::setenv(topowise::kReorderVariable, "asked", 1);
  ::setenv(topowise::kReorderTopologyVariable, "the engine does not look at it", 1);
  ::setenv("HWLOC_FSROOT", "/nowhere", 1);
  const WithoutLines quiet;
  Choices choices;
  Result counts;
  do {
    Scheduler scheduler(choices, size, interruptions);
    Job job(scheduler, size, rules);
    std::vector<Outcome> outcomes(size);
    models().begin_world();
    scheduler.run([&](std::size_t rank) {
      Outcome& own = outcomes[rank];
      job.begin(static_cast<int>(rank));
      own.status = program(static_cast<int>(rank), static_cast<int>(size), own.made);
      Job::end();
    });
    close_own_communicator();
    for (const Outcome& one : outcomes) forget_watch(one.made);
    count(counts, job, outcomes);
  } while (counts.wrong.empty() && choices.next());
  return counts;
}

int cart(int rank, int size, int& made) {
  static_cast<void>(rank);
  const std::array<int, 1> extents{size};
  const std::array<int, 1> periodic{0};
  return cart_create(kWorld, 1, extents.data(), periodic.data(), 1, &made, kSite);
}

/// The second call meets what the first one has left.
int two_grids(int rank, int size, int& made) {
  const int status = cart(rank, size, made);
  return status == 0 ? cart(rank, size, made) : status;
}

/// One process plays no vertex.
int smaller_graph(int rank, int size, int& made) {
  static_cast<void>(rank);
  const std::array<int, 3> index{1, 2, 2};
  const std::array<int, 2> neighbors{1, 0};
  return graph_create(kWorld, size - 1, index.data(), neighbors.data(), 1, &made, kSite);
}

/// Rank 0 does not ask for another order.
int disagreeing_cart(int rank, int size, int& made) {
  const std::array<int, 1> extents{size};
  const std::array<int, 1> periodic{0};
  return cart_create(kWorld, 1, extents.data(), periodic.data(), rank, &made, kSite);
}

int edges(int rank, int size, int& made) {
  const int source = rank;
  const int degree = 1;
  const int destination = (rank + 1) % size;
  return dist_graph_create(kWorld, 1, &source, &degree, &destination, mpi()->family.unweighted, 0, 1, &made, kSite);
}

int neighbors(int rank, int size, int& made) {
  const int before = (rank + size - 1) % size;
  const int after = (rank + 1) % size;
  return dist_graph_create_adjacent(kWorld, 1, &before, mpi()->family.unweighted, 1, &after, mpi()->family.unweighted,
                                    0, 1, &made, kSite);
}

/// A faulty one: where MPI has failed, the rank goes on in the old order.
int alone_after_failure(int rank, int size, int& made) {
  if (cart(rank, size, made) == 0) return 0;
  const std::array<int, 1> extents{size};
  const std::array<int, 1> periodic{0};
  return calls()->Cart_create(kWorld, 1, extents.data(), periodic.data(), 0, &made);
}

struct Named {
  std::string name;
  Program program;
};
const std::array<Named, 5> kPrograms{{{"a grid", cart},
                                      {"a graph with fewer vertices", smaller_graph},
                                      {"ranks that disagree", disagreeing_cart},
                                      {"a distributed graph", edges},
                                      {"an adjacent distributed graph", neighbors}}};

/// Tries all programs, and returns the counts of all together.
Result try_programs(std::size_t size, int interruptions, const Rules& rules) {
  Result sum;
  for (const Named& each : kPrograms) {
    CAPTURE(each.name);
    const Result counts = try_all(each.program, size, interruptions, rules);
    CHECK(counts.wrong == "");
    sum.runs += counts.runs;
    sum.moved += counts.moved;
    sum.stayed += counts.stayed;
    sum.faults += counts.faults;
    sum.saved += counts.saved;
  }
  MESSAGE(sum.runs << " schedules: " << sum.moved << " with the new order, " << sum.stayed << " with the old one; "
                   << sum.faults << " faults, " << sum.saved << " without harm");
  return sum;
}

}  // namespace

TEST_CASE("two or three processes are reordered together, in whatever order they act") {
  for (const bool synchronous : {false, true}) {
    CHECK(try_programs(2, 4, {.synchronous = synchronous}).moved > 0);
    CHECK(try_programs(3, 2, {.synchronous = synchronous}).moved > 0);
  }
}

TEST_CASE("a second call is not disturbed by what went wrong in the first one") {
  CHECK(try_all(two_grids, 2, 2, {}).wrong == "");
  for (const Fault fault : {Fault::no_memory, Fault::error})
    CHECK(try_all(two_grids, 2, 1, {.fault = fault, .fatal = false}).wrong == "");
}

TEST_CASE("a process without memory: all stay, or the error handler ends the job") {
  const Result counts = try_programs(3, 1, {.fault = Fault::no_memory});
  CHECK(counts.saved > 0);
}

TEST_CASE("a process without memory where errors return: no process has another order than the rest") {
  CHECK(try_programs(2, 1, {.fault = Fault::no_memory, .fatal = false}).saved > 0);
}

TEST_CASE("a process that dies: no process has another order than the rest") {
  for (const bool synchronous : {false, true})
    CHECK(try_programs(3, 1, {.fault = Fault::death, .synchronous = synchronous}).faults > 0);
}

TEST_CASE("a failure of MPI: no process has another order than the rest") {
  for (const bool fatal : {false, true}) CHECK(try_programs(3, 1, {.fault = Fault::error, .fatal = fatal}).faults > 0);
}

TEST_CASE("a rank that goes on alone after a failure is found") {
  const Result counts = try_all(alone_after_failure, 2, 0, {.fault = Fault::error, .fatal = false});
  CHECK(counts.wrong != "");
}
