// SPDX-License-Identifier: BSD-3-Clause
// The traces of a job are many files: finds those that a TRAFFIC means, and reads them all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/training/formats.hpp>

namespace topowise::training {

/// How traces are read.
struct TraceOptions {
  std::string format;                        ///< only files of this format count; empty: any one format
  const collective::Model* model = nullptr;  ///< null: that of the format
  ReadProgress progress;
};

/// The files that `argument` names: those of a pattern with '*', '?' or '[', or of a list of names and patterns between
/// commas. Empty if it is neither, or if a file with exactly that name exists. Throws Error(bad_input) for a name or a
/// pattern of a list that nothing matches.
[[nodiscard]] std::vector<std::string> listed_files(const std::string& argument);

/// Reads the traces among `paths`, whatever their names are; other files are skipped. What each file is, is found
/// before any is read. Nothing if there are none. Throws Error(bad_input) if there are traces of several formats and
/// `options.format` does not say which, or none of that format.
[[nodiscard]] std::optional<Traffic> read_traces(const std::string& where, const std::vector<std::string>& paths,
                                                 const TraceOptions& options, std::vector<Diagnostic>& warnings);

/// Reads one trace of that format.
[[nodiscard]] Traffic read_trace(Input& file, const TraceFormat& format, const collective::Model& model,
                                 std::vector<Diagnostic>& warnings);

}  // namespace topowise::training
