// SPDX-License-Identifier: BSD-3-Clause
// Reads what another process writes: a program, or a child of this process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <topowise/base/descriptor.hpp>

namespace topowise {

/// Why a program gave no output that can be used.
enum class NoOutput : unsigned char {
  missing,      ///< no such program is found by PATH
  not_started,  ///< the system does not start it
  failed,       ///< it ended with another status than 0, or by a signal
  late,         ///< it took longer than it was given, and was killed
  too_long,     ///< it printed more than was asked for, and was killed
};

/// What a program printed, or why there is nothing.
struct ProgramResult {
  std::string output;  ///< empty with a failure
  std::optional<NoOutput> failure;
  std::string ending;     ///< how it failed, if it did: "status 1", "signal 9", "Permission denied"
  std::string complaint;  ///< the first line on its standard error, if it failed
};

/// Runs a program that is found by PATH. It may take `seconds` and print `most` bytes. It is ended where this process
/// ends before it. The processes that it has started are ended too if it fails or a signal ends this process, except
/// SIGKILL.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& command, int seconds, std::size_t most);

/// The same for a program that prints little: at most 16 MiB.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& command, int seconds);

/// Its output alone. Nothing if there is a failure.
[[nodiscard]] std::optional<std::string> program_output(const std::vector<std::string>& command, int seconds);

/// Why a program that might take `seconds` gave no output: "not installed", "it has not ended in 30 s".
[[nodiscard]] std::string why_no_output(const ProgramResult& result, int seconds);

/// Calls `answer` in a child of this process and returns what it returns. Serves libraries that never look again after
/// their first use. Nothing if it throws, dies, or takes longer than `seconds`. The child is killed if this process
/// ends first.
[[nodiscard]] std::optional<std::string> answer_of_child(const std::function<std::string()>& answer, int seconds);

/// The same, with the reason if there is no answer, for a child that may answer with `most` bytes.
[[nodiscard]] ProgramResult result_of_child(const std::function<std::string()>& answer, int seconds, std::size_t most);

/// An answer, and what must stay alive as long as others use it.
struct HeldAnswer {
  std::string text;
  std::shared_ptr<const void> held;
};

/// A child of this process that answers and then waits until this object is gone. Serves what a process can offer to
/// others only as long as it lives.
class LongLivedChild {
 public:
  /// `answer` is called in the child.
  explicit LongLivedChild(const std::function<HeldAnswer()>& answer);
  LongLivedChild(const LongLivedChild&) = delete;
  LongLivedChild& operator=(const LongLivedChild&) = delete;
  ~LongLivedChild();

  /// False if the system had no descriptor or no process left for the child.
  [[nodiscard]] bool is_made() const { return child_ > 0; }
  /// Empty if the child threw, died, or could not be made. Nothing if the answer takes longer than `seconds`: then the
  /// child is killed.
  [[nodiscard]] std::optional<std::string> answer(int seconds);

 private:
  pid_t child_ = -1;
  Descriptor answer_;  ///< the end of the pipe to read the answer from
  Descriptor life_;    ///< the child ends when it is closed
};

}  // namespace topowise
