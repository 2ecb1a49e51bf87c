// SPDX-License-Identifier: BSD-3-Clause
// Writes names from the description of a machine into a file that a launcher or a shell reads. The names cannot be
// trusted: a description may call a host "n0\nrm -rf ~". A name is written only if the format can hold it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/launch/placement.hpp>

namespace topowise {

/// A name for a comment that ends with its line: control characters are replaced.
[[nodiscard]] std::string in_comment(std::string_view name);

/// The host that is the node of that number. Throws Error(bad_input) for what is no host name in any launcher's file:
/// letters, digits, '.', '-' and '_', beginning with a letter or digit; for a name that is made up; and for a place on
/// no named host. Returns `unnamed` where a machine of one node does not know its name.
[[nodiscard]] std::string host_word(const Placement& placement, std::size_t number, std::string_view unnamed);

/// The processors of a rank as a Linux cpulist ("0-3,8"). Throws Error(bad_input) for anything else.
[[nodiscard]] std::string cpu_word(const PlacedRank& rank);

/// The numbers of a Linux cpulist, ascending; empty for another text.
[[nodiscard]] std::vector<std::size_t> cpus_in(std::string_view cpulist);

/// These processors as 32-bit words in hexadecimal, the highest word first, with `separator` between them.
[[nodiscard]] std::string cpu_mask(const std::vector<std::size_t>& cpus, std::string_view separator);

/// The value of a GPU variable for a line that a shell splits at blanks. Throws Error(bad_input) for what is no list of
/// numbers and UUIDs.
[[nodiscard]] std::string variable_word(const std::string& value);

}  // namespace topowise
