// SPDX-License-Identifier: BSD-3-Clause
// Runs the search behind `tabu` on QAPLIB instances, each until it finds the best value known or its time is over.
// Prints a Markdown table, which also says whether the mean of all seeds is as near to that value as hoped.
//   qaplib_bench FOLDER SEEDS SECONDS THREADS [NAME ...]      FOLDER/NAME.dat, all if none is named
// Work is counted, not timed: each thread gets the work that fits into SECONDS. The printed seconds are wall-clock
// time.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/search/improve.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;

namespace {

/// The values are from QAPLIB's list; for tai80a and tai100a they are the best values published since.
const std::map<std::string_view, double> kBestKnown{
    {"nug12", 578},      {"nug14", 1014},     {"nug16a", 1610},     {"nug16b", 1240},      {"nug20", 2570},
    {"nug30", 6124},     {"had12", 1652},     {"had14", 2724},      {"had16", 3720},       {"rou12", 235528},
    {"rou15", 354210},   {"rou20", 725522},   {"esc16a", 68},       {"esc16b", 292},       {"esc16c", 160},
    {"esc16d", 16},      {"esc16e", 28},      {"esc16f", 0},        {"esc16g", 26},        {"esc16h", 996},
    {"esc16i", 14},      {"esc16j", 8},       {"esc32a", 130},      {"esc32b", 168},       {"esc32c", 642},
    {"esc32d", 200},     {"esc32e", 2},       {"esc32g", 6},        {"esc32h", 438},       {"esc64a", 116},
    {"esc128", 64},      {"sko49", 23386},    {"sko64", 48498},     {"sko81", 90998},      {"sko100a", 152002},
    {"tho40", 240516},   {"tho150", 8133398}, {"wil100", 273038},   {"tai20a", 703482},    {"tai40a", 3139370},
    {"tai60a", 7205962}, {"tai64c", 1855928}, {"tai80a", 13499184}, {"tai100a", 21044752}, {"tai256c", 44759294}};

/// How far above the best value the mean may be, in percent: practically nothing, except for random matrices
/// (docs/decisions/random-qap.md).
double hoped(std::string_view name) {
  const bool is_random = name == "tai40a" || name == "tai60a" || name == "tai80a" || name == "tai100a";
  return is_random ? 1.0 : 0.005;
}

void print_row(const std::string& folder, std::string_view name, int seeds, double seconds, int threads) {
  const std::string file = fmt::format("{}/{}.dat", folder, name);
  const double best_known = kBestKnown.at(name);
  MapProblem problem{.traffic = read_traffic(file), .topology = read_topology(file)};
  // `time_limit` stands for the fixed work of one thread; `effort` multiplies it by the number of threads.
  const MapOptions options{.time_limit = Seconds(seconds), .effort = static_cast<double>(threads), .threads = threads};
  std::vector<double> above;
  const Deadline watch(Seconds(1e9));
  for (int seed = 1; seed <= seeds; ++seed) {
    problem.seed = static_cast<std::uint64_t>(seed);
    const double cost = improve(problem, fill_in_order(problem), Budget(options), best_known).cost;
    above.push_back(cost == best_known ? 0.0 : 100 * (cost / best_known - 1));
  }
  const double mean = std::accumulate(above.begin(), above.end(), 0.0) / seeds;
  const auto [best, worst] = std::ranges::minmax(above);
  fmt::print("| {} | {:.0f} | {:.3f} | {:.3f} | {:.3f} | {:.3g} | {} |\n", name, best_known, best, mean, worst,
             (1e9 - watch.left().value()) / seeds, mean <= hoped(name) ? "yes" : "no");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) {
    fmt::print(stderr, "qaplib_bench FOLDER SEEDS SECONDS THREADS [NAME ...]\n");
    return 2;
  }
  try {
    std::vector<std::string_view> names(arguments + 5, arguments + count);
    if (names.empty()) std::ranges::copy(std::views::keys(kBestKnown), std::back_inserter(names));
    for (const std::string_view name : names) {
      if (kBestKnown.contains(name)) continue;
      fmt::print(stderr, "qaplib_bench: no best known value of '{}'\n", name);
      return 2;
    }
    fmt::print("| instance | best known | best, % above | mean | worst | seconds | as hoped |\n");
    fmt::print("| --- | --: | --: | --: | --: | --: | --- |\n");
    for (const std::string_view name : names)
      print_row(arguments[1], name, std::atoi(arguments[2]), std::strtod(arguments[3], nullptr),
                std::atoi(arguments[4]));
  } catch (const Error& error) {
    fmt::print(stderr, "qaplib_bench: {}\n", error.what());
    return static_cast<int>(error.status());
  }
  return 0;
}
