// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/measured_topology.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <topowise/probe/figure.hpp>
#include <topowise/probe/metrics.hpp>

namespace topowise::probe {
namespace {

// A pair's figure is the geometric mean, over the sizes that count for the metrics, of its shortest time one way: a
// wire that is twice as slow for small messages counts as much as one that is twice as slow for large ones, and what
// else runs on a host only makes messages longer. Sorted, the figures fall into clusters; a new one begins where a
// figure is more than kGap times its neighbour. Wires of one kind scatter by a few percent, different kinds differ by
// factors.

constexpr double kGap = 1.25;

struct PairTime {
  PairOfPlaces pair;
  double seconds;
};

/// `from`: the first size that counts.
double mean_time(const PairSamples& pair, std::size_t from) {
  double logarithms = 0.0;
  for (std::size_t s = from; s < pair.by_size.size(); ++s) {
    const SizeSamples& size = pair.by_size[s];
    logarithms += std::log(std::min(std::ranges::min(size.forth), std::ranges::min(size.back)));
  }
  return std::exp(logarithms / static_cast<double>(pair.by_size.size() - from));
}

/// Numbers the clusters from `grade` + 1 on; returns the last number.
int cluster(std::vector<PairTime> times, int grade, std::map<PairOfPlaces, PathClass>& classes) {
  std::ranges::sort(times, {}, [](const PairTime& time) { return std::pair(time.seconds, time.pair); });
  double before = 0.0;
  for (const PairTime& time : times) {
    if (time.seconds > kGap * before) ++grade;
    classes[time.pair] = {PathKind::measured, grade};
    before = time.seconds;
  }
  return grade;
}

/// Bandwidths of one class lie closer together than this on a sound machine; pair_matrix sources cluster by the same.
constexpr double kSameClass = 0.15;
constexpr double kSameDirection = 0.10;
constexpr std::size_t kMostExamples = 5;

Topology rebuild(const Topology& machine, std::vector<std::pair<Metric, PairMatrix>> matrices,
                 const Calibration& calibration, const Provenance& source) {
  TopologyBuilder builder(machine);
  for (const auto& [link, rate] : calibration.links) builder.set_bandwidth(link, rate, source);
  for (std::pair<Metric, PairMatrix>& named : matrices) builder.set_pair_matrix(named.first, std::move(named.second));
  CongestionParameters congestion = machine.congestion();
  if (calibration.parameters.link_bandwidth) congestion.link_bandwidth = calibration.parameters.link_bandwidth;
  if (calibration.parameters.tau) congestion.tau = calibration.parameters.tau;
  builder.set_congestion(congestion);
  return std::move(builder).build();
}

/// Collects one metric of all pairs; pairs without a measurement get the mean of their level.
class MatrixMaker {
 public:
  MatrixMaker(const Topology& machine, const Origin& origin)
      : machine_(machine), n_(machine.place_count()), sums_(machine.levels().size()), counts_(sums_.size()) {
    matrix_.source = origin.source;
    matrix_.statistics.date = origin.date;
    for (std::vector<double>* values :
         {&matrix_.values, &matrix_.statistics.mean, &matrix_.statistics.spread, &matrix_.statistics.count})
      values->assign(n_ * n_, 0.0);
  }

  void add(Place from, Place to, const Figure& figure) {
    const std::size_t at = from.index() * n_ + to.index();
    matrix_.values[at] = figure.median;
    matrix_.statistics.mean[at] = figure.mean;
    matrix_.statistics.spread[at] = figure.spread;
    matrix_.statistics.count[at] = static_cast<double>(figure.count);
    const auto level = static_cast<std::size_t>(machine_.level(from, to));
    sums_[level] += figure.median;
    ++counts_[level];
  }

  PairMatrix finish(const std::vector<double>& affinity_by_level) && {
    for (std::size_t a = 0; a < n_; ++a) {
      for (std::size_t b = 0; b < n_; ++b) {
        if (a == b || matrix_.statistics.count[a * n_ + b] > 0) continue;
        const auto level = static_cast<std::size_t>(machine_.level(Place(a), Place(b)));
        if (counts_[level] > 0) matrix_.values[a * n_ + b] = sums_[level] / static_cast<double>(counts_[level]);
      }
    }
    matrix_.affinity = by_pair(machine_, affinity_by_level);
    return std::move(matrix_);
  }

 private:
  const Topology& machine_;
  std::size_t n_;
  std::vector<double> sums_;
  std::vector<std::size_t> counts_;
  PairMatrix matrix_;
};

Figure bandwidth_of(const std::vector<double>& seconds, std::size_t bytes) {
  std::vector<double> rates;
  for (const double time : seconds) rates.push_back(static_cast<double>(bytes) / time);
  return summarise(rates);
}

std::string name_of(const Topology& machine, const PairSamples& pair) {
  return fmt::format("{}-{}", machine.vertex_of(pair.first).name, machine.vertex_of(pair.second).name);
}

/// Text and the number of further cases.
class Cases {
 public:
  void add(std::string text) {
    if (++count_ <= kMostExamples) texts_.push_back(std::move(text));
  }
  void pass_to(std::vector<std::string>& all, std::string_view more) {
    all.insert(all.end(), texts_.begin(), texts_.end());
    if (count_ > kMostExamples) all.push_back(fmt::format("{} more {}", count_ - kMostExamples, more));
  }

