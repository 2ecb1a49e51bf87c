// SPDX-License-Identifier: BSD-3-Clause
// Reads what a user may write for TRAFFIC.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/graph/traffic/rank_range.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/traffic_source/recorded/phases.hpp>

namespace topowise {

/// True if this is the path of a saved exchange (topowise.exchange/1), compressed or not.
[[nodiscard]] bool is_exchange_file(const std::string& path);

/// How the collective operations of a recorded profile become pairs; see docs/models/collectives.md.
struct TrafficOptions {
  std::string format;  ///< forces the format of a file; empty: by content
  /// Name of a collective model, "none" (point-to-point and one-sided only), or "auto": `openmpi` for recorded
  /// profiles, `nccl` for traces of training jobs.
  std::string collectives = "auto";
  std::string memory = "all";  ///< which buffers count: a name of recorded::ends_names()
  std::string run;             ///< which run of a recorded profile: its name; empty: the one that began last
  ReadProgress progress;       ///< called while files are read; may be empty
  /// Whether the beginning of a text describes a machine, by a caller who knows those formats: such a file is then
  /// refused as what it is. May be null.
  bool (*is_machine)(std::string_view head) = nullptr;
};

/// What was read, and what the user should know about it ("rank 3 did not finalize").
struct TrafficReading {
  Traffic traffic;
  std::vector<Diagnostic> warnings;
};

/// Checks the names, also for traffic that has no format, or no collective operations. Throws Error(usage) for an
/// unknown name.
void check_names(const TrafficOptions& options);

/// Reads TRAFFIC as docs/cli.md defines it: `pattern:NAME:DIMS[:KEY=VALUE...]`, a profile directory, a directory of
/// Open MPI's .prof files or of traces of a training job, FILE, `-`, or a list or pattern of files. Throws Error.
[[nodiscard]] TrafficReading read_traffic_with_warnings(const std::string& argument,
                                                        const TrafficOptions& options = {});
/// What traffic an argument plainly is, for a message where it stands in the place of a machine: "a recorded profile".
/// Empty for what is none, or may be something else, as a matrix. Throws nothing.
[[nodiscard]] std::string kind_of_traffic(const std::string& argument);

/// Reads an exchange: a file that holds one (topowise.exchange/1), a pattern with messages in the order in which
/// programs send them, else one message for each pair of a TRAFFIC.
struct ExchangeReading {
  Exchange exchange;
  std::vector<Diagnostic> warnings;
  std::string order{};  ///< in which order a rank sends, where the exchange does not list it: "rank + 1, rank + 2, ..."
};
[[nodiscard]] ExchangeReading read_exchange(const std::string& argument, const TrafficOptions& options = {});
/// Only the traffic from or to GPUs' memory if there is any, else all traffic. Only profiles tell the two apart. Files
/// are read once.
[[nodiscard]] TrafficReading read_gpu_traffic(const std::string& argument, const ReadProgress& progress);
/// Reads the phases of a profile directory that was recorded with a trace. Throws Error for any other argument.
struct PhaseReading {
  RecordedPhases recorded;
  std::vector<Diagnostic> warnings;
};
[[nodiscard]] PhaseReading read_recorded_phases(const std::string& directory, Seconds gap,
                                                const TrafficOptions& options = {});
/// What the ranks of one piece send, read without holding the rest, for patterns and METIS graph files. Nothing for
/// other arguments, which can only be read whole.
[[nodiscard]] std::optional<TrafficRows> read_traffic_rows(const std::string& argument, const TrafficOptions& options,
                                                           std::size_t piece, std::size_t pieces);
/// The same for the content of a file. `where` names it in messages.
[[nodiscard]] TrafficReading read_traffic_text(const std::string& where, std::string_view text,
                                               const TrafficOptions& options = {});
/// The traffic without the warnings.
[[nodiscard]] Traffic read_traffic(const std::string& argument, const TrafficOptions& options = {});

}  // namespace topowise
