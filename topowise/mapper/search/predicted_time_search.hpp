// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <topowise/mapper/problem/mapper_row.hpp>

namespace topowise {

/// The mapping of the smallest predicted time that can be found from what `mapper` finds for the other objectives;
/// the row that tries others also starts from what each of `rows` finds but the one that proves, any other mapper from
/// what those of them find that look at places only. Of mappings that take equally long, it is the one of fewest
/// hop-bytes that was found. `nearest`, if given, is one of the mappings that are compared: the answer takes no longer,
/// and no other search for hop-bytes under this metric is made. With `spares_hop_bytes`, what is faster than `nearest`
/// but not worth its hop-bytes is not taken; the answer has the fastest of these as `spared`. A mapper that knows no
/// objective (identity, cyclic, random) answers as always. Throws Error(bad_input) where nothing connects two usable
/// places.
[[nodiscard]] MapperAnswer map_for_predicted_time(const MapProblem& problem, const Mapper& mapper, MapperRows rows,
                                                  const std::optional<Mapping>& nearest, const Budget& budget);

}  // namespace topowise
