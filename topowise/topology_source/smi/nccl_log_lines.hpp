// SPDX-License-Identifier: BSD-3-Clause
// The lines of a log of NCCL, which many processes write at once.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include <topowise/base/text_lines.hpp>

namespace topowise {

/// A line "n1:7:9 [0] NCCL INFO text".
struct NcclLogLine {
  std::size_t line = 0;      ///< number of the line where it begins
  std::string_view process;  ///< "n1:7:9", the same in all lines of the process
  std::string_view text;     ///< the text after "NCCL INFO "
};

/// A process may write in the middle of another one's line: "GPU/30n1:8:8 [1] NCCL INFO text", and "00 (0)" on the next
/// line. Such lines are put together again, if the processes are known by other lines that begin with their names.
class NcclLogLines {
 public:
  static constexpr std::string_view kMark = "NCCL INFO ";

  explicit NcclLogLines(const TextLines& lines);

  /// Calls `visit` for every line that has the mark. The views are valid only during the call. Returns how many lines
  /// were torn and could not be put together.
  std::size_t visit(const std::function<void(const NcclLogLine&)>& visit) const;

 private:
  [[nodiscard]] bool begins_line(std::string_view text) const;
  /// Where another process begins in the middle of the text; npos if none does.
  [[nodiscard]] std::size_t tear(std::string_view text) const;

  const TextLines& lines_;
  std::size_t indentation_ = 0;  ///< of all lines, in place of the prefix of a quote
  std::set<std::string, std::less<>> processes_;
};

}  // namespace topowise
