// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/plural.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace topowise {

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string list_of_ranks(std::span<const std::size_t> ranks) {
  constexpr std::size_t kShown = 8;
  const auto shown = ranks.first(std::min(kShown, ranks.size()));
  const std::string rest = ranks.size() > kShown ? fmt::format(" and {} more", ranks.size() - kShown) : "";
  return fmt::format("rank{} {}{}", ranks.size() == 1 ? "" : "s", fmt::join(shown, ", "), rest);
}

}  // namespace topowise
