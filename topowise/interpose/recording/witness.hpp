// SPDX-License-Identifier: BSD-3-Clause
// Tells the witness of a recording (job/recording_witness.hpp) how far this process has come.
#pragma once

#include <topowise/job/recording_witness.hpp>

namespace topowise::interpose {

/// Does nothing without a witness, and never waits for it.
void tell_witness(job::Told what) noexcept;

}  // namespace topowise::interpose
