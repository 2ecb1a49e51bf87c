// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Messages with an order and start times: what predict() plays and schedule() orders.
///
/// @code
/// using topowise::Bytes, topowise::Rank, topowise::Seconds;
/// const topowise::Exchange exchange({{Rank(0), Rank(2), Bytes(300e6), Seconds(0)},
///                                    {Rank(1), Rank(4), Bytes(300e6), Seconds(0.0005)}});
/// @endcode
#pragma once

#include <string>

#include <topowise/error.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/units.hpp>

namespace topowise {

/// Reads "topowise.exchange/1" JSON from a file, or from standard input if `path` is "-".
/// @throws Error bad_input with line and column.
[[nodiscard]] Exchange load_exchange(const std::string& path);

/// Writes the messages as JSON. The file is replaced at once or not at all.
/// @throws Error bad_input if the path cannot be written.
void save_exchange(const std::string& path, const Exchange& exchange);

}  // namespace topowise
