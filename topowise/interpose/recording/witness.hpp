// SPDX-License-Identifier: BSD-3-Clause
// Tells the witness of a recording (job/recording_witness.hpp) how far this process has come.
#pragma once

#include <topowise/job/recording_witness.hpp>

namespace topowise::interpose {

/// Does nothing without a witness. Waits a tenth of a second for it at most.
void tell_witness(job::Told what) noexcept;

}  // namespace topowise::interpose
