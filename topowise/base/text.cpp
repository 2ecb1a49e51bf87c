// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>

#include <topowise/base/utf8.hpp>

namespace topowise {
namespace {

std::string shown(std::string_view text, bool keep_lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    const char first = sequence.front();
    if (keep_lines && (first == '\n' || first == '\t')) {
      result += first;
    } else if (first == '\t') {
      result += ' ';
    } else if (length == 0) {
      result += '?';
    } else if (const char32_t point = utf8_code_point(sequence); is_unseen(point)) {
      result += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(point));
    } else {
      result += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return result;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && (is_blank(text.front()) || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string printable(std::string_view text) {
  return shown(text, false);
}

std::string printable_lines(std::string_view text) {
  return shown(text, true);
}

std::optional<double> parse_double(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view take_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::vector<std::string_view> split_blanks(std::string_view text, std::size_t most) {
  std::vector<std::string_view> parts;
  while (parts.size() < most) {
    const std::string_view word = take_word(text);
    if (word.empty()) break;
    parts.push_back(word);
  }
  return parts;
}

std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  while (!take_word(text).empty()) ++count;
  return count;
}

std::optional<std::string> did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  // Optimal string alignment: insert, delete, replace, or swap two neighbours, each once.
  const auto edit_distance = [](std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
      next[0] = i;
      for (std::size_t j = 1; j <= b.size(); ++j) {
        next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          next[j] = std::min(next[j], before[j - 2] + 1);
      }
      before.swap(row);
      row.swap(next);
    }
    return row.back();
  };
  std::optional<std::string> best;
  if (name.size() > 64) return best;
  std::size_t limit = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(lower(name), lower(candidate));
    if (distance < limit) {
      limit = distance;
      best = candidate;
    }
  }
  constexpr std::size_t kFewestLetters = 3;  // a shorter word is part of many names
  if (best || name.size() < kFewestLetters) return best;
  const auto longer = std::ranges::find_if(candidates, [&](const std::string& candidate) {
    return lower(candidate).find(lower(name)) != std::string::npos;
  });
  return longer == candidates.end() ? best : *longer;
}

std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string> candidates) {
  std::string text = fmt::format("unknown {} '{}'", kind, printable(name.substr(0, 80)));
  if (const std::optional<std::string> guess = did_you_mean(name, candidates))
    text += fmt::format(", did you mean '{}'?", *guess);
  return text;
}

}  // namespace topowise
