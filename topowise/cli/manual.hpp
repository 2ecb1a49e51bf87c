// SPDX-License-Identifier: BSD-3-Clause
// Manual pages in troff, made from the same table as the help.
#pragma once

#include <span>
#include <string>

#include <topowise/cli/option.hpp>

namespace topowise::cli {

/// The page topowise(1): the verbs, exit status, environment.
[[nodiscard]] std::string manual_page(std::span<const Verb> verbs);
/// The page topowise-VERB(1).
[[nodiscard]] std::string manual_page(const Verb& verb);

}  // namespace topowise::cli
