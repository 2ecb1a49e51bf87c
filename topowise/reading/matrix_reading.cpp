// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/matrix_reading.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <topowise/base/text.hpp>

namespace topowise::matrix {

void TextDiagnostics::add(std::size_t line, std::string_view cell, std::string what, std::string hint) {
  constexpr std::size_t kEnough = 100;
  found_.add(lines_.at(line, cell, std::move(what), std::move(hint)));
  if (found_.all().size() >= kEnough) found_.throw_if_any();
}

void TextDiagnostics::fail(std::size_t line, std::string_view cell, std::string what, std::string hint) {
  found_.add(lines_.at(line, cell, std::move(what), std::move(hint)));
  throw Error(ExitStatus::bad_input, found_.all());
}

double amount(TextDiagnostics& diagnostics, std::size_t line, std::string_view cell) {
  const std::optional<double> number = parse_double(cell);
  if (!number || !std::isfinite(*number)) {
    double value = 0;
    const bool is_large =
        !number && std::from_chars(cell.data(), cell.data() + cell.size(), value).ec == std::errc::result_out_of_range;
    diagnostics.add(line, cell,
                    fmt::format("'{}' is {}", printable(cell.substr(0, 80)),
                                is_large ? "beyond the range of numbers (1.8e308)" : "not a number"));
    return 0;
  }
  if (*number < 0) {
    diagnostics.add(line, cell, fmt::format("'{}' is negative", printable(cell)));
    return 0;
  }
  return *number;
}

std::optional<std::size_t> whole_number(TextDiagnostics& diagnostics, std::size_t line, std::string_view cell,
                                        std::string_view what, std::size_t least, std::size_t most) {
  const std::optional<std::int64_t> number = parse_integer(cell);
  if (number && *number >= 0 && static_cast<std::size_t>(*number) >= least && static_cast<std::size_t>(*number) <= most)
    return static_cast<std::size_t>(*number);
  diagnostics.add(line, cell,
                  fmt::format("'{}' is not {} from {} to {}", printable(cell.substr(0, 80)), what, least, most));
  return std::nullopt;
}

TrafficEntry entry(std::size_t source, std::size_t destination, double bytes) {
  return {Rank(source), Rank(destination), Bytes(bytes), 0};
}

bool is_text(std::string_view head) {
  return std::ranges::none_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && !is_blank(c);
  });
}

bool is_comment(std::string_view line, std::string_view marks) {
  const std::string_view text = trim(line);
  return text.empty() || marks.find(text.front()) != std::string_view::npos;
}

}  // namespace topowise::matrix
