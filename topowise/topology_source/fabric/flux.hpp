// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// The resources of Flux as a set (R, RFC 20) or as a graph (JGF, RFC 4).
extern const TopologyFormat kFluxFormat;

}  // namespace topowise
