// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// Slurm's topology.conf and topology.yaml.
extern const TopologyFormat kSlurmFormat;

}  // namespace topowise
