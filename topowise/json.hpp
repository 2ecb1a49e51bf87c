// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Our JSON formats, text in and out. docs/cli.md lists the keys.
///
/// @code
/// const std::string text = topowise::to_json(machine);
/// const topowise::Topology again = topowise::topology_from_json("memory", text);
/// @endcode
#pragma once

#include <topowise/error.hpp>
#include <topowise/graph/json.hpp>
