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

/// "n1:7:9 [0] NCCL INFO text"
struct NcclLogLine {
  std::size_t line = 0;      ///< where it begins
  std::string_view process;  ///< "n1:7:9", the same in all of its lines
  std::string_view text;     ///< behind "NCCL INFO "
};

/// A process may write in the middle of another one's line: "GPU/30n1:8:8 [1] NCCL INFO text", and "00 (0)" on the next
/// line. Such lines are put together again, as far as processes are known by lines of their own that they begin.
class NcclLogLines {
 public:
  static constexpr std::string_view kMark = "NCCL INFO ";

  explicit NcclLogLines(const TextLines& lines);

  /// Calls `visit` for every line that has the mark. Views are good for the call only. Returns how many lines were torn
  /// and not put together.
  std::size_t visit(const std::function<void(const NcclLogLine&)>& visit) const;

 private:
  [[nodiscard]] bool begins_line(std::string_view text) const;
  /// Where another process begins in the middle of the text; npos if none does.
  [[nodiscard]] std::size_t tear(std::string_view text) const;

  const TextLines& lines_;
  std::size_t indentation_ = 0;  ///< of all lines, where a quote's prefix stood
  std::set<std::string, std::less<>> processes_;
};

}  // namespace topowise
