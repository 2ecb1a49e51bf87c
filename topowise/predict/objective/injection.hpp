// SPDX-License-Identifier: BSD-3-Clause
// What every rank must send and receive under any mapping.
#pragma once

#include <cstddef>

#include <topowise/base/units.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// The longest time that a rank needs to send, or to receive, what its place cannot keep inside: all but the bytes of
/// its `others_on_place` heaviest partners. `out` and `in` are the rates of the best place; a rate of 0 is not known
/// and gives no bound. Takes O(partners log partners).
[[nodiscard]] Seconds injection_time(const Partners& partners, std::size_t others_on_place, BytesPerSecond out,
                                     BytesPerSecond in);

}  // namespace topowise
