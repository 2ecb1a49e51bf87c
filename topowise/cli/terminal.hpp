// SPDX-License-Identifier: BSD-3-Clause
// The two streams that a user reads. Results go to standard output, everything else to standard error.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise::cli {

/// Collects the result and writes it at the end, so a verb that fails has printed nothing.
class Terminal {
 public:
  /// Uses colour on a stream that is a terminal, unless NO_COLOR is set or TERM is "dumb".
  Terminal();

  /// Sets the name in front of every message: "topowise map".
  void set_speaker(std::string speaker) { speaker_ = std::move(speaker); }

  void print(std::string_view text) { result_ += text; }
  /// Moves a text instead of copying it, because a machine as JSON may be larger than the file that it was read from.
  template <std::same_as<std::string> Text>
  void print(Text&& text) {
    if (result_.empty())
      result_ = std::forward<Text>(text);
    else
      result_ += text;
  }
  template <class... Parts>
  void print(fmt::format_string<Parts...> format, Parts&&... parts) {
    result_ += fmt::format(format, std::forward<Parts>(parts)...);
  }
  /// Highlights a part of the result.
  [[nodiscard]] std::string bold(std::string_view text) const;
  [[nodiscard]] std::string begin_bold() const;
  [[nodiscard]] std::string end_bold() const;
  /// The columns of the terminal, 40 at least; if the output is not a terminal, those of COLUMNS, else 100.
  [[nodiscard]] std::size_t width() const { return width_; }

  /// Writes a line to standard error at once.
  void note(std::string_view text) const;
  void warn(std::string_view text) const;
  void warn(const Diagnostic& diagnostic) const;
  /// The warnings so far, without places and hints.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  /// Writes the diagnostics of an error: ten at most, then how many there are in all.
  void report(const Error& error) const;

  /// The text that was printed since the last flush.
  [[nodiscard]] const std::string& result() const { return result_; }
  /// Writes the result. Throws Error(bad_input) if it cannot be written; a reader that went away is no error.
  void flush();

 private:
  std::string speaker_ = "topowise";
  std::string result_;
  mutable std::vector<std::string> warnings_;  // mutable because it records output, as the stream does
  bool colour_out_ = false;
  bool colour_error_ = false;
  std::size_t width_ = 100;
};

/// Makes sure that the descriptors 0, 1 and 2 are open, so that no file of ours becomes one of them.
void occupy_standard_streams();

/// Makes a write beyond the limit of `ulimit -f` fail with EFBIG, which is reported, instead of ending the program.
/// Programs that are started later get the signal as before.
void outlive_file_size_limit();

}  // namespace topowise::cli
