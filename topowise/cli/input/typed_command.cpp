// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/typed_command.hpp>

#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include <topowise/base/text.hpp>

namespace topowise::cli {
namespace {

constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_-+=:,./";

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string typed_command(const Arguments& arguments, std::string_view verb,
                          const std::function<bool(std::string_view)>& wanted) {
  std::string line = fmt::format("topowise {}", verb);
  for (std::size_t i = 0; arguments.has_operand(i); ++i) line += " " + shell_word(arguments.operand(i));
  for (const Option& option : arguments.verb().options) {
    if (!arguments.has(option.name) || !wanted(option.name)) continue;
    line += fmt::format(" {}", option.name);
    if (!option.value.empty()) line += " " + shell_word(arguments.text(option.name));
  }
  return line;
}

std::string date_text(std::time_t seconds) {
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string page_date() {
  std::time_t seconds = std::time(nullptr);
  if (const char* stated = std::getenv("SOURCE_DATE_EPOCH"); stated != nullptr && *stated != '\0') {
    constexpr std::int64_t kYear9999 = 253402300799;
    const std::optional<std::int64_t> number = parse_integer(stated);
    if (!number || *number < 0 || *number > kYear9999)
      throw usage_error(fmt::format("SOURCE_DATE_EPOCH: '{}' is no number of seconds since 1970", printable(stated)),
                        "SOURCE_DATE_EPOCH=$(date +%s)");
    seconds = static_cast<std::time_t>(*number);
  }
  return date_text(seconds);
}

}  // namespace topowise::cli
