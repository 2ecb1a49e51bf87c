// SPDX-License-Identifier: BSD-3-Clause
// Primary contexts that this process holds, for a back-end whose calls want contexts where ours name devices.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include <topowise/device/functions.hpp>

namespace topowise::device {

/// Each device's context is retained once, for whichever thread asks first.
class PrimaryContexts {
 public:
  using Retain = std::function<int(Handle*, int)>;
  explicit PrimaryContexts(Retain retain) : retain_(std::move(retain)) {}

  int get(int device, Handle* context) {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(device);
    if (found != held_.end()) {
      *context = found->second;
      return kSuccess;
    }
    const int result = retain_(context, device);
    if (result == kSuccess) held_[device] = *context;
    return result;
  }
  /// Forgets a device; true if it was held.
  bool forget(int device) {
    const std::lock_guard lock(mutex_);
    return held_.erase(device) > 0;
  }

 private:
  Retain retain_;
  std::mutex mutex_;
  std::map<int, Handle> held_;
};

}  // namespace topowise::device
