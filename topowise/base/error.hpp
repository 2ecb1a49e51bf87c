// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What can go wrong, and how the program's exit status names it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topowise {

/// Exit status of the program; a contract with scripts.
enum class ExitStatus {
  done = 0,           ///< what was asked for
  check_failed = 1,   ///< a verification or comparison said no
  usage = 2,          ///< the command line is wrong
  bad_input = 3,      ///< a file or an argument's content is wrong
  not_available = 4,  ///< not here: no GPU, no MPI, no permission
  internal = 70,      ///< a bug of topowise
  interrupted = 130,  ///< the user or the system stopped it; the result is the best so far
};

/// A position in a text. Lines and columns count from 1; 0 means "not known".
struct Position {
  std::size_t line = 0;    ///< of the file
  std::size_t column = 0;  ///< in bytes
};

/// One thing wrong with one input.
struct Diagnostic {
  std::string where;        ///< file name, "stdin", or the option's name
  Position position;        ///< in that file
  std::string what;         ///< lower case, no full stop, the offending text in '...'
  std::string source_line;  ///< the text of that line, for the caret; may be empty
  std::string hint;         ///< one option or command; may be empty

  /// "FILE:LINE:COL: what", then the source line with a caret, then the hint, as one text without a final newline.
  [[nodiscard]] std::string render(std::string_view severity) const;
};

/// The job at hand cannot go on. Thrown by everything outside interpose/; carries the exit status.
class Error : public std::runtime_error {
 public:
  /// An error for one wrong thing, which has no position in a file.
  Error(ExitStatus status, std::string what, std::string hint = {});
  /// An error for all that is wrong with one input; there must be at least one diagnostic.
  Error(ExitStatus status, std::vector<Diagnostic> diagnostics);

  /// The exit status of the program.
  [[nodiscard]] ExitStatus status() const { return status_; }
  /// Holds at least one. Errors of one file are reported together.
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  ExitStatus status_;
  std::vector<Diagnostic> diagnostics_;
};

/// Collects what is wrong with one input; throws all of it at once.
class Diagnostics {
 public:
  /// Throws nothing yet.
  void add(Diagnostic diagnostic) { found_.push_back(std::move(diagnostic)); }
  /// True if nothing is wrong so far.
  [[nodiscard]] bool empty() const { return found_.empty(); }
  /// All diagnostics in the order in which they were added.
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return found_; }
  /// Throws Error(bad_input) with everything that was added, if anything was.
  void throw_if_any() const;

 private:
  std::vector<Diagnostic> found_;
};

/// The three usual errors, in a short form. bad_input(): the content of a file or of an argument is wrong.
[[nodiscard]] Error bad_input(std::string what, std::string hint = {});
/// The command line is wrong.
[[nodiscard]] Error usage_error(std::string what, std::string hint = {});
/// The request cannot be done on this machine.
[[nodiscard]] Error not_available(std::string what, std::string hint = {});

}  // namespace topowise
