// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/device_matrix.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include <topowise/base/text.hpp>

namespace topowise {

bool is_gpu_name(std::string_view word) {
  constexpr std::string_view kPrefix = "GPU";
  constexpr std::size_t kMostDigits = 5;
  if (!word.starts_with(kPrefix)) return false;
  word.remove_prefix(kPrefix.size());
  return !word.empty() && word.size() <= kMostDigits && std::ranges::all_of(word, is_digit);
}

DeviceMatrix::DeviceMatrix(std::vector<Device> devices)
    : devices_(std::move(devices)), pairs_(unordered_pairs(devices_.size())) {}

DevicePair& DeviceMatrix::pair(std::size_t a, std::size_t b) {
  return pairs_[number_of_pair(a, b)];
}

const DevicePair& DeviceMatrix::pair(std::size_t a, std::size_t b) const {
  return pairs_[number_of_pair(a, b)];
}

void DeviceMatrix::set_vendor(GpuVendor vendor) {
  for (Device& device : devices_) {
    if (device.kind == VertexKind::gpu) device.vendor = vendor;
  }
}

std::string without_peer_access(const std::vector<std::string>& pairs, std::size_t of, std::string_view what_follows) {
  constexpr std::size_t kShown = 12;
  const std::size_t shown = std::min(pairs.size(), kShown);
  return fmt::format(
      "{} of {} pairs of GPUs cannot read each other's memory ({}{}): their copies are staged in host memory, {}",
      pairs.size(), of, fmt::join(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < pairs.size() ? ", ..." : "", what_follows);
}

void read_peers(DeviceMatrix& matrix, const std::function<bool(std::size_t, std::size_t)>& reads, Warnings& warnings,
                const std::string& where) {
  std::vector<std::string> refused;
  for (std::size_t a = 0; a < matrix.size(); ++a) {
    for (std::size_t b = a + 1; b < matrix.size(); ++b) {
      if (reads(a, b) && reads(b, a)) continue;
      matrix.pair(a, b).refuses_peers = true;
      refused.push_back(fmt::format("{}-{}", matrix.device(a).name, matrix.device(b).name));
    }
  }
  if (refused.empty()) return;
  const std::size_t pairs = matrix.size() * (matrix.size() - 1) / 2;
  warnings.add(fmt::format("{}{}{}", where, where.empty() ? "" : ": ", without_peer_access(refused, pairs)));
}

}  // namespace topowise
