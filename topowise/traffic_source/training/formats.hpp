// SPDX-License-Identifier: BSD-3-Clause
// The formats of traces, in one table. A file is the trace of one process; job.hpp puts the processes together.
#pragma once

#include <span>
#include <string_view>

#include <topowise/reading/byte_stream.hpp>
#include <topowise/traffic_source/training/trace.hpp>

namespace topowise::training {

struct TraceFormat {
  std::string_view name;                      ///< for --format
  std::string_view help;                      ///< one line
  bool (*recognises)(std::string_view head);  ///< looks at the first 64 KiB at most, unpacked
  /// Adds what the file tells to a trace that knows only its file. Throws Error(bad_input), located.
  void (*read)(ByteStream& file, Trace& trace);
};

/// The formats, in the order in which they are tried on a content.
[[nodiscard]] std::span<const TraceFormat> trace_formats();

/// True for JSON, also after the byte order mark that some editors write.
[[nodiscard]] bool begins_with_object(std::string_view head);

// The formats of the table; each has its own file.
[[nodiscard]] bool looks_like_kineto(std::string_view head);
void read_kineto(ByteStream& file, Trace& trace);
[[nodiscard]] bool looks_like_execution_trace(std::string_view head);
void read_execution_trace(ByteStream& file, Trace& trace);
[[nodiscard]] bool looks_like_chakra(std::string_view head);
void read_chakra(ByteStream& file, Trace& trace);
[[nodiscard]] bool looks_like_inspector(std::string_view head);
void read_inspector(ByteStream& file, Trace& trace);

}  // namespace topowise::training
