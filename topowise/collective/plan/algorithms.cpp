// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/algorithms.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/collective/plan/binomial.hpp>
#include <topowise/collective/plan/leader_fused.hpp>
#include <topowise/collective/plan/shared_buffer.hpp>
#include <topowise/collective/plan/staged_host.hpp>

namespace topowise::collective {
namespace {

constexpr std::array<AllreduceAlgorithm, 4> kAlgorithms{{
    {"staged-host", "through memory of the host that the ranks share", staged_host, false},
    {"shared-buffer", "through a buffer on the first rank's GPU (Faraji and Afsahi, 3.1)", shared_buffer, true},
    {"binomial", "up a binomial tree of GPU buffers (Faraji and Afsahi, 3.2)", binomial, true},
    {"leader-fused", "one kernel reads all inputs and writes all outputs", leader_fused, true},
}};

}  // namespace

std::span<const AllreduceAlgorithm> algorithms() {
  return kAlgorithms;
}

std::size_t find_algorithm(std::string_view name) {
  const auto found = std::ranges::find(kAlgorithms, name, &AllreduceAlgorithm::name);
  if (found != kAlgorithms.end()) return static_cast<std::size_t>(found - kAlgorithms.begin());
  std::vector<std::string> names;
  for (const AllreduceAlgorithm& algorithm : kAlgorithms) names.emplace_back(algorithm.name);
  throw usage_error(unknown_name("algorithm", name, names));
}

}  // namespace topowise::collective
