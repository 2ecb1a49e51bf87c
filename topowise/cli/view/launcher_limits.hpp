// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/launch/launcher.hpp>

namespace topowise::cli {

/// What the launcher's text does not put into effect of the mapping, and what does: a line each. `placement` is that of
/// the mapping.
[[nodiscard]] std::vector<std::string> limits_of(const Launcher& launcher, const Mapping& mapping,
                                                 const Topology& topology, const Placement& placement);

/// Replaces `word` where it is alone.
[[nodiscard]] std::string with_word(std::string text, std::string_view word, const std::string& value);
/// The text with `file` in the place of MAPPING behind --mapping, where the name of that file needs no quotes.
[[nodiscard]] std::string with_mapping_file(std::string text, const std::string& file);

/// "rank 3 is mapped to n1, where a launcher that fills one host after the other does not put it"; empty if such a
/// launcher puts all ranks on their hosts.
[[nodiscard]] std::string off_host_text(const Placement& placement);

}  // namespace topowise::cli
