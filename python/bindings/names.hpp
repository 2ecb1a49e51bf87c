// SPDX-License-Identifier: BSD-3-Clause
// Checks the words of choices. A wrong word is refused as the command line refuses it.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/error.hpp>

namespace topowise::python {

/// A choice of the command line, "--KIND WORD" or "OPTION WORD".
struct Choices {
  std::string kind;
  std::vector<std::string> words;
  std::string option = "--" + kind;
};

inline const Choices kMetrics{"metric", {"distance", "latency", "bandwidth", "hops"}};
inline const Choices kObjectives{"objective", {"auto", "hop-bytes", "max-congestion", "predicted-time", "mix"}};
inline const Choices kModels{"model", {"auto", "pcie-sc16", "pcie-filled", "max-min"}};

/// @throws Error usage
[[noreturn]] inline void refuse(const Choices& choices, const std::string& word) {
  throw Error(ExitStatus::usage,
              {Diagnostic{.where = choices.option,
                          .position = {},
                          .what = unknown_name(choices.kind, word, choices.words),
                          .source_line = {},
                          .hint = fmt::format("{} {}", choices.option, fmt::join(choices.words, "|"))}});
}

/// @throws Error usage if the word is none of them.
inline void check(const Choices& choices, const std::string& word) {
  if (std::ranges::find(choices.words, word) == choices.words.end()) refuse(choices, word);
}

/// @throws Error usage if `parse` does not know the word.
template <class Choice>
[[nodiscard]] Choice choose(const Choices& choices, const std::string& word,
                            std::optional<Choice> (*parse)(std::string_view)) {
  if (const std::optional<Choice> found = parse(word)) return *found;
  refuse(choices, word);
}

}  // namespace topowise::python
