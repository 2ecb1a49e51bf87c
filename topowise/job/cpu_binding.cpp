// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/cpu_binding.hpp>

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise::job {
namespace {

constexpr int kMostCpus = 1 << 16;  ///< far beyond what Linux supports (8192)

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeCpuSet>;

}  // namespace

std::vector<int> cpus_in_list(const std::string& list) {
  const std::optional<CpuRanges> ranges = parse_cpu_list(trim(list));
  std::set<int> cpus;
  for (const auto& [first, last] : ranges.value_or(CpuRanges{})) {
    for (int cpu = first; cpu <= last && cpu < kMostCpus; ++cpu) cpus.insert(cpu);
  }
  if (cpus.empty()) throw bad_input(fmt::format("'{}' is no list of processors", printable(list)));
  return {cpus.begin(), cpus.end()};
}

std::vector<int> allowed_cpus() {
  const CpuSet set(CPU_ALLOC(kMostCpus));
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  if (!set || ::sched_getaffinity(0, bytes, set.get()) != 0)
    throw not_available(fmt::format("cannot read the processors of this process: {}", std::strerror(errno)));
  std::vector<int> cpus;
  for (int cpu = 0; cpu < kMostCpus; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set.get())) cpus.push_back(cpu);
  }
  return cpus;
}

void bind_to_cpus(const std::vector<int>& cpus) {
  const CpuSet set(CPU_ALLOC(kMostCpus));
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  CPU_ZERO_S(bytes, set.get());
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set.get());
  if (::sched_setaffinity(0, bytes, set.get()) != 0) {
    throw not_available(fmt::format("cannot bind to processors {}: {}", to_cpu_list(cpus), std::strerror(errno)),
                        "--cpu-bind none leaves the binding to the launcher");
  }
}

void bind_to_all_cpus() {
  std::vector<int> all(kMostCpus);
  std::iota(all.begin(), all.end(), 0);
  bind_to_cpus(all);
}

}  // namespace topowise::job
