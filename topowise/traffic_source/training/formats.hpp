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
using TraceFormat = Format<void(Input& file, std::vector<Trace>& traces)>;

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
[[nodiscard]] bool looks_like_flight_recorder(std::string_view head);
void read_flight_recorder(Input& file, Trace& trace);
[[nodiscard]] bool looks_like_inspector(std::string_view head);
void read_inspector(Input& file, Trace& trace);
[[nodiscard]] bool looks_like_nccl_calls(std::string_view head);
void read_nccl_calls(Input& file, std::vector<Trace>& traces);

}  // namespace topowise::training
