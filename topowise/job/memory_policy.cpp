// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/memory_policy.hpp>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include <topowise/base/text.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise::job {
namespace {

/// The names of the modes, by the numbers of the kernel (linux/mempolicy.h).
constexpr std::array<const char*, 7> kModes{"default",        "preferred",          "bind", "interleave", "local",
                                            "preferred many", "weighted interleave"};

std::vector<int> allowed_nodes() {
  std::ifstream status("/proc/self/status");
  constexpr std::string_view kKey = "Mems_allowed_list:";
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kKey)) return cpus_in_list(std::string(trim(std::string_view(line).substr(kKey.size()))));
  }
  return {};
}

}  // namespace

std::string MemoryPolicy::words() const {
  return nodes.empty() ? mode : fmt::format("{} {}", mode, to_cpu_list(nodes));
}

bool MemoryPolicy::reaches(int node) const {
  const auto has = [node](const std::vector<int>& list) {
    return list.empty() || std::ranges::binary_search(list, node);
  };
  return has(nodes) && has(allowed);
}

std::optional<MemoryPolicy> memory_policy() {
  constexpr unsigned long kMostNodes = 4096;
  constexpr unsigned long kBits = 8 * sizeof(unsigned long);
  std::array<unsigned long, kMostNodes / kBits> mask{};
  int mode = 0;
  if (::syscall(SYS_get_mempolicy, &mode, mask.data(), kMostNodes, nullptr, 0UL) != 0) return std::nullopt;
  constexpr unsigned kFlags = 0xe000;  // MPOL_MODE_FLAGS
  const std::size_t number = static_cast<unsigned>(mode) & ~kFlags;
  MemoryPolicy policy{number < kModes.size() ? kModes[number] : "unknown", {}, allowed_nodes()};
  for (unsigned long node = 0; node < kMostNodes; ++node) {
    if ((mask[node / kBits] >> (node % kBits) & 1) != 0) policy.nodes.push_back(static_cast<int>(node));
  }
  return policy;
}

}  // namespace topowise::job