 private:
  std::vector<std::string> texts_;
  std::size_t count_ = 0;
};

void find_outliers(const Topology& machine, const Samples& samples, std::vector<std::string>& all) {
  std::size_t left_out = 0;
  std::size_t taken = 0;
  std::pair<std::size_t, std::string> worst;
  for (const PairSamples& pair : samples.pairs) {
    std::size_t of_pair = 0;
    for (const SizeSamples& size : pair.by_size) {
      for (const std::vector<double>* times : {&size.forth, &size.back, &size.both}) {
        const Figure figure = summarise(*times);
        of_pair += figure.outliers;
        taken += times->size();
      }
    }
    left_out += of_pair;
    if (of_pair > worst.first) worst = {of_pair, name_of(machine, pair)};
  }
  if (left_out > 0)
    all.push_back(fmt::format("{} of {} samples are outliers and left out, {} of them of {}", left_out, taken,
                              worst.first, worst.second));
}

void find_odd_pairs(const Topology& machine, const Samples& samples, std::vector<std::string>& all) {
  std::vector<std::vector<double>> of_level(machine.levels().size());
  std::vector<std::pair<double, double>> rates;
  for (const PairSamples& pair : samples.pairs) {
    const std::size_t bytes = samples.sizes.back();
    rates.emplace_back(bandwidth_of(pair.by_size.back().forth, bytes).median,
                       bandwidth_of(pair.by_size.back().back, bytes).median);
    of_level[static_cast<std::size_t>(machine.level(pair.first, pair.second))].push_back(
        (rates.back().first + rates.back().second) / 2);
  }
  Cases odd;
  Cases uneven;
  for (std::size_t i = 0; i < samples.pairs.size(); ++i) {
    const PairSamples& pair = samples.pairs[i];
    const auto level = static_cast<std::size_t>(machine.level(pair.first, pair.second));
    const double usual = summarise(of_level[level]).median;
    const double own = (rates[i].first + rates[i].second) / 2;
    if (std::abs(own - usual) > kSameClass * usual)
      odd.add(fmt::format("{}: {}, but pairs of its class {} have {}", name_of(machine, pair),
                          to_string(BytesPerSecond(own)), to_string(machine.levels()[level]),
                          to_string(BytesPerSecond(usual))));
    if (std::abs(rates[i].first - rates[i].second) > kSameDirection * std::max(rates[i].first, rates[i].second))
      uneven.add(fmt::format("{}: {} forth, {} back", name_of(machine, pair), to_string(BytesPerSecond(rates[i].first)),
                             to_string(BytesPerSecond(rates[i].second))));
  }
  odd.pass_to(all, "pairs are far from the others of their class");
  uneven.pass_to(all, "pairs have different directions");
}

}  // namespace

MeasuredClasses measured_classes(const Samples& samples, const std::function<bool(const PairOfPlaces&)>& is_near) {
  std::vector<PairTime> near;
  std::vector<PairTime> far;
  auto from =
      static_cast<std::size_t>(std::ranges::upper_bound(samples.sizes, kSmallestThatCounts) - samples.sizes.begin());
  if (from == samples.sizes.size()) from = 0;
  for (const PairSamples& pair : samples.pairs) {
    const PairOfPlaces ends{pair.first, pair.second};
    (is_near(ends) ? near : far).push_back({ends, mean_time(pair, from)});
  }
  MeasuredClasses result;
  const int last_near = cluster(std::move(near), 0, result.of_pair);
  const int last_far = cluster(std::move(far), last_near, result.of_pair);
  result.farthest_near = {PathKind::measured, std::max(last_near, 1)};
  result.farthest_far = {PathKind::measured, std::max(last_far, last_near + 1)};
  return result;
}

Topology with_measurements(const Topology& machine, const Samples& samples, const Origin& origin,
                           const Calibration& calibration) {
  MatrixMaker latency(machine, origin);
  MatrixMaker bandwidth(machine, origin);
  for (const PairSamples& pair : samples.pairs) {
    latency.add(pair.first, pair.second, summarise(pair.by_size.front().forth));
    latency.add(pair.second, pair.first, summarise(pair.by_size.front().back));
    bandwidth.add(pair.first, pair.second, bandwidth_of(pair.by_size.back().forth, samples.sizes.back()));
    bandwidth.add(pair.second, pair.first, bandwidth_of(pair.by_size.back().back, samples.sizes.back()));
  }
  const Affinities worth = affinities(level_figures(machine, samples), samples.sizes);
  std::vector<std::pair<Metric, PairMatrix>> matrices;
  matrices.emplace_back(Metric::latency, std::move(latency).finish(worth.latency));
  matrices.emplace_back(Metric::bandwidth, std::move(bandwidth).finish(worth.bandwidth));
  return rebuild(machine, std::move(matrices), calibration, origin.source);
}

Topology with_calibration(const Topology& machine, const Calibration& calibration, const Provenance& source) {
  return rebuild(machine, {}, calibration, source);
}

std::vector<std::string> findings(const Topology& machine, const Samples& samples) {
  std::vector<std::string> all;
  find_outliers(machine, samples, all);
  find_odd_pairs(machine, samples, all);
  return all;
}

}  // namespace topowise::probe
