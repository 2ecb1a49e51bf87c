// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/measure.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <thread>

namespace topowise::probe {
namespace {

/// Seconds. A clock that did not move says "less than this", and nothing is divided by 0.
constexpr double kTick = 1e-9;

PairSamples measure_pair(Memory& memory, const PairOfPlaces& pair, const Plan& plan) {
  const std::unique_ptr<Line> line = memory.connect(pair.first, pair.second, plan.sizes.back());
  return measure_pair(*line, pair, plan);
}

std::vector<PairSamples> measure_round(Memory& memory, const std::vector<PairOfPlaces>& pairs, const Plan& plan) {
  std::vector<PairSamples> samples(pairs.size());
  std::vector<std::exception_ptr> failures(pairs.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          samples[i] = measure_pair(memory, pairs[i], plan);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return samples;
}

}  // namespace

PairSamples measure_pair(Line& line, const PairOfPlaces& pair, const Plan& plan) {
  PairSamples samples{pair.first, pair.second, {}};
  for (const std::size_t size : plan.sizes) {
    SizeSamples& of_size = samples.by_size.emplace_back();
    for (int repetition = -plan.warm_up; repetition < plan.repetitions; ++repetition) {
      const Line::PingPong times = line.ping_pong(size);
      const double both = line.both_ways(size);
      if (repetition < 0) continue;
      of_size.forth.push_back(std::max(times.forth, kTick));
      of_size.back.push_back(std::max(times.back, kTick));
      of_size.both.push_back(std::max(both, kTick));
    }
  }
  return samples;
}

Samples measure(const Topology& machine, Memory& memory, const Plan& plan,
                const std::function<void(std::size_t done)>& progress) {
  std::map<PairOfPlaces, PairSamples> measured;
  for (const std::vector<PairOfPlaces>& round : rounds(machine, plan.pairs, memory.most_at_once())) {
    std::vector<PairSamples> samples = measure_round(memory, round, plan);
    for (std::size_t i = 0; i < round.size(); ++i) measured[round[i]] = std::move(samples[i]);
    progress(measured.size());
  }
  Samples all{plan.sizes, {}};
  for (const PairOfPlaces& pair : plan.pairs) all.pairs.push_back(std::move(measured[pair]));
  return all;
}

}  // namespace topowise::probe
