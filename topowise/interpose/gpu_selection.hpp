// SPDX-License-Identifier: BSD-3-Clause
// `topowise run --gpu-bind set-device`: the mapped GPU is made current before MPI starts.
#pragma once

namespace topowise::interpose {

/// Makes the GPU that TOPOWISE_GPU names current to the calling thread: a PCI bus id, a UUID, or a position among the
/// visible devices. The program's runtime then works on it until the program chooses another one. Does nothing without
/// the variable, and nothing the second time; what goes wrong is one line, and the program chooses for itself.
void select_gpu() noexcept;

}  // namespace topowise::interpose
