// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the ranks send to each other: read from a recorded profile or a matrix, or given in code.
///
/// @code
/// const topowise::Traffic recorded = topowise::load_traffic("app.traffic");  // from `topowise run --profile`
/// const topowise::Traffic halo = topowise::load_traffic("pattern:stencil2d:4x4:bytes=1MiB");
///
/// using topowise::Bytes, topowise::Rank;
/// const topowise::Traffic ring = topowise::Traffic::from_entries(
///     3, {{Rank(0), Rank(1), Bytes(4096), 1}, {Rank(1), Rank(2), Bytes(4096), 1}, {Rank(2), Rank(0), Bytes(4096),
///     1}});
/// @endcode
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/units.hpp>

namespace topowise {

/// How load_traffic() reads.
struct LoadTrafficOptions {
  std::string format = {};  ///< forces the format of a file; empty: by its content
  /// How recorded collective operations become messages: "openmpi", "nccl", ...; "none" leaves them out, and "auto" is
  /// "openmpi" for a profile and "nccl" for traces of a PyTorch job.
  std::string collectives = "auto";
  std::string memory = "all";  ///< which buffers of a profile count, e.g. "device" or "device-device"
  /// May be set at any time, by another thread or a signal handler: reading traces or standard input ends with an
  /// Error.
  const std::atomic<bool>* stop = nullptr;
};

/// Reads traffic from what a user may write for TRAFFIC on the command line: a profile directory that
/// `topowise run --profile` recorded, traces of a PyTorch job (a directory, or a list or pattern of files),
/// "pattern:NAME:DIMS[:KEY=VALUE...]", a matrix file (text, CSV, MatrixMarket, METIS .graph, NumPy .npy, QAPLIB .dat,
/// our JSON), Open MPI's monitoring files, or "-" (standard input).
///
/// What is odd but readable (a rank that did not finalize) is appended to `warnings`, if given.
/// @throws Error bad_input with file, line and column for damaged content; usage for an unknown name;
///   interrupted if options.stop was set meanwhile.
[[nodiscard]] Traffic load_traffic(const std::string& source, const LoadTrafficOptions& options = {},
                                   std::vector<Diagnostic>* warnings = nullptr);

/// The same for a matrix that is in memory. `where` names the text in error messages; `format` as in
/// LoadTrafficOptions.
/// @throws Error as load_traffic() does.
[[nodiscard]] Traffic traffic_from_text(const std::string& where, std::string_view text, std::string_view format = {});

/// Writes the traffic as JSON ("topowise.traffic/1"). The file is replaced at once or not at all.
/// @throws Error bad_input if the path cannot be written.
void save_traffic(const std::string& path, const Traffic& traffic);

}  // namespace topowise
