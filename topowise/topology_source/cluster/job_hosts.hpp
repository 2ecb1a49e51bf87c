// SPDX-License-Identifier: BSD-3-Clause
// Lists of hosts: written out, from a hostfile, or from the batch system for this job.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// The hosts of a hostfile in its order, each once: "n01", "n01 slots=4", "n01:4", "n01 4 queue"; comments begin with
/// '#'. Throws Error(bad_input) if there is none.
[[nodiscard]] std::vector<std::string> hosts_of_file(const std::string& where, std::string_view text);

/// The hosts of the job that this process is in. `environment` returns the value of a variable, if it is set. Throws
/// Error(not_available) outside of a job.
[[nodiscard]] std::vector<std::string> hosts_of_job(
    const std::function<std::optional<std::string>(const std::string&)>& environment);

/// The hosts of "job", "@FILE", or a list: "n[01-16,20]".
[[nodiscard]] std::vector<std::string> named_hosts(const std::string& words);

}  // namespace topowise
