// SPDX-License-Identifier: BSD-3-Clause
// What `topowise bench allreduce --tune` has found out about a machine, kept in a file for the jobs that follow.
//
// Which algorithm is the fastest depends on the GPUs, their driver and MPS, so the file says what it was measured on,
// and on anything else it is ignored. The file is named after the host, because hosts may share a home folder.
#pragma once

#include <optional>
#include <string>

#include <topowise/collective/choice.hpp>
#include <topowise/collective/measure_collectives.hpp>

namespace topowise::collective {

/// The path of the file: what TOPOWISE_ALLREDUCE_TUNING says, else a file in "$XDG_CACHE_HOME/topowise/allreduce" or
/// "$HOME/.cache/topowise/allreduce". Empty if that variable says "off", or if none of the three is set.
[[nodiscard]] std::string tuning_file();

/// Reads the tuning of a machine as machine_of() describes it. Nothing, with a message, if the file cannot be read or
/// is another machine's; nothing, without a message, if there is no file.
[[nodiscard]] std::optional<Tuning> read_tuning(const std::string& file, const std::string& machine,
                                                std::string& message);

/// Adds what was measured, in the place of what is known for this number of ranks on this number of GPUs. Makes missing
/// folders. Throws Error(bad_input) if the file cannot be written.
void write_tuning(const std::string& file, const std::string& machine, const Tuning::Row& measured);

/// The fastest algorithm of each size, of those whose results were right.
[[nodiscard]] Tuning::Row fastest(const MeasureOptions& options, const Measurement& measured);

/// The tuning of this machine, read once; `message` says at the first call why there is none.
[[nodiscard]] const std::optional<Tuning>& tuning_of_this_machine(std::string& message);

}  // namespace topowise::collective
