// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/matrix/metis_header.hpp>

#include <topowise/base/text.hpp>

namespace topowise::metis {

std::optional<Header> parse_header(const std::vector<std::string_view>& words) {
  if (words.size() < 2 || words.size() > 4) return std::nullopt;
  const std::optional<std::int64_t> vertices = parse_integer(words[0]);
  const std::optional<std::int64_t> edges = parse_integer(words[1]);
  if (!vertices || !edges || *vertices < 1 || *edges < 0) return std::nullopt;
  Header header{static_cast<std::size_t>(*vertices), static_cast<std::size_t>(*edges), 0, false};
  if (words.size() == 2) return header;
  const std::string_view format = words[2];
  if (format.empty() || format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos)
    return std::nullopt;
  const auto digit = [&](std::size_t from_right) {
    return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
  };
  const std::optional<std::int64_t> weights = words.size() == 4 ? parse_integer(words[3]) : 1;
  if (!weights || *weights < 1 || *weights > 1000) return std::nullopt;
  header.weighted = digit(0);
  header.skipped = (digit(2) ? 1 : 0) + (digit(1) ? static_cast<std::size_t>(*weights) : 0);
  return header;
}

}  // namespace topowise::metis
