// SPDX-License-Identifier: BSD-3-Clause
// The memetic search on QAPLIB instances, beside the best values known; a Markdown table. Seconds are processor time of
// all threads.
//   qaplib_bench FOLDER SEEDS SECONDS THREADS NAME ...      FOLDER/NAME.dat; each seed may take SECONDS
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/mapper/tabu.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;

namespace {

/// From QAPLIB's list; of tai80a and tai100a the best values published since.
const std::map<std::string_view, double> kBestKnown{
    {"nug12", 578},       {"nug14", 1014},     {"nug16a", 1610},    {"nug16b", 1240},     {"nug20", 2570},
    {"nug30", 6124},      {"had12", 1652},     {"had14", 2724},     {"had16", 3720},      {"rou12", 235528},
    {"rou15", 354210},    {"rou20", 725522},   {"esc16a", 68},      {"esc32a", 130},      {"esc32b", 168},
    {"esc32c", 642},      {"esc32d", 200},     {"esc32e", 2},       {"esc32g", 6},        {"esc32h", 438},
    {"esc64a", 116},      {"esc128", 64},      {"sko49", 23386},    {"sko64", 48498},     {"sko81", 90998},
    {"sko100a", 152002},  {"tho40", 240516},   {"tho150", 8133398}, {"wil100", 273038},   {"tai20a", 703482},
    {"tai40a", 3139370},  {"tai60a", 7205962}, {"tai64c", 1855928}, {"tai80a", 13499184}, {"tai100a", 21044752},
    {"tai256c", 44759294}};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void print_row(const std::string& folder, const std::string& name, int seeds, double seconds, int threads) {
  const std::string file = folder + "/" + name + ".dat";
  const auto known = kBestKnown.find(name);
  const double best_known = known == kBestKnown.end() ? 0.0 : known->second;
  MapProblem problem{.traffic = read_traffic(file), .topology = read_topology(file), .time_limit = Seconds(seconds)};
  problem.threads = threads;
  problem.effort = threads;  // the work that one thread does in the time is fixed: so much more for several
  double sum = 0;
  double worst = 0;
  double best = 1e300;
  double used = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    problem.seed = static_cast<std::uint64_t>(seed);
    const double start = processor_seconds();
    const double cost = map_tabu(problem).cost;
    used += processor_seconds() - start;
    sum += cost;
    best = std::min(best, cost);
    worst = std::max(worst, cost);
  }
  const auto above = [&](double cost) {
    return best_known > 0 ? fmt::format("{:.3f}", 100 * (cost / best_known - 1)) : "-";
  };
  fmt::print("| {} | {:.0f} | {:.0f} | {} | {} | {} | {:.3g} |\n", name, best_known, best, above(best),
             above(sum / seeds), above(worst), used / seeds);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 6) {
    fmt::print(stderr, "qaplib_bench FOLDER SEEDS SECONDS THREADS NAME ...\n");
    return 2;
  }
  try {
    fmt::print("| instance | best known | found | best, % above | mean | worst | seconds |\n");
    fmt::print("| --- | --: | --: | --: | --: | --: | --: |\n");
    for (int i = 5; i < count; ++i)
      print_row(arguments[1], arguments[i], std::atoi(arguments[2]), std::strtod(arguments[3], nullptr),
                std::atoi(arguments[4]));
  } catch (const Error& error) {
    fmt::print(stderr, "qaplib_bench: {}\n", error.what());
    return static_cast<int>(error.status());
  }
  return 0;
}
