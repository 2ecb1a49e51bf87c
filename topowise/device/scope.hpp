// SPDX-License-Identifier: BSD-3-Clause
// Work on a device inside somebody else's thread.
#pragma once

#include <exception>

#include <topowise/device/driver.hpp>

namespace topowise::device {

/// Selects a device, and makes current again what was current before.
class DeviceScope {
 public:
  DeviceScope(const Driver& driver, int device) : driver_(driver), before_(driver.context()) { driver.select(device); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope() {
    try {
      driver_.set_context(before_);
    } catch (const std::exception&) {  // a lost GPU: the program's own next call will report it
    }
  }

 private:
  const Driver& driver_;
  Handle before_;
};

}  // namespace topowise::device
