// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/node_gpu.hpp>

#include <algorithm>
#include <array>

#include <topowise/base/text.hpp>

namespace topowise {

std::optional<int> number_in_name(std::string_view gpu) {
  constexpr std::array<std::string_view, 7> kWords{"GPU", "NPU", "Phy-ID", "DCU", "GCU", "MLU", "XPU"};
  constexpr std::size_t kMostDigits = 5;
  const std::size_t digits = gpu.size() - std::min(gpu.size(), gpu.find_last_not_of("0123456789") + 1);
  const std::string_view word = gpu.substr(0, gpu.size() - digits);
  const auto ends_word = [&](std::string_view known) {
    if (!word.ends_with(known)) return false;
    return word.size() == known.size() || !is_letter_or_digit(word[word.size() - known.size() - 1]);
  };
  if (digits == 0 || digits > kMostDigits || std::ranges::none_of(kWords, ends_word)) return std::nullopt;
  return static_cast<int>(*parse_integer(gpu.substr(word.size())));
}

std::string_view tile_of(std::string_view name) {
  const std::size_t begin = name.rfind("GPU");
  if (begin == std::string_view::npos) return {};
  const std::string_view number = name.substr(begin + 3);
  const std::size_t dot = number.find('.');
  const auto digits = [](std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); };
  if (dot == std::string_view::npos || !digits(number.substr(0, dot)) || !digits(number.substr(dot + 1))) return {};
  return number;
}

GpuVendor vendor_of(const NodeGpu& gpu) {
  const GpuVendor named = vendor_in_name(gpu.name);
  if (named != GpuVendor::unknown) return named;
  return tile_of(gpu.name).empty() ? gpu.vendor : GpuVendor::intel;
}

}  // namespace topowise
