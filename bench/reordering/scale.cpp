// SPDX-License-Identifier: BSD-3-Clause
// Measures how long rank 0 computes inside a topology function, and how much memory that takes, for jobs far larger
// than this machine can start:
//
//   reordering_scale [SECONDS [MOST_RANKS [bound]]]
//
// The job is a periodic three-dimensional grid with 16 ranks on each host. The ranks are dealt out to the hosts in
// turn, so there is much to gain. With `bound` the ranks of a host are bound in turn to two packages of two L3 caches
// each.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include <topowise/reorder/reorder.hpp>
#include <topowise/reorder/virtual_topology.hpp>

using namespace topowise;

namespace {

/// The extents that MPI_Dims_create would choose; `ranks` is a power of two.
std::array<int, 3> extents_of(int ranks) {
  std::array<int, 3> extents{1, 1, 1};
  for (std::size_t axis = 0; ranks > 1; ranks /= 2, axis = (axis + 1) % 3) extents[axis] *= 2;
  return extents;
}

NodePart in_turn(int rank_on_host) {
  NodePart part;
  part.number[static_cast<std::size_t>(NodeLevel::package)] = static_cast<std::int16_t>(rank_on_host % 2);
  part.number[static_cast<std::size_t>(NodeLevel::l3_cache)] = static_cast<std::int16_t>(rank_on_host % 4);
  return part;
}

JobMachine machine_of(int ranks, bool bound) {
  constexpr int kRanksOfHost = 16;
  const int hosts = std::max(2, ranks / kRanksOfHost);
  std::vector<std::string> names;
  for (int rank = 0; rank < ranks; ++rank) names.push_back(fmt::format("host{}", rank % hosts));
  JobMachine machine = equal_hosts(names);
  for (int rank = 0; bound && rank < ranks; ++rank) machine.part_of_process.push_back(in_turn(rank / hosts));
  return machine;
}

/// Processor time: a loaded machine does not spoil it.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void measure(int ranks, bool bound, const std::optional<MapOptions>& options) {
  constexpr std::array<bool, 3> kPeriodic{true, true, true};
  const std::array<int, 3> extents = extents_of(ranks);
  const double begin = processor_seconds();
  const Reordering found = reorder(cartesian_traffic(extents, kPeriodic), machine_of(ranks, bound), options);
  const double spent = processor_seconds() - begin;
  fmt::print("| {} | {}x{}x{} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |\n", ranks, extents[0], extents[1],
             extents[2], 1000 * spent, megabytes(), found.cost_before, found.cost, found.inside_before, found.inside);
}

}  // namespace

int main(int count, char** words) {
  const double seconds = count > 1 ? std::atof(words[1]) : 0;  // 0: the time that the engine would give
  const int most = count > 2 ? std::atoi(words[2]) : 65536;
  const bool bound = count > 3 && std::string_view(words[3]) == "bound";
  fmt::print("| ranks | grid | ms | MB | hop-bytes before | after | inside hosts before | after |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (int ranks = 8; ranks <= most; ranks *= ranks < 64 ? 2 : 4)
    measure(ranks, bound,
            seconds > 0 ? std::optional(MapOptions{.time_limit = Seconds(seconds), .threads = 1}) : std::nullopt);
}
