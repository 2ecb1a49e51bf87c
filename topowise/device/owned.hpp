// SPDX-License-Identifier: BSD-3-Clause
// Things of the driver that are given back when their owner goes.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include <topowise/device/driver.hpp>

namespace topowise::device {

/// Move-only. A driver that refuses to take a thing back at the end (a lost GPU, a process that ends) is not an error.
template <class T, void (Driver::*give_back)(T) const>
class Owned {
 public:
  Owned() = default;
  Owned(Driver driver, int device, T value)
      : driver_(std::make_unique<const Driver>(std::move(driver))), device_(device), value_(value) {}
  Owned(Owned&& other) noexcept : driver_(std::move(other.driver_)), device_(other.device_), value_(other.value_) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this == &other) return *this;
    reset();
    driver_ = std::move(other.driver_);
    device_ = other.device_;
    value_ = other.value_;
    return *this;
  }
  /// Holds somebody else's thing, which is not given back.
  [[nodiscard]] static Owned borrowed(T value) {
    Owned made;
    made.value_ = value;
    return made;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { reset(); }

  [[nodiscard]] T get() const { return value_; }
  [[nodiscard]] int device() const { return device_; }

 private:
  void reset() noexcept {
    if (!driver_) return;
    try {
      driver_->select(device_);
      ((*driver_).*give_back)(value_);
    } catch (const std::exception&) {  // nothing to be done about it
    }
    driver_.reset();
  }
  std::unique_ptr<const Driver> driver_;
  int device_ = 0;
  T value_{};
};

using OwnedMemory = Owned<Address, &Driver::free>;
using OwnedImport = Owned<Address, &Driver::close_memory>;
using OwnedStream = Owned<Handle, &Driver::destroy_stream>;
using OwnedEvent = Owned<Handle, &Driver::destroy_event>;
using OwnedModule = Owned<Handle, &Driver::unload_module>;

/// Waits, after an error, until what may still be under way in a stream has ended or never will.
inline void settle(const Driver& driver, Handle stream) noexcept {
  try {
    driver.synchronize_stream(stream);
  } catch (const std::exception&) {  // nothing goes on then
  }
}

// Each of these selects the device first.
[[nodiscard]] inline OwnedMemory make_memory(const Driver& driver, int device, std::size_t size) {
  driver.select(device);
  return {driver, device, driver.allocate(size)};
}
[[nodiscard]] inline OwnedImport make_import(const Driver& driver, int device, const IpcHandle& handle) {
  driver.select(device);
  return {driver, device, driver.import_memory(handle)};
}
[[nodiscard]] inline OwnedStream make_stream(const Driver& driver, int device) {
  driver.select(device);
  return {driver, device, driver.create_stream()};
}
[[nodiscard]] inline OwnedEvent make_event(const Driver& driver, int device, Timing timing,
                                           Reach reach = Reach::process) {
  driver.select(device);
  return {driver, device, driver.create_event(timing, reach)};
}

}  // namespace topowise::device
