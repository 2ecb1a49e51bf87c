// SPDX-License-Identifier: BSD-3-Clause
// What every mapping must send and receive, whatever it puts where.
#pragma once

#include <cstddef>

#include <topowise/base/units.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// The longest time that a rank needs to send, or to receive, what its place cannot keep inside: all but the bytes of
/// its `others_on_place` heaviest partners. `out` and `in` are the rates of the best place; 0: not known, no bound.
/// O(partners log partners).
[[nodiscard]] Seconds injection_time(const Partners& partners, std::size_t others_on_place, BytesPerSecond out,
                                     BytesPerSecond in);

}  // namespace topowise
