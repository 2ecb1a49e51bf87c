// SPDX-License-Identifier: BSD-3-Clause
// All ranks return the same from every call, whatever goes wrong in one of them: tried in every order of their steps,
// up to a number of interruptions. The driver or MPI may fail, a process may have no memory left or die, in any step.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <topowise/collective/collectives.hpp>

#include "scheduled_ranks.hpp"

[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = topowise::collective::memory_ends() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace topowise;
using namespace topowise::collective;
using fixtures::Choices;
using fixtures::Scheduler;

namespace {

/// What a rank makes of one call.
enum class Way { on_gpu, on_host, fewer_elements, unreadable };
/// What a rank returns from one call. in_mpi: it is still in the MPI library's collective, or that has failed.
enum class Returned { nothing, done, error, by_mpi, spoiled, in_mpi };

struct Scenario {
  std::string name;
  std::vector<int> nodes;               ///< of each rank
  std::vector<std::vector<Way>> calls;  ///< by call, then by rank
  const char* algorithm;

  [[nodiscard]] bool fails_only_by_faults() const {
    const auto fails = [](Way way) { return way == Way::fewer_elements || way == Way::unreadable; };
    return std::ranges::none_of(calls, [&](const std::vector<Way>& call) { return std::ranges::any_of(call, fails); });
  }
};

struct Result {
  std::size_t runs = 0;
  std::size_t faults = 0;  ///< runs in which something went wrong
  std::size_t done = 0;    ///< calls that the GPUs did
  std::size_t mpi = 0;     ///< calls that the MPI library did
  std::size_t errors = 0;  ///< calls that failed, at all ranks
  std::string wrong;       ///< of the first run in which ranks did not agree
};

/// By call, then by rank.
using Outcomes = std::vector<std::vector<Returned>>;

std::uint32_t value_of(int rank, std::size_t call) {
  return static_cast<std::uint32_t>((rank + 1) * static_cast<int>(call + 1));
}

class Rank {
 public:
  Rank(ScheduledJob& job, const Scenario& scenario, int rank, Outcomes& outcomes)
      : job_(job), scenario_(scenario), rank_(rank), outcomes_(outcomes) {}

  void run() {
    try {
      make();
    } catch (const Error&) {
      return;
    } catch (const std::exception&) {
      job_.end_by_mpi();
      return;
    }
    for (std::size_t call = 0; call < scenario_.calls.size() && !job_.mpi_ended && !job_.is_dead(rank_); ++call) {
      const Returned returned = one(call);
      if (!job_.is_dead(rank_) && (!job_.over || returned == Returned::in_mpi))
        outcomes_[call][static_cast<std::size_t>(rank_)] = returned;
    }
  }
  /// Kept until the others have ended: what a rank does at its end is not looked at here.
  std::unique_ptr<Collectives> take() { return std::move(collectives_); }

 private:
  void make() {
    CollectiveOptions options{.algorithm = find_algorithm(scenario_.algorithm), .staging_piece = 4096};
    Across across = job_.nodes() > 1 ? job_.across() : Across{};
    collectives_ = std::make_unique<Collectives>(job_.rank_on_node(rank_), job_.ranks_on_node(rank_), options,
                                                 job_.exchange(), std::move(across));
  }

  Returned one(std::size_t call) {
    const Way way = scenario_.calls[call][static_cast<std::size_t>(rank_)];
    std::vector<std::uint32_t>& input = job_.input(rank_);
    std::ranges::fill(input, value_of(rank_, call));
    if (way == Way::on_host) {
      collectives_->pass();
      return by_mpi(call, way);
    }
    const CollectiveCall asked{.input = input.data(),
                               .output = job_.output(rank_).data(),
                               .count = way == Way::fewer_elements ? input.size() - 1 : input.size(),
                               .operation = device::FoldOperation::sum,
                               .element = device::FoldElement::u32};
    std::string message;
    job_.enter_call(rank_);
    const Outcome outcome = collectives_->perform(asked, message);
    job_.leave_call(rank_);
    if (outcome == Outcome::through_mpi) return by_mpi(call, way);
    if (outcome == Outcome::failed) return Returned::error;
    check_result(call);
    return Returned::done;
  }

  Returned by_mpi(std::size_t call, Way way) {
    if (way == Way::unreadable) collectives_->spoil();
    if (!job_.mpi_reduces(static_cast<int>(call))) return Returned::in_mpi;
    return collectives_->is_spoiled() ? Returned::spoiled : Returned::by_mpi;
  }

  void check_result(std::size_t call) {
    std::uint32_t sum = 0;
    for (int rank = 0; rank < job_.ranks(); ++rank) sum += value_of(rank, call);
    if (job_.is_dead(rank_)) return;
    for (const std::uint32_t value : job_.output(rank_))
      if (value != sum) job_.violation = "a result is wrong";
  }

  ScheduledJob& job_;
  const Scenario& scenario_;
  int rank_;
  Outcomes& outcomes_;
  std::unique_ptr<Collectives> collectives_;
};

bool is_in_mpi(Returned returned) {
  return returned == Returned::by_mpi || returned == Returned::spoiled || returned == Returned::in_mpi;
}

/// The first rank of a node may die after it has learnt from the other nodes that all went well, before it says so.
/// Then the others of its node cannot know, and return an error.
bool has_lost_first(const ScheduledJob& job, int rank) {
  if (job.nodes() == 1) return false;
  int first = 0;
  while (job.node_of(first) != job.node_of(rank)) ++first;
  return job.is_dead(first);
}

std::string describe(const ScheduledJob& job, const Outcomes& outcomes) {
  std::string text = "ranks returned different things:";
  for (const std::vector<Returned>& call : outcomes)
    for (std::size_t rank = 0; rank < call.size(); ++rank)
      text += fmt::format("{} {}{}", rank == 0 ? ";" : "", static_cast<int>(call[rank]),
                          job.is_dead(static_cast<int>(rank)) ? " (dead)" : "");
  return text;
}

std::string find_wrong(const Scenario& scenario, const ScheduledJob& job, const Outcomes& outcomes) {
  if (!job.violation.empty()) return job.violation;
  if (job.over && !job.mpi_ended) return "ranks wait for ever";
  if (job.mpi_ended && !job.was_fault) return "ranks wait in MPI for ever";
  bool failed = false;
  for (std::size_t call = 0; call < outcomes.size(); ++call) {
    std::optional<Returned> first;
    for (std::size_t rank = 0; rank < outcomes[call].size(); ++rank) {
      const Returned one = outcomes[call][rank];
      if (one == Returned::nothing || has_lost_first(job, static_cast<int>(rank))) continue;
      const bool both_in_mpi = is_in_mpi(one) && first && is_in_mpi(*first);
      if (both_in_mpi && (one == Returned::in_mpi || *first == Returned::in_mpi)) continue;
      if (first && one != *first) return describe(job, outcomes);
      first = one;
    }
    if (failed && first == Returned::done) return "a call after a failure was not left to MPI";
    failed = failed || (first == Returned::error && scenario.fails_only_by_faults());
  }
  return {};
}

void count(Result& result, const Scenario& scenario, const ScheduledJob& job, const Outcomes& outcomes) {
  ++result.runs;
  result.faults += job.was_fault ? 1 : 0;
  for (const std::vector<Returned>& call : outcomes) {
    result.done += std::ranges::find(call, Returned::done) != call.end() ? 1 : 0;
    result.mpi += std::ranges::find(call, Returned::by_mpi) != call.end() ? 1 : 0;
    result.errors +=
        std::ranges::count_if(call, [](Returned one) { return one == Returned::error || one == Returned::spoiled; }) > 0
            ? 1
            : 0;
  }
  if (result.wrong.empty()) result.wrong = find_wrong(scenario, job, outcomes);
}

Result try_all(const Scenario& scenario, int interruptions, Fault fault) {
  Choices choices;
  Result result;
  do {
    Scheduler scheduler(choices, scenario.nodes.size(), interruptions);
    ScheduledJob job(scheduler, scenario.nodes, fault);
    Outcomes outcomes(scenario.calls.size(), std::vector<Returned>(scenario.nodes.size(), Returned::nothing));
    std::vector<std::unique_ptr<Collectives>> ended(scenario.nodes.size());
    job.run([&](int number) {
      Rank rank(job, scenario, number, outcomes);
      rank.run();
      ended[static_cast<std::size_t>(number)] = rank.take();
    });
    ended.clear();
    count(result, scenario, job, outcomes);
  } while (result.wrong.empty() && choices.next());
  return result;
}

std::vector<Scenario> scenarios() {
  using enum Way;
  std::vector<Scenario> all{
      {"two calls", {0, 0}, {{on_gpu, on_gpu}, {on_gpu, on_gpu}}, "staged-host"},
      {"the host's vector at one rank",
       {0, 0},
       {{on_gpu, on_host}, {on_host, on_gpu}, {on_gpu, on_gpu}},
       "staged-host"},
      {"a vector that cannot be read",
       {0, 0},
       {{unreadable, on_host}, {on_host, on_host}, {on_gpu, on_gpu}},
       "staged-host"},
      {"different counts", {0, 0}, {{on_gpu, fewer_elements}, {on_gpu, on_gpu}}, "staged-host"},
      {"three ranks", {0, 0, 0}, {{on_gpu, on_gpu, on_gpu}, {on_gpu, on_gpu, on_gpu}}, "staged-host"},
      {"two nodes", {0, 0, 1}, {{on_gpu, on_gpu, on_gpu}, {on_gpu, on_host, on_gpu}}, "staged-host"}};
  if (!device::lack_of_kernels().empty()) return all;
  all.push_back({"one kernel for two", {0, 0}, {{on_gpu, on_gpu}, {on_gpu, on_gpu}}, "leader-fused"});
  all.push_back(
      {"one kernel for three", {0, 0, 0}, {{on_gpu, on_gpu, on_gpu}, {on_gpu, on_gpu, on_gpu}}, "leader-fused"});
  return all;
}

/// Interruptions among two ranks, among three, and among three on two nodes.
Result try_scenarios(int of_two, int of_three, int of_nodes, Fault fault) {
  Result sum;
  for (const Scenario& scenario : scenarios()) {
    CAPTURE(scenario.name);
    const int interruptions = scenario.nodes.size() == 2 ? of_two : scenario.nodes.back() == 0 ? of_three : of_nodes;
    const Result result = try_all(scenario, interruptions, fault);
    CHECK(result.wrong == "");
    sum.runs += result.runs;
    sum.faults += result.faults;
    sum.done += result.done;
    sum.mpi += result.mpi;
    sum.errors += result.errors;
  }
  MESSAGE(sum.runs << " schedules, " << sum.faults << " faults; calls: " << sum.done << " done, " << sum.mpi
                   << " by MPI, " << sum.errors << " failed");
  return sum;
}

/// Four broadcasts through the MPI library, which lets the root get ahead. The root cannot read its vector in calls 1
/// and 3. Returns which calls the other rank took for spoiled, each after at least `ahead` calls of the root.
std::vector<bool> spoiled_broadcasts(Choices& choices, int ahead) {
  Scheduler scheduler(choices, 2, 1);
  ScheduledJob job(scheduler, {0, 0}, Fault::none);
  std::vector<std::unique_ptr<Collectives>> ranks(2);
  std::vector<bool> spoiled;
  int sent = 0;
  job.run([&](int rank) {
    const CollectiveOptions options{.algorithm = find_algorithm("staged-host"), .staging_piece = 4096};
    std::unique_ptr<Collectives>& mine = ranks[static_cast<std::size_t>(rank)];
    mine = std::make_unique<Collectives>(rank, 2, options, job.exchange());
    for (int call = 1; call <= 4; ++call) {
      mine->pass();
      if (rank == 0) {
        if (call % 2 == 1) mine->spoil();
        sent = call;
        job.step();
        continue;
      }
      while (sent < std::max(call, ahead))
        if (!job.pause()) return;
      spoiled.push_back(mine->is_spoiled());
    }
  });
  ranks.clear();
  return spoiled;
}

}  // namespace

TEST_CASE("a rank that is behind the root of a broadcast learns that its vector could not be read") {
  for (int ahead = 1; ahead <= 4; ++ahead) {
    Choices choices;
    std::size_t runs = 0;
    do {
      CAPTURE(ahead);
      CHECK(spoiled_broadcasts(choices, ahead) == std::vector<bool>{true, false, true, false});
      ++runs;
    } while (choices.next());
    CHECK(runs > 1);
  }
}

TEST_CASE("ranks agree in whatever order they act") {
  const Result result = try_scenarios(1, 1, 0, Fault::none);
  CHECK(result.done > 0);
  CHECK(result.mpi > 0);
  CHECK(result.errors > 0);
}

TEST_CASE("ranks agree if the driver fails in one of them") {
  CHECK(try_scenarios(1, 0, 0, Fault::driver).errors > 0);
}

TEST_CASE("ranks agree if one of them dies") {
  CHECK(try_scenarios(1, 0, 0, Fault::death).errors > 0);
}

TEST_CASE("ranks agree if one of them has no memory left") {
  CHECK(try_scenarios(0, 0, 0, Fault::no_memory).faults > 0);
}

TEST_CASE("ranks agree if MPI fails in one of them") {
  CHECK(try_scenarios(1, 0, 1, Fault::mpi).faults > 0);
}

TEST_SUITE("wide") {
  TEST_CASE("ranks agree with one more interruption, whatever goes wrong") {
    CHECK(try_scenarios(2, 1, 1, Fault::none).errors > 0);
    CHECK(try_scenarios(1, 0, 1, Fault::driver).errors > 0);
    CHECK(try_scenarios(1, 0, 1, Fault::death).errors > 0);
    CHECK(try_scenarios(1, 0, 0, Fault::no_memory).faults > 0);
  }
}
