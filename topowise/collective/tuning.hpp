// SPDX-License-Identifier: BSD-3-Clause
// What `topowise bench allreduce --tune` has found out about a machine, kept in a file for the jobs that follow.
//
// Which algorithm is the fastest depends on the GPUs, their driver and MPS, so the file says what it was measured on,
// and on anything else it is ignored. Its name has the host's, for homes that hosts share.
#pragma once

#include <optional>
#include <string>

#include <topowise/collective/choice.hpp>
#include <topowise/collective/measure.hpp>

namespace topowise::collective {

/// Where the file is, or where it names: "TOPOWISE_ALLREDUCE_TUNING", else in "$XDG_CACHE_HOME/topowise/allreduce" or
/// "$HOME/.cache/topowise/allreduce". Empty if the variable says "off", or nothing says where.
[[nodiscard]] std::string tuning_file();

/// For a machine as machine_of() describes it. Nothing, with a message, if the file cannot be read or is another
/// machine's; without one if there is none.
[[nodiscard]] std::optional<Tuning> read_tuning(const std::string& file, const std::string& machine,
                                                std::string& message);

/// Adds what was measured, in the place of what is known for as many ranks on as many GPUs. Folders are made. Throws
/// Error(bad_input) if it cannot be written.
void write_tuning(const std::string& file, const std::string& machine, const Tuning::Row& measured);

/// The fastest algorithm of each size, of those whose results were right.
[[nodiscard]] Tuning::Row fastest(const MeasureOptions& options, const Measurement& measured);

/// Of this machine, read once; `message` tells at the first call why there is none.
[[nodiscard]] const std::optional<Tuning>& tuning_of_this_machine(std::string& message);

}  // namespace topowise::collective
