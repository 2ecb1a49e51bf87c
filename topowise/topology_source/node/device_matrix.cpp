// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/device_matrix.hpp>

#include <fmt/format.h>

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

void warn_of_peers(const DeviceMatrix& matrix, const std::function<bool(std::size_t, std::size_t)>& reads,
                   Warnings& warnings) {
  std::size_t refused = 0;
  std::string example;
  for (std::size_t a = 0; a < matrix.size(); ++a) {
    for (std::size_t b = 0; b < matrix.size(); ++b) {
      if (a == b || reads(a, b)) continue;
      if (refused++ == 0) example = fmt::format("{} and {}", matrix.device(a).name, matrix.device(b).name);
    }
  }
  if (refused == 0) return;
  warnings.add(
      fmt::format("{} of {} pairs of GPUs cannot read each other's memory ({} is the first): their copies go "
                  "through host memory",
                  refused, matrix.size() * (matrix.size() - 1), example));
}

}  // namespace topowise
