// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A place for every rank, and what is known about a mapping that was found.
///
/// @code
/// const topowise::Mapping swapped({topowise::Place(1), topowise::Place(0)});  // rank 0 on place 1, rank 1 on place 0
/// swapped.check(machine);                                                     // throws if it does not fit
/// const topowise::MappingResult earlier = topowise::load_mapping("app.mapping");
/// @endcode
#pragma once

#include <string>

#include <topowise/error.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/units.hpp>

namespace topowise {

/// Reads what save_mapping() or `topowise map --save` wrote.
/// @throws Error bad_input with line and column.
[[nodiscard]] MappingResult load_mapping(const std::string& path);

/// Writes the mapping together with its machine as JSON: what `topowise run --mapping` reads. The file is replaced at
/// once or not at all.
/// @throws Error bad_input if the path cannot be written.
void save_mapping(const std::string& path, const MappingResult& result, const Topology& machine);

}  // namespace topowise
