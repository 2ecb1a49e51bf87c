// SPDX-License-Identifier: BSD-3-Clause
// What each verb's file offers to the table in verbs.cpp.
#pragma once

#include <topowise/cli/option.hpp>

namespace topowise::cli {

[[nodiscard]] Verb topology_verb();
[[nodiscard]] Verb traffic_verb();
[[nodiscard]] Verb map_verb();
[[nodiscard]] Verb evaluate_verb();
[[nodiscard]] Verb predict_verb();
[[nodiscard]] Verb schedule_verb();
[[nodiscard]] Verb report_verb();
[[nodiscard]] Verb run_verb();
[[nodiscard]] Verb probe_verb();
[[nodiscard]] Verb doctor_verb();
[[nodiscard]] Verb help_verb();
[[nodiscard]] Verb completion_verb();

}  // namespace topowise::cli
