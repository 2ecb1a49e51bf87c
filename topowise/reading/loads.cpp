// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/loads.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/reading/matrix_reading.hpp>

namespace topowise {
namespace {

constexpr std::int64_t kHeaviest = 1'000'000;
constexpr std::size_t kMostRanks = 1 << 24;

/// Adds the load of an item, which is LOAD, or 'N*LOAD' for N ranks. Returns what is wrong with the item, else nothing.
std::string add_loads(std::string_view item, std::vector<int>& loads) {
  const std::size_t star = item.find('*');
  const std::optional<std::int64_t> count =
      star == std::string_view::npos ? std::optional<std::int64_t>(1) : parse_integer(trim(item.substr(0, star)));
  const std::optional<std::int64_t> load =
      parse_integer(trim(star == std::string_view::npos ? item : item.substr(star + 1)));
  if (!count || !load || *count < 1 || *load < 1 || *load > kHeaviest)
    return fmt::format("{} is not a load: a whole number from 1 to {}, or N*LOAD", in_quotes(item), kHeaviest);
  if (static_cast<std::size_t>(*count) > kMostRanks - loads.size())
    return fmt::format("{}: these are loads for more than {} ranks", in_quotes(item), kMostRanks);
  loads.insert(loads.end(), static_cast<std::size_t>(*count), static_cast<int>(*load));
  return {};
}

/// True if the text has a comma or a '*' or is a number, unless a file has that name.
bool is_list(const std::string& text) {
  std::error_code failure;
  const bool looks_so = text.find_first_of(",*") != std::string::npos || parse_double(trim(text));
  return looks_so && !std::filesystem::exists(text, failure);
}

std::string wrong_count(std::size_t loads, std::optional<std::size_t> ranks) {
  return loads == ranks.value_or(loads) ? std::string()
                                        : fmt::format("{} for {}", counted(loads, "load"), counted(*ranks, "rank"));
}

/// Reads "2,1,1,6*3".
std::vector<int> loads_of_list(std::string_view option, std::string_view text, std::optional<std::size_t> ranks) {
  std::vector<int> loads;
  for (const std::string_view item : split(text, ',')) {
    if (const std::string wrong = add_loads(trim(item), loads); !wrong.empty())
      throw usage_error(fmt::format("{}: {}", option, wrong));
  }
  if (const std::string wrong = wrong_count(loads.size(), ranks); !wrong.empty())
    throw usage_error(fmt::format("{}: {}", option, wrong));
  return loads;
}

/// Reads one load a line.
std::vector<int> loads_of_file(const std::string& path, std::optional<std::size_t> ranks) {
  std::vector<int> loads;
  const std::string content = plain_text(read_text(path));
  const TextLines lines(input_name(path), content);
  matrix::TextDiagnostics wrong(lines);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::string_view item = trim(lines[line]);
    if (matrix::is_comment(item, "#")) continue;
    if (std::string what = add_loads(item, loads); !what.empty()) wrong.add(line, item, std::move(what));
  }
  wrong.throw_if_any();
  if (std::string what = wrong_count(loads.size(), ranks); !what.empty())
    fail({lines.where(), {}, std::move(what), {}, {}});
  return loads;
}

}  // namespace

std::vector<int> read_loads(std::string_view option, const std::string& given, std::optional<std::size_t> ranks) {
  return is_list(given) ? loads_of_list(option, given, ranks) : loads_of_file(given, ranks);
}

}  // namespace topowise
