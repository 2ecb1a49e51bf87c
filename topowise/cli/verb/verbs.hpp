// SPDX-License-Identifier: BSD-3-Clause
// The table of verbs, and what each verb's file offers to it.
#pragma once

#include <span>

#include <topowise/cli/option.hpp>

namespace topowise::cli {

/// All verbs, in the order of the help.
[[nodiscard]] std::span<const Verb> verbs();

[[nodiscard]] Verb topology_verb();
[[nodiscard]] Verb traffic_verb();
[[nodiscard]] Verb map_verb();
[[nodiscard]] Verb evaluate_verb();
[[nodiscard]] Verb predict_verb();
[[nodiscard]] Verb schedule_verb();
[[nodiscard]] Verb report_verb();
[[nodiscard]] Verb run_verb();
[[nodiscard]] Verb probe_verb();
[[nodiscard]] Verb bench_verb();
[[nodiscard]] Verb doctor_verb();
[[nodiscard]] Verb help_verb();
[[nodiscard]] Verb completion_verb();

}  // namespace topowise::cli
