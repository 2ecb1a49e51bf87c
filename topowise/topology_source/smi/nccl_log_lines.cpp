// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nccl_log_lines.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

/// True for "n1:7:9": a host and two numbers, but not for a time of day.
bool is_process(std::string_view word) {
  const std::size_t thread = word.rfind(':');
  if (thread == std::string_view::npos || thread == 0) return false;
  const std::size_t process = word.rfind(':', thread - 1);
  if (process == std::string_view::npos) return false;
  const std::string_view host = word.substr(0, process);
  return parse_integer(word.substr(process + 1, thread - process - 1)) && parse_integer(word.substr(thread + 1)) &&
         host.find_first_not_of("0123456789-/T[(") != std::string_view::npos;
}

/// Who printed a line, by the text before the mark: "n1:7:9" in "[2025-06-02 10:00:24] n1:7:9 [0] ", because a time
/// stamp differs from line to line. The whole text if it names no process.
std::string_view process_of(std::string_view prefix) {
  std::string_view found;
  std::string_view rest = prefix;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    if (is_process(word)) found = word;
  }
  return found.empty() ? prefix : found;
}

}  // namespace

NcclLogLines::NcclLogLines(const TextLines& lines) : lines_(lines) {
  constexpr std::size_t kMostProcesses = std::size_t{1} << 16;
  std::set<std::string, std::less<>> once;  // a torn line may begin with half of its process's name
  for (std::size_t l = 0; l < lines.size() && once.size() < kMostProcesses; ++l) {
    std::string_view rest = lines[l];
    const std::string_view word = take_word(rest);
    if (!is_process(word)) continue;
    if (once.empty()) indentation_ = static_cast<std::size_t>(word.data() - lines[l].data());
    if (processes_.contains(word)) continue;
    if (!once.emplace(word).second) processes_.emplace(word);
  }
  std::erase_if(processes_, [&](const std::string& name) {  // "n1:7n1:8:8", which may stand there twice
    for (std::size_t begin = 1; begin < name.size(); ++begin) {
      if (once.contains(std::string_view(name).substr(begin))) return true;
    }
    return false;
  });
}

std::size_t NcclLogLines::visit(const std::function<void(const NcclLogLine&)>& visit) const {
  constexpr std::size_t kMostTorn = 16;
  struct Torn {
    std::size_t line = 0;
    std::string begin;
  };
  std::vector<Torn> torn;  // beginnings of lines whose other half is to come; the last one is completed first
  std::size_t lost = 0;
  std::string joined;
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    std::size_t begin = l;
    std::string_view text = lines_[l];
    text.remove_prefix(std::min(indentation_, text.size()));
    if (!torn.empty() && !begins_line(text)) {
      begin = torn.back().line;
      joined = std::move(torn.back().begin).append(text);
      text = joined;
      torn.pop_back();
    }
    for (std::size_t end = tear(text); end != std::string_view::npos; end = tear(text)) {
      if (torn.size() == kMostTorn) {
        torn.erase(torn.begin());
        ++lost;
      }
      torn.push_back({begin, std::string(text.substr(0, end))});
      text.remove_prefix(end);
      begin = l;
    }
    const std::size_t mark = text.find(kMark);
    if (mark != std::string_view::npos)
      visit({begin, process_of(text.substr(0, mark)), text.substr(mark + kMark.size())});
  }
  return lost + torn.size();
}

bool NcclLogLines::begins_line(std::string_view text) const {
  return processes_.contains(text.substr(0, text.find(' ')));
}

std::size_t NcclLogLines::tear(std::string_view text) const {
  if (processes_.empty()) return std::string_view::npos;
  for (std::size_t mark = text.find(kMark); mark != std::string_view::npos; mark = text.find(kMark, mark + 1)) {
    // The process is the word before the last one: "... n1:8:8 [1] ".
    const std::string_view before = text.substr(0, mark);
    const std::size_t bracket = before.rfind('[');
    if (bracket == std::string_view::npos || bracket == 0 || before[bracket - 1] != ' ') continue;
    const std::string_view header = before.substr(0, bracket - 1);
    const std::size_t blank = header.rfind(' ');
    for (std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1; begin < header.size(); ++begin) {
      if (!processes_.contains(header.substr(begin))) continue;
      if (begin > 0) return begin;
      break;
    }
  }
  return std::string_view::npos;
}

}  // namespace topowise
