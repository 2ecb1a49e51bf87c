// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// One number for each pair of places: plain text, CSV, MatrixMarket, QAPLIB, and the output of benchmarks.
extern const TopologyFormat kPairMatrixFormat;

}  // namespace topowise
