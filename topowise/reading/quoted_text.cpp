// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/quoted_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <topowise/base/encoding.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

/// The character with the number in the hexadecimal `digits`; nothing for half of a UTF-16 pair.
std::optional<char32_t> code_point(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  const bool is_half = value >= 0xd800 && value < 0xe000;
  return error != std::errc() || end != digits.data() + digits.size() || is_half ? std::nullopt
                                                                                 : std::optional<char32_t>(value);
}

/// Appends what the escape at the beginning of `rest` stands for. Gives the length of the escape, 0 if it is none.
std::size_t append_escape(std::string& text, std::string_view rest) {
  constexpr std::string_view kNames = "ntr\\\"'/";
  constexpr std::string_view kMeant = "\n\t\r\\\"'/";
  if (rest.size() < 2) return 0;
  if (const std::size_t name = kNames.find(rest[1]); name != std::string_view::npos) {
    text += kMeant[name];
    return 2;
  }
  const std::size_t digits = rest[1] == 'u' ? 4 : rest[1] == 'x' ? 2 : 0;
  if (digits == 0 || rest.size() < 2 + digits) return 0;
  const std::optional<char32_t> point = code_point(rest.substr(2, digits));
  if (!point) return 0;
  append_utf8(text, *point);
  return 2 + digits;
}

/// What is in a string of JSON. `text` begins behind its quote; if a head of a text ends in the string, so does the
/// result.
std::string_view string_content(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return text.substr(0, end);
}

constexpr std::string_view kDockerKey = "{\"log\":";

/// The text in `{"log":"...\n","stream":"stdout","time":"..."}`; nothing for another line.
std::optional<std::string> docker_line(std::string_view line) {
  line = trim(line);
  if (!line.starts_with(kDockerKey)) return std::nullopt;
  line = trim(line.substr(kDockerKey.size()));
  if (!line.starts_with('"')) return std::nullopt;
  return without_escapes(string_content(line.substr(1)));
}

/// The text in `2026-11-26T06:00:00.123456789Z stdout F ...`, where P marks a part that goes on in the next line.
std::optional<std::string> cri_line(std::string_view line) {
  std::string_view rest = line;
  const std::string_view time = take_part(rest, ' ');
  const std::string_view stream = take_part(rest, ' ');
  const std::string_view tag = take_part(rest, ' ');
  if (time.size() < 20 || time[4] != '-' || time[10] != 'T' || (stream != "stdout" && stream != "stderr") ||
      (tag != "F" && tag != "P"))
    return std::nullopt;
  std::string text(rest);
  if (tag == "F") text += '\n';
  return text;
}

/// What `content` finds in the lines, with other lines as they are. Nothing if the first line is not of its kind; a
/// head of the text may cut that line.
std::optional<std::string> from_log(std::string_view text, std::optional<std::string> (*content)(std::string_view)) {
  if (!content(text.substr(0, text.find('\n')))) return std::nullopt;
  std::string result;
  while (!text.empty()) {
    const std::string_view line = take_part(text, '\n');
    if (const std::optional<std::string> found = content(line))
      result += *found;
    else
      result.append(line).append("\n");
  }
  return result;
}

/// A text on one line with line feeds as escapes, as JSON and Python write it: `'...'`, `b'...'`, `"..."` or bare.
std::optional<std::string> from_string(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.find('\n') != std::string_view::npos || text.find("\\n") == std::string_view::npos)
    return std::nullopt;
  constexpr std::string_view kDocument = "{[<";  // documents begin so; they may hold such a text, but are none
  if (kDocument.find(text.front()) != std::string_view::npos) return std::nullopt;
  if (text.starts_with("b'") || text.starts_with("b\"")) text.remove_prefix(1);
  if (const char quote = text.front(); quote == '\'' || quote == '"') {
    text.remove_prefix(1);
    if (text.ends_with(quote)) text.remove_suffix(1);
  }
  return without_escapes(text);
}

using Entity = std::pair<std::string_view, std::string_view>;
constexpr std::array<Entity, 10> kEntities{{{"&#9;", "\t"},
                                            {"&#x9;", "\t"},
                                            {"&Tab;", "\t"},
                                            {"&gt;", ">"},
                                            {"&lt;", "<"},
                                            {"&nbsp;", " "},
                                            {"&quot;", "\""},
                                            {"&#34;", "\""},
                                            {"&#39;", "'"},
                                            {"&amp;", "&"}}};

/// True if entities stand for characters. XML and JSON keep their own entities, and `&amp;` alone may be part of a
/// name.
bool has_entities(std::string_view text) {
  if (text.find('&') == std::string_view::npos || text.find('<') != std::string_view::npos) return false;
  const std::string_view begin = trim(text.substr(0, 256));
  if (begin.starts_with('{') || begin.starts_with('[')) return false;
  return std::ranges::any_of(kEntities, [&](const Entity& entity) {
    return entity.first != "&amp;" && text.find(entity.first) != std::string_view::npos;
  });
}

std::string without_entities(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const auto found =
        std::ranges::find_if(kEntities, [&](const Entity& entity) { return text.starts_with(entity.first); });
    const bool is_entity = found != kEntities.end();
    plain += is_entity ? found->second : text.substr(0, 1);
    text.remove_prefix(is_entity ? found->first.size() : 1);
  }
  return plain;
}

}  // namespace

std::string without_escapes(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = text[at] == '\\' ? append_escape(plain, text.substr(at)) : 0;
    if (length == 0) plain += text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return plain;
}

std::string unquoted(std::string text) {
  for (auto* const content : {docker_line, cri_line}) {
    if (std::optional<std::string> inner = from_log(text, content)) text = *std::move(inner);
  }
  if (std::optional<std::string> inner = from_string(text)) text = *std::move(inner);
  return has_entities(text) ? without_entities(text) : text;
}

}  // namespace topowise
