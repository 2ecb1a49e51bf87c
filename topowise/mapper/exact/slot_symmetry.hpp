// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/matrix_symmetry.hpp>

namespace topowise {

/// Which slots are alike: at the same costs, on places that bear the same load. `capacity` is by slot; empty where
/// ranks have no loads.
[[nodiscard]] Symmetry symmetry_of_slots(const Instance& instance, std::span<const std::int64_t> capacity);

}  // namespace topowise
