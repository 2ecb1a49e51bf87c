// SPDX-License-Identifier: BSD-3-Clause
// The formats of traces, in one table. A file is the trace of one process; job.hpp puts the processes together.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <topowise/base/input.hpp>
#include <topowise/reading/format.hpp>
#include <topowise/traffic_source/training/trace.hpp>

namespace topowise::training {

/// The reader adds the traces of the processes that the file is of: of one, in most formats. Throws Error(bad_input),
/// located.
struct TraceFormat : Format<void(Input& file, std::vector<Trace>& traces)> {
  std::string_view model = "nccl";  ///< of collectives, if the user names none
  /// Reads what needs the traces of all ranks; null for most formats.
  void (*settle)(std::vector<Trace>& traces) = nullptr;
};

/// The formats, in the order in which they are tried on a content.
[[nodiscard]] std::span<const TraceFormat> trace_formats();

/// True for JSON, also after the byte order mark that some editors write.
[[nodiscard]] bool begins_with_object(std::string_view head);

// The formats of the table; each has its own file. Most are of one process: their readers add what the file says to a
// trace that knows only its file.
[[nodiscard]] bool looks_like_kineto(std::string_view head);
void read_kineto(Input& file, Trace& trace);
[[nodiscard]] bool looks_like_execution_trace(std::string_view head);
void read_execution_trace(Input& file, Trace& trace);
[[nodiscard]] bool looks_like_chakra(std::string_view head);
void read_chakra(Input& file, Trace& trace);
[[nodiscard]] bool looks_like_chakra_json(std::string_view head);
void read_chakra_json(Input& file, Trace& trace);
[[nodiscard]] bool looks_like_flight_recorder(std::string_view head);
void read_flight_recorder(Input& file, Trace& trace);
[[nodiscard]] bool looks_like_inspector(std::string_view head);
void read_inspector(Input& file, Trace& trace);
[[nodiscard]] bool looks_like_nccl_calls(std::string_view head);
void read_nccl_calls(Input& file, std::vector<Trace>& traces);
[[nodiscard]] bool looks_like_rccl_replay(std::string_view head);
void read_rccl_replay(Input& file, Trace& trace);
/// Throws Error(bad_input), which says how to log them, if `head` begins a log of NCCL or RCCL without calls.
void refuse_nccl_log_without_calls(const std::string& where, std::string_view head);
[[nodiscard]] bool looks_like_nsight(std::string_view head);
void read_nsight(Input& file, std::vector<Trace>& traces);
[[nodiscard]] bool looks_like_simgrid(std::string_view head);
void read_simgrid(Input& file, std::vector<Trace>& traces);
void settle_simgrid(std::vector<Trace>& traces);
[[nodiscard]] bool looks_like_goal(std::string_view head);
void read_goal(Input& file, std::vector<Trace>& traces);
[[nodiscard]] bool looks_like_dumpi(std::string_view head);
void read_dumpi(Input& file, std::vector<Trace>& traces);
[[nodiscard]] bool looks_like_paraver(std::string_view head);
void read_paraver(Input& file, std::vector<Trace>& traces);

}  // namespace topowise::training
