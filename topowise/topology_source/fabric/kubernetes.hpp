// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// The nodes of Kubernetes with the labels that say where they are: `kubectl get nodes -o json`.
extern const TopologyFormat kKubernetesFormat;

}  // namespace topowise
