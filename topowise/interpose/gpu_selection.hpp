// SPDX-License-Identifier: BSD-3-Clause
// `topowise run --gpu-bind set-device`: the mapped GPU is made current before MPI starts. With `--verify` the GPU that
// is current when MPI ends is compared with the mapped one, whatever made it current.
#pragma once

namespace topowise::interpose {

/// Makes the GPU that TOPOWISE_GPU names current to the calling thread: a PCI bus id, a UUID, or a position among the
/// visible devices. The program's runtime then works on it until the program chooses another one. Does nothing without
/// the variable, and nothing the second time; what goes wrong is one line, and the program chooses for itself.
void select_gpu() noexcept;

/// Compares the GPU that is current to the calling thread with the one that TOPOWISE_VERIFY_GPU names in the same ways.
/// If the program has chosen another one, a line says so. Looks only into a driver that the program has loaded, and
/// says nothing where the driver states no current GPU.
void verify_gpu() noexcept;

}  // namespace topowise::interpose
