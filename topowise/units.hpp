// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers that cannot be mixed up: ids (Rank, Place, VertexId, LinkId) and quantities (Bytes, Seconds,
/// BytesPerSecond). Bytes over BytesPerSecond is Seconds; a Rank cannot be passed where a Place is meant.
///
/// @code
/// const topowise::Seconds time = topowise::Bytes(300e6) / topowise::gigabytes_per_second(25);  // 12 ms
/// @endcode
#pragma once

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
