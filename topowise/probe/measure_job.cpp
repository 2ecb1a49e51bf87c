// SPDX-License-Identifier: BSD-3-Clause
// All ranks have the same plan, so no rank has to be notified when it is its turn. Before each round all wait for each
// other, asleep: a rank that has no pair in a round leaves its processor to those that have one.
#include <topowise/probe/measure_job.hpp>

#include <algorithm>
#include <map>

namespace topowise::probe {
namespace {

/// A pair that this rank has measured.
struct OwnPair {
  std::size_t number;  ///< in the plan
  PairSamples samples;
};

/// Number of the pair, then the times of each size.
std::vector<double> packed(const std::vector<OwnPair>& pairs) {
  std::vector<double> numbers;
  for (const OwnPair& pair : pairs) {
    numbers.push_back(static_cast<double>(pair.number));
    for (const SizeSamples& size : pair.samples.by_size) {
      for (const std::vector<double>* times : {&size.forth, &size.back, &size.both})
        numbers.insert(numbers.end(), times->begin(), times->end());
    }
  }
  return numbers;
}

void unpack(const std::vector<double>& numbers, const Plan& plan, Samples& samples) {
  const auto repetitions = static_cast<std::ptrdiff_t>(plan.repetitions);
  for (auto at = numbers.begin(); at != numbers.end();) {
    PairSamples& pair = samples.pairs[static_cast<std::size_t>(*at++)];
    for (SizeSamples& size : pair.by_size) {
      for (std::vector<double>* times : {&size.forth, &size.back, &size.both}) {
        times->assign(at, at + repetitions);
        at += repetitions;
      }
    }
  }
}

/// Brings all samples to process 0, which returns them.
Samples bring_together(const mpi::Team& team, const Plan& plan, const std::vector<OwnPair>& own) {
  std::vector<std::vector<double>> outgoing(static_cast<std::size_t>(team.size()));
  outgoing[0] = packed(own);
  const std::vector<std::vector<double>> incoming = team.exchange(outgoing);
  if (team.rank() != 0) return {};
  Samples samples{plan.sizes, {}};
  for (const auto& [first, second] : plan.pairs)
    samples.pairs.push_back({first, second, std::vector<SizeSamples>(plan.sizes.size())});
  for (const std::vector<double>& numbers : incoming) unpack(numbers, plan, samples);
  return samples;
}

std::vector<std::string> different_texts(const mpi::Team& team, const std::vector<std::string>& own) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& texts : team.gather_texts(own))
    all.insert(all.end(), texts.begin(), texts.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

std::vector<Round> job_rounds(const Topology& machine, const std::vector<PairOfPlaces>& pairs,
                              const std::vector<std::size_t>& host_of_place, Sharing sharing, std::size_t most) {
  const std::size_t hosts = 1 + *std::ranges::max_element(host_of_place);
  const std::size_t network = hosts;
  const Occupies occupies = [&](const PairOfPlaces& pair) {
    const std::size_t a = host_of_place[pair.first.index()];
    const std::size_t b = host_of_place[pair.second.index()];
    const std::vector<std::size_t> links = links_between(machine, pair);
    std::vector<std::size_t> things;
    if (a != b || sharing == Sharing::host || links.empty()) things = {a, b};
    if (a != b && links.empty()) things.push_back(network);
    for (const std::size_t link : links) things.push_back(network + 1 + link);
    return things;
  };
  return rounds(pairs, occupies, most);
}

JobSamples measure_in_job(const mpi::Team& team, const mpi::Messages& messages, RankMemory& memory, const JobPlan& job,
                          const std::function<void(std::size_t done)>& progress) {
  std::map<PairOfPlaces, std::size_t> number;
  for (std::size_t i = 0; i < job.plan.pairs.size(); ++i) number[job.plan.pairs[i]] = i;
  const auto me = static_cast<std::size_t>(team.rank());
  std::vector<OwnPair> own;
  std::vector<std::string> reasons;
  std::vector<std::int64_t> ways(kWays, 0);
  std::size_t done = 0;
  for (const Round& round : job.rounds) {
    messages.wait_for_all();
    for (const PairOfPlaces& pair : round) {
      const std::size_t first = job.rank_of[pair.first.index()];
      const std::size_t second = job.rank_of[pair.second.index()];
      if (me != first && me != second) continue;
      const End end = me == first ? End::measures : End::answers;
      const Connection connection = memory.connect(static_cast<int>(me == first ? second : first), end,
                                                   job.host_of_rank[first] == job.host_of_rank[second]);
      if (!connection.reason.empty()) reasons.push_back(connection.reason);
      PairSamples samples = measure_pair(*connection.line, pair, job.plan);
      if (end == End::answers) continue;
      own.push_back({number.at(pair), std::move(samples)});
      ++ways[static_cast<std::size_t>(connection.way)];
    }
    done += round.size();
    progress(done);
  }
  JobSamples result;
  messages.wait_for_all();
  result.samples = bring_together(team, job.plan, own);
  ways = team.sum(ways);
  std::ranges::copy(ways, result.ways.begin());
  result.reasons = different_texts(team, reasons);
  return result;
}

}  // namespace topowise::probe
