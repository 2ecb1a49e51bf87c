// SPDX-License-Identifier: BSD-3-Clause
// Help texts made from the table of verbs and options.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <topowise/cli/option.hpp>

namespace topowise::cli {

/// What `topowise --help` prints: the verbs.
[[nodiscard]] std::string overview(std::span<const Verb> verbs, std::size_t width);
/// What `topowise VERB --help` prints: an example first, then the options by group with their defaults.
[[nodiscard]] std::string verb_help(const Verb& verb, std::size_t width);
/// "topowise 0.1.0"
[[nodiscard]] std::string version();

/// How wide a text is that people read on a terminal of this width: at most 100 columns.
[[nodiscard]] std::size_t text_width(std::size_t terminal);
/// Lines of at most `width` columns, all after the first indented by `indent` blanks. Keeps the line ends in `text`.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);
/// What follows an option in help and manual: its help, its choices and its default.
[[nodiscard]] std::string option_help(const Option& option);

}  // namespace topowise::cli
