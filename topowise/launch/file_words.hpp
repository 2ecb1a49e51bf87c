// SPDX-License-Identifier: BSD-3-Clause
// Names that came with the description of a machine, on their way into a file that a launcher or a shell reads. Nobody
// vouches for them: a file may call a host "n0\nrm -rf ~". A name is written only as what the format can hold.
#pragma once

#include <string>
#include <string_view>

#include <topowise/launch/placement.hpp>

namespace topowise {

/// For a comment that ends with its line: control characters replaced.
[[nodiscard]] std::string in_comment(std::string_view name);

/// The host of a rank. Throws Error(bad_input) for what is no host name in any launcher's file: letters, digits, '.',
/// '-' and '_', beginning with a letter or digit. A machine of one node may not know its name: then `unnamed`.
[[nodiscard]] std::string host_word(const PlacedNode& node, std::string_view unnamed);

/// The processors of a rank as a Linux cpulist ("0-3,8"). Throws Error(bad_input) for anything else.
[[nodiscard]] std::string cpu_word(const PlacedRank& rank);

/// The value of a GPU variable, for a line that a shell cuts at blanks. Throws Error(bad_input) for what is no list of
/// numbers and UUIDs.
[[nodiscard]] std::string variable_word(const std::string& value);

}  // namespace topowise
