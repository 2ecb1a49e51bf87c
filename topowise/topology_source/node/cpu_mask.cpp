// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/cpu_mask.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

std::optional<std::uint32_t> parse_word(std::string_view word) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  if (word.empty()) return 0;
  std::uint32_t value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  if (failure != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::vector<std::size_t>> parse_mask(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.size() > kLargestCpu) return std::nullopt;
  const std::vector<std::string_view> words = split(text, ',');
  std::vector<std::size_t> set;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::optional<std::uint32_t> word = parse_word(trim(words[words.size() - 1 - i]));
    if (!word) return std::nullopt;
    for (std::size_t bit = 0; bit < 32; ++bit) {
      if ((*word >> bit & 1U) == 0) continue;
      if (i * 32 + bit >= kLargestCpu) return std::nullopt;
      set.push_back(i * 32 + bit);
    }
  }
  return set;
}

}  // namespace topowise
