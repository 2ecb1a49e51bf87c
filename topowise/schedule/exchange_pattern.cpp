// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/exchange_pattern.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/base/units.hpp>
#include <topowise/schedule/orders.hpp>

namespace topowise {
namespace {

/// Reads the parts behind the name. Every error points at its part of the argument.
class ArgumentReader {
 public:
  ArgumentReader(const std::string& argument, const std::vector<std::string_view>& parts)
      : lines_("EXCHANGE", argument), parts_(parts) {}

  [[nodiscard]] std::size_t ranks() const {
    constexpr std::int64_t kMostRanks = 9'999'999;
    const std::string usage = fmt::format("write pattern:{}:N", parts_[1]);
    if (parts_.size() < 3) fail({}, fmt::format("pattern '{}' needs its number of ranks", parts_[1]), usage);
    const std::optional<std::int64_t> ranks = parse_integer(trim(parts_[2]));
    if (!ranks || *ranks < 2 || *ranks > kMostRanks)
      fail(parts_[2], fmt::format("'{}' is not a number of ranks from 2 to {}", printable(parts_[2]), kMostRanks),
           usage);
    return static_cast<std::size_t>(*ranks);
  }

  [[nodiscard]] Bytes bytes() const {
    constexpr std::string_view kKey = "bytes=";
    if (parts_.size() == 3) return Bytes(1024 * 1024);
    for (std::size_t i = 3; i < parts_.size(); ++i)
      if (!parts_[i].starts_with(kKey)) fail_of_key(parts_[i]);
    if (parts_.size() > 4) fail(parts_[4], "key 'bytes' is given twice");
    const std::string_view size = parts_[3].substr(kKey.size());
    const std::optional<Bytes> bytes = parse_bytes(size);
    if (!bytes) fail(size.empty() ? parts_[3] : size, fmt::format("'{}' is not a size like 64KiB", printable(size)));
    return *bytes;
  }

 private:
  [[noreturn]] void fail(std::string_view cell, std::string what, std::string hint = {}) const {
    throw Error(ExitStatus::bad_input, {lines_.at(0, cell, std::move(what), std::move(hint))});
  }

  [[noreturn]] void fail_of_key(std::string_view part) const {
    const std::vector<std::string> known{"bytes"};
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      fail(part, fmt::format("'{}' is not KEY=VALUE", printable(part)), "it takes bytes");
    fail(part, unknown_name(fmt::format("key of pattern '{}':", parts_[1]), part.substr(0, equals), known),
         "it takes bytes");
  }

  TextLines lines_;
  const std::vector<std::string_view>& parts_;
};

}  // namespace

std::optional<Exchange> exchange_pattern(const std::string& name) {
  const std::vector<std::string_view> parts = split(name, ':');
  if (parts.size() < 2 || parts[0] != "pattern" || (parts[1] != "scatter" && parts[1] != "gather")) return std::nullopt;
  const ArgumentReader reader(name, parts);
  const std::size_t ranks = reader.ranks();
  const Bytes bytes = reader.bytes();
  return parts[1] == "scatter" ? scatter(ranks, bytes) : gather(ranks, bytes);
}

}  // namespace topowise
