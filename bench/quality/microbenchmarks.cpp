// SPDX-License-Identifier: BSD-3-Clause
// Maps every microbenchmark onto every machine of up to 16 places: presets, and the machine descriptions of the given
// folders. Prints a row for each number of places, with the name of the slowest case, and then every case that was not
// proven optimal.
//   microbenchmarks_bench FOLDER ...
// Seconds are processor time. If a run takes less than a millisecond, the fastest of several runs counts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <tests/mapping/microbenchmarks.hpp>

#include <topowise/base/error.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;

namespace {

constexpr std::size_t kMostPlaces = 16;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Case {
  double seconds = 0;
  bool proven = false;
  std::string name;
};

Case solve(const std::string& machine_name, const Topology& machine, const std::string& pattern) {
  const MapProblem problem{.traffic = read_traffic(pattern), .topology = machine};
  Case result{.seconds = 1e300, .name = pattern + " on " + machine_name};
  int left = 3;
  do {
    const double start = processor_seconds();
    result.proven = map_ranks(problem, "auto", {.time_limit = Seconds(60), .threads = 1}).proven_optimal;
    result.seconds = std::min(result.seconds, processor_seconds() - start);
  } while (--left > 0 && result.seconds < 1e-3);
  return result;
}

/// Costs of all pairs. Machines with the same costs count as one machine.
std::vector<double> pair_costs(const Topology& machine) {
  std::vector<double> costs;
  for (std::size_t a = 0; a < machine.place_count(); ++a) {
    for (std::size_t b = 0; b < machine.place_count(); ++b) costs.push_back(machine.distance(Place(a), Place(b)));
  }
  return costs;
}

std::vector<std::pair<std::string, Topology>> machines(int count, char** folders) {
  std::vector<std::pair<std::string, Topology>> found;
  for (const Preset& preset : presets()) found.emplace_back(preset.name, preset.make());
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < count; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folders[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    try {
      found.emplace_back(file.filename().string(), read_topology(file.string()));
    } catch (const Error&) {
      fmt::print(stderr, "{}: no machine\n", file.string());
    }
  }
  return found;
}

}  // namespace

int main(int count, char** arguments) {
  std::map<std::size_t, std::vector<Case>> cases;
  std::map<std::size_t, std::set<std::vector<double>>> seen;
  for (const auto& [name, machine] : machines(count - 1, arguments + 1)) {
    const std::size_t places = machine.place_count();
    if (places > kMostPlaces || !seen[places].insert(pair_costs(machine)).second) continue;
    for (const std::string& pattern : testing::microbenchmarks(static_cast<int>(places)))
      cases[places].push_back(solve(name, machine, pattern));
  }
  fmt::print("| places | machines | cases | proven | median ms | worst ms | worst case |\n");
  fmt::print("| --: | --: | --: | --: | --: | --: | --- |\n");
  for (auto& [places, all] : cases) {
    std::ranges::sort(all, {}, &Case::seconds);
    const auto proven = std::ranges::count_if(all, &Case::proven);
    fmt::print("| {} | {} | {} | {} | {:.3g} | {:.3g} | {} |\n", places, seen[places].size(), all.size(), proven,
               1e3 * all[all.size() / 2].seconds, 1e3 * all.back().seconds, all.back().name);
  }
  for (const auto& [places, all] : cases) {
    for (const Case& one : all) {
      if (!one.proven) fmt::print("not proven: {}\n", one.name);
    }
  }
  return 0;
}
