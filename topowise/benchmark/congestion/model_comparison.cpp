// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/congestion/model_comparison.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/probe/figure.hpp>

namespace topowise::benchmark {
namespace {

/// The mapping of rank p to place p.
Mapping every_place(const Topology& machine) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < machine.place_count(); ++p) places.emplace_back(p);
  return Mapping(std::move(places));
}

std::vector<Seconds> predicted_ends(CongestionModel& model, const TransferSet& set, Bytes bytes) {
  std::vector<Communication> messages;
  for (const auto& [from, to] : set.transfers)
    messages.push_back({Rank(from.index()), Rank(to.index()), bytes, Seconds(0)});
  RateMemo memo(model);
  return simulate(memo, Exchange(std::move(messages)), every_place(model.topology())).end;
}

}  // namespace

ComparedSet compare_prediction(CongestionModel& model, const TransferSet& set, Bytes bytes, const RunTogether& run) {
  const std::vector<Seconds> predicted = predicted_ends(model, set, bytes);
  std::vector<probe::JointTransfer> transfers;
  for (const auto& [from, to] : set.transfers)
    transfers.push_back({from, to, static_cast<std::size_t>(bytes.value()), model.port(model.flow(from, to))});
  const std::vector<probe::TransferTimes> times = run(transfers);
  ComparedSet compared{set.name, bytes, {}};
  for (std::size_t t = 0; t < transfers.size(); ++t) {
    std::vector<double> of_transfer;
    for (const probe::TransferTimes& repetition : times) of_transfer.push_back(repetition[t]);
    const probe::Figure figure = probe::summarise(of_transfer);
    compared.transfers.push_back(
        {transfers[t].from, transfers[t].to, predicted[t], Seconds(figure.median), Seconds(figure.spread)});
  }
  return compared;
}

Errors errors_of(std::span<const double> errors) {
  Errors found{.count = errors.size()};
  if (errors.empty()) return found;
  found.least = std::ranges::min(errors);
  found.most = std::ranges::max(errors);
  const auto n = static_cast<double>(errors.size());
  found.within = static_cast<double>(std::ranges::count_if(errors, [](double e) { return std::abs(e) <= kUsual; })) / n;
  for (const double error : errors) {
    found.mean += error / n;
    found.mean_absolute += std::abs(error) / n;
  }
  return found;
}

std::vector<ErrorBin> histogram_of(std::span<const double> errors) {
  if (errors.empty()) return {};
  constexpr double kSlack = 1e-9;  // the bounds of the bins cannot be written exactly in binary
  const auto bin_of = [](double error) { return static_cast<long>(std::floor(error / kErrorBin + kSlack)); };
  const long first = bin_of(std::ranges::min(errors));
  const long last = bin_of(std::ranges::max(errors));
  std::vector<ErrorBin> bins;
  for (long bin = first; bin <= last; ++bin)
    bins.push_back({static_cast<double>(bin) * kErrorBin, static_cast<double>(bin + 1) * kErrorBin, 0});
  for (const double error : errors) ++bins[static_cast<std::size_t>(bin_of(error) - first)].count;
  return bins;
}

std::vector<double> all_errors(std::span<const ComparedSet> sets) {
  std::vector<double> errors;
  for (const ComparedSet& set : sets) {
    for (const ComparedTransfer& transfer : set.transfers) errors.push_back(transfer.error());
  }
  return errors;
}

std::vector<SizeGroup> groups_of(std::span<const ComparedSet> sets) {
  std::map<std::size_t, std::vector<ComparedSet>> by_size;
  for (const ComparedSet& set : sets) by_size[set.transfers.size()].push_back(set);
  std::vector<SizeGroup> groups;
  for (const auto& [size, of_size] : by_size) {
    SizeGroup& group = groups.emplace_back(
        SizeGroup{.transfers = size, .sets = of_size.size(), .errors = errors_of(all_errors(of_size)), .measured = {}});
    for (const ComparedSet& set : of_size) {
      for (const ComparedTransfer& transfer : set.transfers) group.measured.push_back(transfer.measured);
    }
    std::ranges::sort(group.measured);
  }
  return groups;
}

}  // namespace topowise::benchmark
