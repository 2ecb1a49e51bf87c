// SPDX-License-Identifier: BSD-3-Clause
// The model of M. Martinasso et al. (SC'16) has two parameters. B is what one message alone gets between two GPUs below
// one switch. tau is what a message from behind the root complex loses where it meets a local one at the port of a GPU
// (equation 7): the local message runs at (1/2 + tau) B, the other at (1/2 - tau) B, so
//
//   tau = (rate of the local message - rate of the other) / (2 B).
//
// Both messages are repeated until each has been sent often enough, so that they never run alone while they count.
//
// A direct bond has the rate of its pair. The link between two sockets has the rate of the pairs across it if that is
// below B; else PCIe is the narrowest part of their routes, and nothing is learned of the link.
#include <topowise/probe/calibrate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include <topowise/probe/figure.hpp>

namespace topowise::probe {
namespace {

bool is_near(PathClass path) {
  return path.kind == PathKind::same_board || path.kind == PathKind::pix || path.kind == PathKind::pxb;
}

double median_of(const SizeSamples& samples) {
  return (summarise(samples.forth).median + summarise(samples.back).median) / 2;
}

struct Rates {
  double near = 0.0;  ///< bytes per second
  double far = 0.0;
};

Rates run(const CompetingTransfers& transfers, Memory& memory, std::size_t bytes, int repetitions) {
  std::array<std::vector<double>, 2> times;
  std::array<std::exception_ptr, 2> failures;
  std::array<std::atomic<bool>, 2> done{};
  std::barrier start(2);
  const auto compete = [&](std::size_t which, Place from) {
    try {
      const std::unique_ptr<Line> line = memory.connect(from, transfers.target, bytes);
      start.arrive_and_wait();
      while (!done[0] || !done[1]) {
        times[which].push_back(line->send(bytes));
        if (times[which].size() >= static_cast<std::size_t>(repetitions)) done[which] = true;
      }
    } catch (...) {
      failures[which] = std::current_exception();
      done[0] = done[1] = true;
      start.arrive_and_drop();
    }
  };
  {
    const std::jthread near([&] { compete(0, transfers.near); });
    const std::jthread far([&] { compete(1, transfers.far); });
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  const auto rate = [&](const std::vector<double>& of) { return static_cast<double>(bytes) / summarise(of).median; };
  return {rate(times[0]), rate(times[1])};
}

std::optional<double> measure_tau(const Topology& machine, const Samples& samples, Memory& memory, double bandwidth,
                                  int repetitions, std::vector<std::string>& notes) {
  constexpr std::size_t kMost = 4;
  const std::vector<CompetingTransfers> all = competing_transfers(machine, memory.places(), kMost);
  if (all.empty()) {
    notes.emplace_back(
        "tau is not measured: no GPU has both a neighbour below its switch and a GPU behind the root complex");
    return std::nullopt;
  }
  std::vector<double> taus;
  for (const CompetingTransfers& transfers : all) {
    const Rates rates = run(transfers, memory, samples.sizes.back(), repetitions);
    taus.push_back((rates.near - rates.far) / (2 * bandwidth));
    notes.push_back(fmt::format("{} and {} to {} at once: {} and {}", machine.vertex_of(transfers.near).name,
                                machine.vertex_of(transfers.far).name, machine.vertex_of(transfers.target).name,
                                to_string(BytesPerSecond(rates.near)), to_string(BytesPerSecond(rates.far))));
  }
  const double tau = summarise(taus).median;
  if (tau >= 0 && tau < 0.5) return tau;
  notes.push_back(
      fmt::format("tau would be {:.3f}, outside [0, 0.5): left out; does this machine have PCIe switches?", tau));
  return std::nullopt;
}

void note_levels(const Topology& machine, const std::map<PathClass, std::vector<double>>& rates,
                 std::vector<std::string>& notes) {
  for (const PathClass level : machine.levels()) {
    const auto found = rates.find(level);
    if (found == rates.end()) continue;
    notes.push_back(fmt::format("class {}: {}, of {} pairs", to_string(level),
                                to_string(BytesPerSecond(summarise(found->second).median)), found->second.size()));
  }
}

/// Every link that the pairs of `samples` show the rate of; `bandwidth` is B, 0 if not known.
std::map<LinkId, BytesPerSecond> link_rates(const Topology& machine, const Samples& samples, double bandwidth) {
  std::map<LinkId, std::vector<double>> seen;
  for (const PairSamples& pair : samples.pairs) {
    const double rate = steady_rate(samples, pair);
    for (const auto& [from, to] : {std::pair{pair.first, pair.second}, std::pair{pair.second, pair.first}}) {
      for (const LinkId id : machine.route(from, to)) {
        const LinkKind kind = machine.link(id).kind;
        if (is_bond(kind) || (kind == LinkKind::inter_socket && rate < bandwidth)) seen[id].push_back(rate);
      }
    }
  }
  std::map<LinkId, BytesPerSecond> rates;
  for (const auto& [link, of_pairs] : seen) rates.emplace(link, summarise(of_pairs).median);
  return rates;
}

}  // namespace

std::vector<CompetingTransfers> competing_transfers(const Topology& machine, const std::vector<Place>& places,
                                                    std::size_t most) {
  std::vector<CompetingTransfers> found;
  for (const Place target : places) {
    if (found.size() == most) break;
    const auto partner = [&](auto fits) {
      return std::ranges::find_if(
          places, [&](Place other) { return other != target && fits(machine.path_class(other, target)); });
    };
    const auto near = partner(is_near);
    const auto far = partner([](PathClass path) { return path.kind == PathKind::phb; });
    if (near != places.end() && far != places.end()) found.push_back({*near, *far, target});
  }
  return found;
}

double steady_rate(const Samples& samples, const PairSamples& pair) {
  const std::size_t last = samples.sizes.size() - 1;
  const double time = median_of(pair.by_size[last]);
  if (last == 0) return static_cast<double>(samples.sizes[last]) / time;
  const double less_time = median_of(pair.by_size[last - 1]);
  if (!(time > less_time)) return static_cast<double>(samples.sizes[last]) / time;
  return static_cast<double>(samples.sizes[last] - samples.sizes[last - 1]) / (time - less_time);
}

std::optional<Seconds> start_up(const Samples& samples) {
  if (samples.sizes.size() < 2 || samples.pairs.empty()) return std::nullopt;
  std::vector<double> seconds;
  for (const PairSamples& pair : samples.pairs)
    seconds.push_back(median_of(pair.by_size[0]) - static_cast<double>(samples.sizes[0]) / steady_rate(samples, pair));
  const double median = summarise(seconds).median;
  return median > 0 ? std::optional(Seconds(median)) : std::nullopt;
}

std::optional<double> tau_of_messages_alone(const Topology& machine, const Samples& samples) {
  std::vector<double> near;
  std::vector<double> far;
  for (const PairSamples& pair : samples.pairs) {
    const PathClass path = machine.path_class(pair.first, pair.second);
    if (is_near(path)) near.push_back(steady_rate(samples, pair));
    if (path.kind == PathKind::phb) far.push_back(steady_rate(samples, pair));
  }
  if (near.empty() || far.empty()) return std::nullopt;
  const double tau = 1 - summarise(far).median / summarise(near).median;
  return tau >= 0 && tau < 0.5 ? std::optional(tau) : std::nullopt;
}

Calibration calibrate(const Topology& machine, const Samples& samples, Memory& memory, int repetitions) {
  Calibration result;
  std::vector<double> rates;
  std::map<PathClass, std::vector<double>> by_class;
  for (const PairSamples& pair : samples.pairs) {
    const PathClass path = machine.path_class(pair.first, pair.second);
    by_class[path].push_back(steady_rate(samples, pair));
    if (is_near(path)) rates.push_back(by_class[path].back());
  }
  note_levels(machine, by_class, result.notes);
  if (const std::optional<Seconds> start = start_up(samples))
    result.notes.push_back(
        fmt::format("a message takes {} beside its bytes, which 'predict --startup' adds", to_string(*start)));
  const double near_rate = summarise(rates).median;
  result.links = link_rates(machine, samples, near_rate);
  if (rates.empty()) {
    result.notes.emplace_back("B and tau are not measured: no pair below one PCIe switch is among the measured ones");
    return result;
  }
  result.parameters.link_bandwidth = BytesPerSecond(near_rate);
  result.notes.push_back(
      fmt::format("B is {}, of {} pairs below PCIe switches", to_string(BytesPerSecond(near_rate)), rates.size()));
  result.parameters.tau = measure_tau(machine, samples, memory, near_rate, repetitions, result.notes);
  return result;
}

}  // namespace topowise::probe
