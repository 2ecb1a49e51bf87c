// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// A mapping that looks only at loads and fixed ranks. Some places are overloaded by a little if no mapping is found in
/// which all places bear their ranks.
[[nodiscard]] Mapping pack(const MapProblem& problem);

/// The ranks in order, each place with about its share of the load. The cost is compared with this mapping where the
/// identity does not exist. It need not keep the balance.
[[nodiscard]] Mapping share_in_order(const MapProblem& problem);

/// The ranks in order, each place with its share: every answer is compared with this mapping. Here fixed ranks may
/// be anywhere, and loads are shared as evenly as possible.
[[nodiscard]] Mapping ranks_in_order(const MapProblem& problem);

/// Load above the capacities of places, in all.
[[nodiscard]] std::int64_t overload(const MapProblem& problem, const Mapping& mapping);

/// The same mapping with ranks moved from overloaded places, never a fixed one. Throws Error(bad_input) if no way is
/// found to keep the balance: to find one is as hard as packing bins.
[[nodiscard]] Mapping balance(const MapProblem& problem, const Mapping& mapping);

}  // namespace topowise
