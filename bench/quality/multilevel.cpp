// SPDX-License-Identifier: BSD-3-Clause
// Runs the multilevel mapper alone, for large.py or by hand. Prints one JSON object for each run. Seconds are processor
// time, so a loaded machine does not spoil them.
//   multilevel_bench graph|fast FILE.metis tree:ARITIES@DISTANCES IMBALANCE SEED THREADS
//   multilevel_bench torus SEED X Y Z       a shuffled 7-point graph on its own torus; the optimum is known
//   multilevel_bench stencil X Y Z tree:ARITIES@DISTANCES SECONDS THREADS     a shuffled 27-point stencil
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <tests/fixtures/mapping_problems.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/mapper/problem/mapper_functions.hpp>
#include <topowise/topology_source/synthetic/tree.hpp>

using namespace topowise;

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

using Map = MapperAnswer (*)(const MapProblem&, const Budget&);

void run(const MapProblem& problem, const MapOptions& options, Map map = map_multilevel) {
  const double processor = processor_seconds();
  const double wall = wall_seconds();
  const MapperAnswer answer = map(problem, Budget(options));
  const double used = processor_seconds() - processor;
  rusage memory{};
  getrusage(RUSAGE_SELF, &memory);
  fmt::print(
      "{{\"ranks\": {}, \"cost\": {:.0f}, \"bound\": {:.0f}, \"seconds\": {:.4f}, \"wall\": {:.4f}, \"MiB\": {}}}\n",
      problem.traffic.ranks(), answer.cost, answer.lower_bound, used, wall_seconds() - wall, memory.ru_maxrss / 1024);
}

/// Reads the METIS format: "vertices edges [1]", then one line for each vertex with its neighbours, numbered from 1.
/// Each neighbour has a weight if the header ends with 1.
Traffic read_metis(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::size_t vertices = 0;
  std::size_t edges = 0;
  int format = 0;
  if (!std::getline(in, line)) throw bad_input(fmt::format("cannot read '{}'", file));
  std::istringstream(line) >> vertices >> edges >> format;
  std::vector<TrafficEntry> entries;
  for (std::size_t v = 0; v < vertices && std::getline(in, line); ++v) {
    std::istringstream row(line);
    std::size_t to = 0;
    double weight = 1;
    while (row >> to) {
      if (format == 1) row >> weight;
      entries.push_back({Rank(v), Rank(to - 1), Bytes(weight), 1});
    }
  }
  return Traffic::from_entries(vertices, std::move(entries));
}

Topology tree(std::string_view text) {
  return read_synthetic_tree(text.substr(text.starts_with("tree:") ? 5 : 0));
}

int run_graph(char** arguments, Map map) {
  MapProblem problem{read_metis(arguments[0]), tree(arguments[1])};
  const std::size_t places = problem.topology.place_count();
  const double even = static_cast<double>((problem.traffic.ranks() + places - 1) / places);
  const double imbalance = std::strtod(arguments[2], nullptr);
  if (even > 1) problem.ranks_per_place = static_cast<int>((1 + imbalance) * even);
  problem.seed = std::strtoull(arguments[3], nullptr, 10);
  run(problem, {.time_limit = Seconds(600), .threads = std::atoi(arguments[4])}, map);
  return 0;
}

int run_torus(char** arguments) {
  const std::uint64_t seed = std::strtoull(arguments[0], nullptr, 10);
  const std::vector<int> sizes{std::atoi(arguments[1]), std::atoi(arguments[2]), std::atoi(arguments[3])};
  MapProblem problem{multilevel::shuffled_torus_traffic(sizes, seed), multilevel::torus(sizes)};
  problem.seed = seed;
  run(problem, {.time_limit = Seconds(600), .threads = 1});
  return 0;
}

Traffic stencil(const std::vector<std::size_t>& size) {
  const std::size_t ranks = size[0] * size[1] * size[2];
  std::vector<std::uint32_t> name(ranks);
  for (std::size_t r = 0; r < ranks; ++r) name[r] = static_cast<std::uint32_t>(r);
  Random(1).shuffle(std::span(name));
  const auto shifted = [&](std::size_t at, std::size_t axis, std::size_t step) {
    return (at + size[axis] - 1 + step) % size[axis];
  };
  std::vector<TrafficEntry> entries;
  entries.reserve(ranks * 26);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::size_t x = r / (size[1] * size[2]);
    const std::size_t y = r / size[2] % size[1];
    const std::size_t z = r % size[2];
    for (std::size_t step = 0; step < 27; ++step) {
      const int axes = (step / 9 != 1) + (step / 3 % 3 != 1) + (step % 3 != 1);
      if (axes == 0) continue;
      const std::size_t to =
          (shifted(x, 0, step / 9) * size[1] + shifted(y, 1, step / 3 % 3)) * size[2] + shifted(z, 2, step % 3);
      const double bytes = axes == 1 ? 100 : axes == 2 ? 10 : 1;
      entries.push_back({Rank(name[r]), Rank(name[to]), Bytes(bytes), 1});
    }
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

int run_stencil(char** arguments) {
  std::vector<std::size_t> size;
  for (int axis = 0; axis < 3; ++axis) size.push_back(std::strtoull(arguments[axis], nullptr, 10));
  run({stencil(size), tree(arguments[3])},
      {.time_limit = Seconds(std::strtod(arguments[4], nullptr)), .threads = std::atoi(arguments[5])});
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::string_view verb = count > 1 ? arguments[1] : "";
    if (verb == "graph" && count == 7) return run_graph(arguments + 2, map_multilevel);
    if (verb == "fast" && count == 7) return run_graph(arguments + 2, map_multilevel_fast);
    if (verb == "torus" && count == 6) return run_torus(arguments + 2);
    if (verb == "stencil" && count == 8) return run_stencil(arguments + 2);
    fmt::print(stderr, "multilevel_bench graph|torus|stencil ...; see the head of multilevel.cpp\n");
    return 2;
  } catch (const Error& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) fmt::print(stderr, "{}\n", diagnostic.render("error"));
    return static_cast<int>(error.status());
  }
}
