// SPDX-License-Identifier: BSD-3-Clause
// The command that was typed, as a line that can be typed again; and the date of a file.
#pragma once

#include <ctime>
#include <functional>
#include <string>
#include <string_view>

#include <topowise/cli/arguments.hpp>

namespace topowise::cli {

/// The line "topowise VERB OPERAND... --option VALUE...": the operands, then the given options that `wanted` accepts,
/// in the order of the table. Words are quoted for a POSIX shell.
[[nodiscard]] std::string typed_command(const Arguments& arguments, std::string_view verb,
                                        const std::function<bool(std::string_view)>& wanted);

/// A word, quoted for a POSIX shell where it needs that.
[[nodiscard]] std::string shell_word(const std::string& word);

/// The one form of a date in results: "2026-11-23T20:15:07Z" (UTC). `seconds` since 1970.
[[nodiscard]] std::string date_text(std::time_t seconds);

/// The date now in this form, or the date of SOURCE_DATE_EPOCH
/// (reproducible-builds.org/specs/source-date-epoch), which is in seconds since 1970. Throws Error(usage) if that is no
/// such number.
[[nodiscard]] std::string page_date();

}  // namespace topowise::cli
