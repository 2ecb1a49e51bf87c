// SPDX-License-Identifier: BSD-3-Clause
// Neighbours are never more than one iteration apart, so it is enough to read the clock once before and once after many
// iterations. Processes may sleep in the barrier; warm-up iterations then bring them into step.
#include <topowise/benchmark/measure_exchange.hpp>

#include <algorithm>
#include <chrono>

namespace topowise::benchmark {
namespace {

/// The value of the bytes that this process sends. It is never 0, which is the value of fresh memory.
unsigned char mark_of(int process) {
  constexpr int kMarks = 251;
  return static_cast<unsigned char>(1 + process % kMarks);
}

/// True if the first and the last byte of each message have the mark of its sender.
bool all_arrived(const ExchangeMemory& memory, const RankMessages& own) {
  return std::ranges::all_of(own.in, [&](const Part& part) {
    const unsigned char expected = mark_of(part.other);
    return part.bytes == 0 ||
           (memory.received(part.offset) == expected && memory.received(part.offset + part.bytes - 1) == expected);
  });
}

double seconds_of_one(ExchangeMemory& memory, const RankMessages& own, const ExchangePlan& plan) {
  for (int i = 0; i < plan.warm_up; ++i) memory.exchange(own);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < plan.repetitions; ++i) memory.exchange(own);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / plan.repetitions;
}

bool are_to_stop(const mpi::Team& team, const ExchangePlan& plan) {
  return plan.stop && team.sum(plan.stop() ? 1.0 : 0.0) > 0;
}

}  // namespace

std::vector<ExchangeTimes> measure_exchange(const mpi::Team& team, const mpi::Messages& messages,
                                            ExchangeMemory& memory,
                                            const std::vector<std::vector<RankMessages>>& of_mapping,
                                            const ExchangePlan& plan) {
  const auto me = static_cast<std::size_t>(team.rank());
  std::vector<double> own;
  for (int run = 0; run < plan.runs && !are_to_stop(team, plan); ++run) {
    for (const std::vector<RankMessages>& of_process : of_mapping) {
      messages.wait_for_all();
      own.push_back(seconds_of_one(memory, of_process[me], plan));
    }
  }
  if (own.empty()) return std::vector<ExchangeTimes>(of_mapping.size());
  std::vector<std::int64_t> wrong;
  for (const std::vector<RankMessages>& of_process : of_mapping) {
    memory.mark(0);
    messages.wait_for_all();
    memory.exchange(of_process[me]);
    messages.wait_for_all();
    memory.mark(mark_of(team.rank()));
    messages.wait_for_all();
    memory.exchange(of_process[me]);
    messages.wait_for_all();
    wrong.push_back(all_arrived(memory, of_process[me]) ? 0 : 1);
  }
  wrong = team.sum(wrong);
  const std::vector<std::vector<double>> all = team.gather_at_all(own);
  std::vector<ExchangeTimes> times(of_mapping.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    double slowest = 0;
    for (const std::vector<double>& of_process : all) slowest = std::max(slowest, of_process[i]);
    times[i % of_mapping.size()].runs.push_back(slowest);
  }
  for (std::size_t m = 0; m < times.size(); ++m) times[m].right = wrong[m] == 0;
  return times;
}

}  // namespace topowise::benchmark
