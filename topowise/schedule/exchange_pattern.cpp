// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/exchange_pattern.hpp>

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/units.hpp>
#include <topowise/schedule/orders.hpp>

namespace topowise {

std::optional<Exchange> exchange_pattern(const std::string& name) {
  constexpr std::int64_t kMostRanks = 10'000'000;
  const std::vector<std::string_view> parts = split(name, ':');
  if (parts.size() < 3 || parts[0] != "pattern" || (parts[1] != "scatter" && parts[1] != "gather")) return std::nullopt;
  const std::optional<std::int64_t> ranks = parse_integer(trim(parts[2]));
  const std::string_view size = parts.size() == 4 && parts[3].starts_with("bytes=") ? parts[3].substr(6) : "";
  const std::optional<Bytes> bytes = parts.size() == 3 ? Bytes(1024 * 1024) : parse_bytes(size);
  if (!ranks || *ranks < 2 || *ranks >= kMostRanks || !bytes || parts.size() > 4)
    throw usage_error(fmt::format("'{}' is no pattern", name), fmt::format("pattern:{}:8:bytes=1MiB", parts[1]));
  const auto count = static_cast<std::size_t>(*ranks);
  return parts[1] == "scatter" ? scatter(count, *bytes) : gather(count, *bytes);
}

}  // namespace topowise
