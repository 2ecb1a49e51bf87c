// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/fabric/yaml_subset.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {
namespace {

/// What stands on a line after its indentation. The rest of a list item after its dash is an entry, too.
struct Entry {
  std::size_t line = 0;
  std::size_t indent = 0;
  std::string_view text;
};

/// '#' begins a comment at the start or after a blank, outside of quotes.
std::string_view without_comment(std::string_view text) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != '\0') {
      if (text[i] == quote) quote = '\0';
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '#' && (i == 0 || is_blank(text[i - 1]))) {
      return text.substr(0, i);
    }
  }
  return text;
}

std::string_view unquoted(std::string_view text) {
  text = trim(text);
  const bool quoted = text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

bool is_list_item(const Entry& entry) {
  return entry.text == "-" || entry.text.starts_with("- ");
}

/// Where the key of "key: value" or "key:" ends; npos if the text is no such pair.
std::size_t key_end(std::string_view text) {
  for (std::size_t i = text.find(':'); i != std::string_view::npos; i = text.find(':', i + 1)) {
    if (i + 1 == text.size() || is_blank(text[i + 1])) return i;
  }
  return std::string_view::npos;
}

class Parser {
 public:
  explicit Parser(const TextLines& lines) : lines_(lines) {
    for (std::size_t l = 0; l < lines.size(); ++l) {
      const std::string_view line = without_comment(lines[l]);
      const std::string_view text = trim(line);
      if (text.empty() || text == "---" || text == "...") continue;
      const std::string_view indent = line.substr(0, static_cast<std::size_t>(text.data() - line.data()));
      if (indent.find('\t') != std::string_view::npos) fail(lines.at(l, {}, "YAML does not allow TABs as indentation"));
      entries_.push_back({l, indent.size(), text});
    }
  }

  YamlValue parse() {
    if (entries_.empty()) fail({lines_.where(), {}, "no values found", {}, {}});
    YamlValue value = parse_value(0);
    if (next_ < entries_.size()) wrong("does not fit into the indentation above");
    return value;
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    const Entry& entry = entries_[std::min(next_, entries_.size() - 1)];
    fail(lines_.at(entry.line, entry.text, fmt::format("{} {}", quoted(entry.text), what)));
  }

  YamlValue parse_value(std::size_t depth) {
    constexpr std::size_t kDeepest = 32;
    if (depth > kDeepest) wrong("is nested too deeply");
    if (is_list_item(entries_[next_])) return parse_list(depth);
    if (key_end(entries_[next_].text) != std::string_view::npos) return parse_map(depth);
    YamlValue value = parse_scalar(entries_[next_].line, entries_[next_].text);
    ++next_;
    return value;
  }

  YamlValue parse_list(std::size_t depth) {
    YamlValue value{.line = entries_[next_].line};
    const std::size_t indent = entries_[next_].indent;
    while (next_ < entries_.size() && entries_[next_].indent == indent && is_list_item(entries_[next_])) {
      Entry& entry = entries_[next_];
      const std::string_view rest = trim(entry.text.substr(1));
      if (rest.empty()) {
        ++next_;
        value.items.push_back(next_ < entries_.size() && entries_[next_].indent > indent
                                  ? parse_value(depth + 1)
                                  : YamlValue{.line = entry.line});
      } else {
        entry.indent += static_cast<std::size_t>(rest.data() - entry.text.data());
        entry.text = rest;
        value.items.push_back(parse_value(depth + 1));
      }
    }
    return value;
  }

  YamlValue parse_map(std::size_t depth) {
    YamlValue value{.line = entries_[next_].line};
    const std::size_t indent = entries_[next_].indent;
    while (next_ < entries_.size() && entries_[next_].indent == indent && !is_list_item(entries_[next_])) {
      const Entry entry = entries_[next_];
      const std::size_t colon = key_end(entry.text);
      if (colon == std::string_view::npos) wrong("is no 'key: value'");
      const std::string_view rest = trim(entry.text.substr(colon + 1));
      ++next_;
      YamlValue child{.line = entry.line};
      if (!rest.empty()) {
        child = parse_scalar(entry.line, rest);
      } else if (next_ < entries_.size() && (entries_[next_].indent > indent ||
                                             (entries_[next_].indent == indent &&
                                              is_list_item(entries_[next_])))) {  // a list may hang under its key
        child = parse_value(depth + 1);
      }
      value.keys.push_back(unquoted(entry.text.substr(0, colon)));
      value.items.push_back(std::move(child));
    }
    return value;
  }

  YamlValue parse_scalar(std::size_t line, std::string_view text) const {
    YamlValue value{.line = line};
    if (text.front() == '[' && text.back() == ']' && text.size() >= 2) {
      for (const std::string_view item : split(text.substr(1, text.size() - 2), ','))
        value.items.push_back({.line = line, .scalar = unquoted(item)});
    } else {
      value.scalar = unquoted(text);
    }
    return value;
  }

  const TextLines& lines_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;
};

}  // namespace

const YamlValue* YamlValue::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

std::string_view YamlValue::scalar_of(std::string_view key) const {
  const YamlValue* value = find(key);
  return value == nullptr ? std::string_view() : value->scalar;
}

YamlValue parse_yaml(const TextLines& lines) {
  return Parser(lines).parse();
}

}  // namespace topowise
