// SPDX-License-Identifier: BSD-3-Clause
// Items are separated by commas outside of brackets. A bracket holds numbers and ranges; numbers keep the width of the
// first one ("[08-11]" -> 08 09 10 11). An item may have several brackets: all combinations, the last one fastest.
#include <topowise/topology_source/fabric/hostlist.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {
namespace {

class Expander {
 public:
  Expander(const TextLines& lines, std::size_t line, std::size_t used, std::size_t limit)
      : lines_(lines), line_(line), used_(used), limit_(limit) {}

  std::vector<std::string> expand(std::string_view expression) {
    std::vector<std::string> all;
    for_each_item(expression, [&](std::string_view item) {
      std::vector<std::string> names = expand_item(item);
      check_count(item, all.size() + names.size());
      std::ranges::move(names, std::back_inserter(all));
    });
    return all;
  }

 private:
  [[noreturn]] void wrong(std::string_view part, const std::string& what) const { fail(lines_.at(line_, part, what)); }

  void check_count(std::string_view part, std::size_t count) const {
    if (used_ + count > limit_) wrong(part, fmt::format("{} exceeds the limit of {} names", in_quotes(part), limit_));
  }

  template <class Visit>
  void for_each_item(std::string_view expression, const Visit& visit) const {
    std::size_t begin = 0;
    bool inside = false;
    for (std::size_t i = 0; i <= expression.size(); ++i) {
      const char c = i < expression.size() ? expression[i] : ',';
      if (c == '[' || c == ']') {
        if (inside == (c == '[')) wrong(expression.substr(i), fmt::format("unexpected '{}' in a host list", c));
        inside = c == '[';
      } else if (c == ',' && (!inside || i == expression.size())) {
        if (inside) wrong(expression.substr(begin), "a bracket is not closed");
        if (i > begin) visit(expression.substr(begin, i - begin));
        begin = i + 1;
      }
    }
  }

  std::vector<std::string> expand_item(std::string_view item) const {
    constexpr std::size_t kLongestName = 255;
    const std::string_view whole = item;
    std::vector<std::string> names{std::string()};
    while (!item.empty()) {
      const bool bracket = item.front() == '[';
      const std::size_t end = bracket ? item.find(']') : std::min(item.find('['), item.size());
      const std::string_view part = item.substr(0, end + (bracket ? 1 : 0));
      const std::vector<std::string> choices =
          bracket ? expand_numbers(part.substr(1, part.size() - 2)) : std::vector<std::string>{std::string(part)};
      if (!choices.empty() && names.front().size() + choices.back().size() > kLongestName)
        wrong(part, fmt::format("a host name is longer than {} bytes", kLongestName));
      check_count(whole, names.size() * choices.size());
      std::vector<std::string> longer;
      longer.reserve(names.size() * choices.size());
      for (const std::string& name : names) {
        for (const std::string& choice : choices) longer.push_back(name + choice);
      }
      names = std::move(longer);
      item.remove_prefix(part.size());
    }
    return names;
  }

  std::int64_t parse_number(std::string_view text) const {
    constexpr std::size_t kMostDigits = 17;
    const bool digits = !text.empty() && text.size() <= kMostDigits && std::ranges::all_of(text, is_digit);
    if (!digits) wrong(text, fmt::format("{} is no number of a host list", in_quotes(text)));
    return *parse_integer(text);
  }

  std::vector<std::string> expand_numbers(std::string_view list) const {
    std::vector<std::string> numbers;
    do {
      const std::string_view part = take_part(list, ',');
      const std::size_t dash = part.find('-');
      const std::string_view first = part.substr(0, dash);
      const std::int64_t low = parse_number(first);
      const std::int64_t high = dash == std::string_view::npos ? low : parse_number(part.substr(dash + 1));
      if (high < low) wrong(part, fmt::format("the range {} runs backwards", in_quotes(part)));
      check_count(part, numbers.size() + static_cast<std::size_t>(high - low) + 1);
      for (std::int64_t number = low; number <= high; ++number)
        numbers.push_back(fmt::format("{:0{}}", number, first.size()));
    } while (!list.empty());
    return numbers;
  }

  const TextLines& lines_;
  std::size_t line_;
  std::size_t used_;
  std::size_t limit_;
};

}  // namespace

std::vector<std::string> expand_hostlist(const TextLines& lines, std::size_t line, std::string_view expression,
                                         std::size_t used, std::size_t limit) {
  return Expander(lines, line, used, limit).expand(trim(expression));
}

}  // namespace topowise
