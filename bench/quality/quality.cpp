// SPDX-License-Identifier: BSD-3-Clause
// Measures how good mappings are, and how long they take. Prints tables in Markdown. Every number is computed and
// measured in this run.
//   quality_bench                          the microbenchmarks of Faraji et al. on 16-GPU machines
//   quality_bench TRAFFIC TOPOLOGY ...     pairs, written as for `topowise map`; QAPLIB: nug12.dat nug12.dat
// Times are processor time of the calling thread, in the fastest of several runs. So a loaded machine does not spoil
// them, and they do not include Scotch's own threads, which mostly wait at this size.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Timed {
  std::optional<MappingResult> result;  ///< nothing if the mapper is not available here
  double seconds = 0;                   ///< of the fastest run; short runs are repeated
};

Timed timed(const MapProblem& problem, std::string_view mapper, const MapOptions& options) {
  constexpr double kEnough = 0.1;
  Timed timed;
  std::vector<double> runs;
  double in_all = 0;
  try {
    do {
      const double start = processor_seconds();
      timed.result = map_ranks(problem, mapper, options);
      runs.push_back(processor_seconds() - start);
      in_all += runs.back();
    } while (in_all < kEnough);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::not_available) throw;
    return timed;
  }
  timed.seconds = std::ranges::min(runs);
  return timed;
}

std::string cost(const Timed& timed) {
  return timed.result ? fmt::format("{:.6g}", timed.result->cost) : "-";
}

std::string milliseconds(const Timed& timed) {
  return timed.result ? fmt::format("{:.3g}", timed.seconds * 1e3) : "-";
}

constexpr double kTabuSeconds = 0.1;  // tabu does the work of this time limit

void print_head() {
  fmt::print(
      "| traffic | machine | identity | greedy | Scotch | tabu, 0.1 s | auto | lower bound | proven | Scotch ms | auto "
      "ms |\n");
  fmt::print("| --- | --- | --: | --: | --: | --: | --: | --: | --- | --: | --: |\n");
}

/// "stencil2d:4x4" for "pattern:stencil2d:4x4:bytes=1B".
std::string short_name(std::string traffic) {
  constexpr std::string_view kPattern = "pattern:";
  constexpr std::string_view kBytes = ":bytes=1B";
  if (!traffic.starts_with(kPattern)) return traffic;
  if (traffic.ends_with(kBytes)) traffic.resize(traffic.size() - kBytes.size());
  return traffic.substr(kPattern.size());
}

void print_row(const std::string& traffic, const std::string& machine) {
  const MapProblem problem{.traffic = read_traffic(traffic), .topology = read_topology(machine)};
  MapOptions options{.time_limit = Seconds(600)};
  const Timed best = timed(problem, "auto", options);
  const Timed scotch = timed(problem, "scotch", options);
  const Timed greedy = timed(problem, "greedy", options);
  options.effort = kTabuSeconds / options.time_limit.value();
  const Timed tabu = timed(problem, "tabu", options);
  fmt::print("| {} | {} | {:.6g} | {} | {} | {} | {} | {:.6g} | {} | {} | {} |\n", short_name(traffic), machine,
             best.result->identity_cost, cost(greedy), cost(scotch), cost(tabu), cost(best), best.result->lower_bound,
             best.result->proven_optimal ? "yes" : "no", milliseconds(scotch), milliseconds(best));
  std::fflush(stdout);
}

void print_microbenchmarks() {
  struct Pattern {
    const char* name;
    int dimensions;
  };
  for (const char* machine : {"preset:helios-k80", "tree:4:4"}) {
    print_head();
    for (const auto& [name, dimensions] : {Pattern{"stencil2d:4x4", 2}, Pattern{"torus2d:4x4", 2},
                                           Pattern{"torus3d:4x2x2", 3}, Pattern{"hypercube:4", 4}}) {
      print_row(fmt::format("pattern:{}:bytes=1B", name), machine);
      for (int heavy = 0; heavy < dimensions; ++heavy)
        print_row(fmt::format("pattern:{}:w=3:heavy={}:bytes=1B", name, heavy), machine);
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 1) {
      print_microbenchmarks();
      return 0;
    }
    print_head();
    for (int i = 1; i + 1 < count; i += 2) print_row(arguments[i], arguments[i + 1]);
  } catch (const Error& error) {
    fmt::print(stderr, "quality_bench: {}\n", error.what());
    return static_cast<int>(error.status());
  }
  return 0;
}
