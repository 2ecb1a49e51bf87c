// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/located_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
/// A blank, or a character of no width, that a web page, a chat or a word processor writes, and what it becomes in a
/// copy.
struct Blank {
  std::string_view bytes;
  std::string_view plain;
};
constexpr std::array<Blank, 9> kBlanks{{{"\xc2\xa0", " "},
                                        {"\xe2\x80\x82", " "},
                                        {"\xe2\x80\x83", " "},
                                        {"\xe2\x80\x89", " "},
                                        {"\xe2\x80\xaf", " "},
                                        {"\xe3\x80\x80", " "},
                                        {"\xe2\x80\x8b", ""},
                                        {"\xe2\x81\xa0", ""},
                                        {kByteOrderMark, ""}}};

const Blank* blank_at(std::string_view text) {
  if (static_cast<unsigned char>(text.front()) < 0x80) return nullptr;
  const auto* const found =
      std::ranges::find_if(kBlanks, [&](const Blank& blank) { return text.starts_with(blank.bytes); });
  return found == kBlanks.end() ? nullptr : found;
}

bool is_plain(std::string_view text) {
  return text.find(kEscape) == std::string_view::npos && std::ranges::none_of(kBlanks, [&](const Blank& blank) {
           return text.find(blank.bytes) != std::string_view::npos;
         });
}

/// Length of the ANSI sequence at the beginning of `text`, which starts with ESC: "ESC [ parameters letter", or ESC and
/// one byte. It never goes past the end of the line.
std::size_t ansi_length(std::string_view text) {
  if (text.size() < 2 || text[1] == '\n') return 1;
  if (text[1] != '[') return 2;
  std::size_t end = 2;
  while (end < text.size() && text[end] >= 0x20 && text[end] < 0x40) ++end;
  return end < text.size() && text[end] >= 0x40 ? end + 1 : end;
}

}  // namespace

std::string plain_text(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == kEscape) {
      i += ansi_length(text.substr(i));
    } else if (const Blank* const blank = blank_at(text.substr(i))) {
      plain += blank->plain;
      i += blank->bytes.size();
    } else {
      plain += text[i++];
    }
  }
  return plain;
}

std::string_view plain_text(std::string_view text, std::string& cleaned) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (is_plain(text)) return text;
  cleaned = plain_text(text);
  return cleaned;
}

std::string located(const Diagnostic& diagnostic) {
  std::string place = diagnostic.where;
  if (diagnostic.position.line > 0) place += fmt::format(":{}", diagnostic.position.line);
  if (diagnostic.position.column > 0) place += fmt::format(":{}", diagnostic.position.column);
  return place.empty() ? diagnostic.what : fmt::format("{}: {}", place, diagnostic.what);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  return text.size() <= kLongest ? fmt::format("'{}'", printable(text))
                                 : fmt::format("'{}...'", printable(text.substr(0, kLongest)));
}

void fail(Diagnostic diagnostic) {
  throw Error(ExitStatus::bad_input, {std::move(diagnostic)});
}

void Warnings::add(std::string text) {
  if (seen_.contains(text)) return;
  if (texts_.size() == kMost) {
    ++left_out_;
    return;
  }
  seen_.insert(text);
  texts_.push_back(std::move(text));
}

void Warnings::pass_to(TopologyBuilder& builder) const {
  for (const std::string& text : texts_) builder.warn(text);
  if (left_out_ > 0) builder.warn(fmt::format("and {} more findings of this kind", left_out_));
  for (const std::string& assumption : assumptions_) builder.assume(assumption);
}

}  // namespace topowise
