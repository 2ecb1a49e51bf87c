// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/cost_numbers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/whole_numbers.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {
namespace {

Error overflow(const MapProblem& problem) {
  return bad_input(
      fmt::format("{} of {:g} bytes on '{}' can be more than a floating-point number holds",
                  to_string(problem.objective), problem.traffic.total_bytes().value(), problem.topology.name()),
      "give bytes or distances in larger units");
}

/// The common divisor of the bytes of pairs of ranks, both directions together: a pair pays for these on a machine with
/// the same distance both ways.
double divisor_of_pairs(const Traffic& traffic) {
  const Partners partners(traffic);
  std::vector<double> both;
  for (std::size_t r = 0; r < partners.ranks(); ++r) {
    for (const Partner& partner : partners.of(Rank(r))) both.push_back(partner.both());
  }
  return common_divisor(both);
}

/// A complete search of few ranks distinguishes costs by less.
double rounding_of_proof(const MapProblem& problem) {
  constexpr std::size_t kFewRanks = 20;
  return problem.traffic.ranks() <= kFewRanks ? kRoundingOfSums : kRounding;
}

}  // namespace

double cost_step(const MapProblem& problem) {
  constexpr std::size_t kMostSlots = 512;
  constexpr std::size_t kMostEntries = 10'000'000;
  if (problem.objective != Objective::hop_bytes || problem.metric != Metric::distance) return 0;
  if (!problem.topology.has_pair_matrix(Metric::distance)) {
    std::vector<double> finite;  // a pair that nothing connects is in no sum
    std::ranges::copy_if(problem.topology.level_distances(), std::back_inserter(finite),
                         [](double distance) { return std::isfinite(distance); });
    const double distances = common_divisor(finite);
    if (distances == 0 || problem.traffic.entries().size() > kMostEntries) return 0;
    return distances * divisor_of_pairs(problem.traffic);
  }
  return slots(problem).size() <= kMostSlots ? make_instance(problem).step : 0;
}

double next_cost(double bound, double step, double rounding) {
  if (step <= 0 || bound <= 0) return bound;
  return std::max(bound, std::ceil(bound * (1 - rounding) / step) * step);
}

double rounding_of_one_sum(const Traffic& traffic) {
  constexpr double kOfEach = 8 * std::numeric_limits<double>::epsilon();
  return std::clamp(kOfEach * static_cast<double>(traffic.entries().size()), kRoundingOfSums, kRounding);
}

bool is_symmetric(const MapProblem& problem) {
  const PairMatrix* matrix = problem.topology.pair_matrix(problem.metric);
  if (matrix == nullptr) return problem.metric == Metric::distance;
  const std::size_t places = problem.topology.place_count();
  for (std::size_t a = 0; a < places; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (matrix->values[a * places + b] != matrix->values[b * places + a]) return false;
    }
  }
  return true;
}

bool is_proven(const MapProblem& problem, double cost, double bound) {
  if (cost <= bound) return true;
  return cost <= bound * (1 + rounding_of_proof(problem)) && cost_step(problem) == 0;
}

double proof_tolerance(const MapProblem& problem, double cost) {
  const double step = cost_step(problem);
  constexpr double kWhole = 1e15;  // doubles hold all whole numbers up to 9e15
  if (step > 0 && cost < kWhole * step) return 0;
  double least = 0;
  for (const auto& entry : problem.traffic.entries()) {
    const double bytes = entry.bytes.value();
    if (bytes > 0 && (least == 0 || bytes < least)) least = bytes;
  }
  const double rounding = rounding_of_proof(problem);
  return least < rounding * problem.traffic.total_bytes().value() ? rounding : 0;
}

double finite_cost_of(const MapProblem& problem, const Mapping& mapping) {
  const double cost = cost_of(problem, mapping);
  if (!std::isfinite(cost)) throw overflow(problem);
  return cost;
}

void check_finite(const MapProblem& problem) {
  if (problem.objective != Objective::hop_bytes && problem.objective != Objective::mix) return;
  const PairMatrix* matrix = problem.topology.pair_matrix(problem.metric);
  double farthest = 1;
  if (problem.metric == Metric::distance) {
    const std::span<const double> distances = matrix != nullptr ? matrix->values : problem.topology.level_distances();
    for (const double distance : distances) {
      if (std::isfinite(distance)) farthest = std::max(farthest, distance);
    }
  }
  // Searches add up what a rank pays before and after, in both directions.
  constexpr double kSums = 16;
  if (!std::isfinite(kSums * problem.traffic.total_bytes().value() * farthest)) throw overflow(problem);
}

}  // namespace topowise
