// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's Multi-Process Service, under which kernels of several processes run on a GPU at the same time.
#pragma once

#include <topowise/device/driver.hpp>

namespace topowise::device {

/// Whether this process is a client of MPS, as far as the driver knows: older drivers refuse the question.
[[nodiscard]] inline bool is_mps_client(const Driver& driver, int device) {
  try {
    return driver.attribute(Attribute::mps, device) == 1;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace topowise::device
